"""Score every cell of the given predictions."""

from itertools import chain
from pathlib import Path

import pandas as pd

from tabbench.facts import dataset_facts
from tabbench.metrics import score_cells
from tabbench.predictions import read_cells
from tabbench.schemas import PREDICTIONS, SCORES, SPLIT, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    facts = dataset_facts(snakemake.params.facts, splits)
    asked = read_cells(snakemake.input.predictions, snakemake.params.shots)
    fitted = (read_table(path, PREDICTIONS) for path in snakemake.input.fitted)
    cells = [score_cells(frame) for frame in chain(asked, fitted)]
    scores = pd.concat(cells).merge(facts, left_on="dataset", right_index=True)
    write_table(scores, snakemake.output.scores, SCORES)
