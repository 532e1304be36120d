"""Test every zero-shot cell against random rankings."""

import pandas as pd

from tabbench.schemas import CHANCE, PREDICTIONS, read_table, write_table
from tabbench.script import job
from tabbench.statistics.against_chance import cells_against_chance

with job(snakemake.log[0]):
    facts = pd.DataFrame.from_dict(
        snakemake.params.facts, orient="index", columns=["suite", "domain"]
    )
    tests = [
        cells_against_chance(read_table(path, PREDICTIONS)) for path in snakemake.input.predictions
    ]
    frame = pd.concat(tests).merge(facts, left_on="dataset", right_index=True)
    write_table(frame, snakemake.output.chance, CHANCE)
