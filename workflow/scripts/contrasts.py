"""Test the maximal context against the minimal one, per dataset."""

from itertools import groupby
from pathlib import Path

import pandas as pd

from tabbench.facts import dataset_facts
from tabbench.schemas import CONTRASTS, PREDICTIONS, SPLIT, read_table, write_table
from tabbench.script import job
from tabbench.statistics.contrasts import context_contrasts

with job(snakemake.log[0]):
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    facts = dataset_facts(snakemake.params.facts, splits)
    fewest, most = snakemake.params.shots
    # Files of one folder are one model's predictions of one dataset, one file per k.
    tests = []
    for _, paths in groupby(sorted(map(Path, snakemake.input.predictions)), lambda p: p.parent):
        predictions = pd.concat(read_table(path, PREDICTIONS) for path in paths)
        tests.append(context_contrasts(predictions, fewest, most))
    frame = pd.concat(tests).merge(facts, left_on="dataset", right_index=True)
    write_table(frame, snakemake.output.contrasts, CONTRASTS)
