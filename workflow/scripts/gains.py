"""Test each k-shot cell against its zero-shot cell."""

from itertools import groupby
from pathlib import Path

import pandas as pd

from tabbench.facts import dataset_facts
from tabbench.schemas import PREDICTIONS, SPLIT, TESTS, read_table, write_table
from tabbench.script import job
from tabbench.statistics.gains import gains_over_zero_shot

with job(snakemake.log[0]):
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    facts = dataset_facts(snakemake.params.facts, splits)
    # Files of one folder are one model's predictions of one dataset, one file per k.
    tests = []
    for _, paths in groupby(sorted(map(Path, snakemake.input.predictions)), lambda p: p.parent):
        tests.append(gains_over_zero_shot(pd.concat(read_table(p, PREDICTIONS) for p in paths)))
    frame = pd.concat(tests).merge(facts, left_on="dataset", right_index=True)
    write_table(frame, snakemake.output.tests, TESTS)
