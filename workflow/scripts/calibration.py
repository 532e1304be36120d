"""Score the probabilities of both modes, and pool them into reliability bins."""

from pathlib import Path

import pandas as pd

from tabbench.calibration import calibrate_cells, main_condition, reliability
from tabbench.facts import dataset_facts
from tabbench.predictions import read_cells
from tabbench.schemas import CALIBRATION, RELIABILITY, SPLIT, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    facts = dataset_facts(snakemake.params.facts, splits)
    asked = read_cells(snakemake.input.predictions, snakemake.params.shots)
    parts = [main_condition(frame) for frame in asked]
    cells = pd.concat([calibrate_cells(part) for part in parts])
    cells = cells.merge(facts, left_on="dataset", right_index=True)
    write_table(cells, snakemake.output.calibration, CALIBRATION)
    write_table(reliability(parts), snakemake.output.reliability, RELIABILITY)
