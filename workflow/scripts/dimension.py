"""Estimate the intrinsic dimension of a real table."""

import pandas as pd

from tabbench.dimension import dimension_row
from tabbench.schemas import DIMENSION, TABLE, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    features = read_table(snakemake.input.table, TABLE).drop(columns=["row_id", "y"])
    found = dimension_row(features, at_most=snakemake.params.rows)
    row = {"dataset": snakemake.wildcards.dataset} | found
    write_table(pd.DataFrame([row]), snakemake.output.dimension, DIMENSION)
