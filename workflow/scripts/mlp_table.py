"""Make one table of the complexity grid."""

import numpy as np

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.table import TABLE
from tabbench.data.complexity_grid.tables import make_table

with job(snakemake.log[0]):
    level, number = snakemake.params.table
    table = make_table(level, number, snakemake.params.rows, snakemake.params.recipe)
    table.insert(0, "row_id", np.arange(len(table)))
    write_table(table, snakemake.output.table, TABLE)
