"""Test every zero-shot cell against random rankings."""

import pandas as pd

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.chance import CHANCE
from tabbench.data.dataset_metadata import with_metadata
from tabbench.scoring.predictions import read_cells
from tabbench.statistics.against_chance import cells_against_chance

with job(snakemake.log[0]):
    asked = read_cells(snakemake.input.predictions, snakemake.params.shots)
    tests = [cells_against_chance(frame) for frame in asked]
    frame = with_metadata(pd.concat(tests), snakemake.params.metadata)
    write_table(frame, snakemake.output.chance, CHANCE)
