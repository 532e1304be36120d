"""Make one table of the complexity grid."""

import numpy as np

from tabbench.mlp_prior import make_table
from tabbench.schemas import TABLE, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    level, number = snakemake.params.table
    table = make_table(level, number, snakemake.params.rows)
    table.insert(0, "row_id", np.arange(len(table)))
    write_table(table, snakemake.output.table, TABLE)
