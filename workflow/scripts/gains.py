"""Test each k-shot cell against its zero-shot cell."""

import pandas as pd

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.gains import TESTS
from tabbench.data.dataset_metadata import with_metadata
from tabbench.scoring.predictions import read_datasets
from tabbench.statistics.gains import gains_over_zero_shot

with job(snakemake.log[0]):
    asked = read_datasets(snakemake.input.predictions, snakemake.params.shots)
    tests = [gains_over_zero_shot(frame) for frame in asked]
    frame = with_metadata(pd.concat(tests), snakemake.params.metadata, snakemake.input.splits)
    write_table(frame, snakemake.output.tests, TESTS)
