"""Score the probabilities of both modes, and pool them into reliability bins."""

import pandas as pd

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.calibration import CALIBRATION, RELIABILITY
from tabbench.data.dataset_metadata import with_metadata
from tabbench.scoring.calibration import calibrate_cells, main_condition, reliability
from tabbench.scoring.predictions import read_cells

with job(snakemake.log[0]):
    asked = read_cells(snakemake.input.predictions, snakemake.params.shots)
    parts = [main_condition(frame) for frame in asked]
    cells = pd.concat([calibrate_cells(part) for part in parts])
    cells = with_metadata(cells, snakemake.params.metadata, snakemake.input.splits)
    write_table(cells, snakemake.output.calibration, CALIBRATION)
    write_table(reliability(parts), snakemake.output.reliability, RELIABILITY)
