"""Test the maximal context against the minimal one, per dataset."""

import pandas as pd

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.contrasts import CONTRASTS
from tabbench.data.dataset_metadata import with_metadata
from tabbench.scoring.predictions import read_datasets
from tabbench.statistics.contrasts import context_contrasts

with job(snakemake.log[0]):
    fewest, most = snakemake.params.ends
    asked = read_datasets(snakemake.input.predictions, snakemake.params.shots)
    tests = [context_contrasts(frame, fewest, most) for frame in asked]
    frame = with_metadata(pd.concat(tests), snakemake.params.metadata, snakemake.input.splits)
    write_table(frame, snakemake.output.contrasts, CONTRASTS)
