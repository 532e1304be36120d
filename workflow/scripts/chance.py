"""Test every zero-shot cell against random rankings."""

import pandas as pd

from tabbench.predictions import read_cells
from tabbench.schemas import CHANCE, write_table
from tabbench.script import job
from tabbench.statistics.against_chance import cells_against_chance

with job(snakemake.log[0]):
    facts = pd.DataFrame.from_dict(
        snakemake.params.facts, orient="index", columns=["suite", "domain"]
    )
    asked = read_cells(snakemake.input.predictions, snakemake.params.shots)
    tests = [cells_against_chance(frame) for frame in asked]
    frame = pd.concat(tests).merge(facts, left_on="dataset", right_index=True)
    write_table(frame, snakemake.output.chance, CHANCE)
