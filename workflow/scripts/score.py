"""Score every cell of the given predictions."""

from pathlib import Path

import pandas as pd

from tabbench.facts import dataset_facts
from tabbench.metrics import score_cells
from tabbench.schemas import PREDICTIONS, SCORES, SPLIT, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    facts = dataset_facts(snakemake.params.facts, splits)
    # A cell stands in one file, so files are scored one by one.
    cells = [score_cells(read_table(path, PREDICTIONS)) for path in snakemake.input.predictions]
    scores = pd.concat(cells).merge(facts, left_on="dataset", right_index=True)
    write_table(scores, snakemake.output.scores, SCORES)
