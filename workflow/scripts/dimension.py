"""Estimate the intrinsic dimension of the real tables."""

from pathlib import Path

import pandas as pd

from tabbench.dimension import dimension_row
from tabbench.schemas import DIMENSION, TABLE, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    rows = []
    for path in snakemake.input.tables:
        features = read_table(path, TABLE).drop(columns=["row_id", "y"])
        found = dimension_row(features, at_most=snakemake.params.rows)
        rows.append({"dataset": Path(path).parent.name} | found)
    write_table(pd.DataFrame(rows), snakemake.output.dimension, DIMENSION)
