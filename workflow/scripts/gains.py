"""Test each k-shot cell against its zero-shot cell."""

from pathlib import Path

import pandas as pd

from tabbench.facts import dataset_facts
from tabbench.predictions import read_datasets
from tabbench.schemas import SPLIT, TESTS, read_table, write_table
from tabbench.script import job
from tabbench.statistics.gains import gains_over_zero_shot

with job(snakemake.log[0]):
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    facts = dataset_facts(snakemake.params.facts, splits)
    asked = read_datasets(snakemake.input.predictions, snakemake.params.shots)
    tests = [gains_over_zero_shot(frame) for frame in asked]
    frame = pd.concat(tests).merge(facts, left_on="dataset", right_index=True)
    write_table(frame, snakemake.output.tests, TESTS)
