"""Estimate the intrinsic dimension of a real table."""

import pandas as pd

from tabbench.complexity.dimension import dimension_row
from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.dimension import DIMENSION
from tabbench.core.schemas.table import TABLE

with job(snakemake.log[0]):
    features = read_table(snakemake.input.table, TABLE).drop(columns=["row_id", "y"])
    found = dimension_row(features, at_most=snakemake.params.rows)
    row = {"dataset": snakemake.wildcards.dataset} | found
    write_table(pd.DataFrame([row]), snakemake.output.dimension, DIMENSION)
