"""Estimate the intrinsic dimension of the tables of the complexity grid."""

from pathlib import Path

import pandas as pd

from tabbench.complexity.intrinsic import intrinsic_row
from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.intrinsic import INTRINSIC
from tabbench.core.schemas.table import TABLE

with job(snakemake.log[0]):
    rows = []
    for path in snakemake.input.tables:
        name = Path(path).parent.name
        features = read_table(path, TABLE).drop(columns=["row_id", "y"])
        rows.append(
            {"dataset": name, "level": snakemake.params.levels[name]} | intrinsic_row(features)
        )
    write_table(pd.DataFrame(rows), snakemake.output.intrinsic, INTRINSIC)
