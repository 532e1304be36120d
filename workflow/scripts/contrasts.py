"""Test the maximal context against the minimal one, per dataset."""

from pathlib import Path

import pandas as pd

from tabbench.facts import dataset_facts
from tabbench.predictions import read_datasets
from tabbench.schemas import CONTRASTS, SPLIT, read_table, write_table
from tabbench.script import job
from tabbench.statistics.contrasts import context_contrasts

with job(snakemake.log[0]):
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    facts = dataset_facts(snakemake.params.facts, splits)
    fewest, most = snakemake.params.ends
    asked = read_datasets(snakemake.input.predictions, snakemake.params.shots)
    tests = [context_contrasts(frame, fewest, most) for frame in asked]
    frame = pd.concat(tests).merge(facts, left_on="dataset", right_index=True)
    write_table(frame, snakemake.output.contrasts, CONTRASTS)
