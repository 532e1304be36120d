"""Summarize every model and baseline on one dataset of the user's own."""

import pandas as pd

from tabbench.audit import audit
from tabbench.description import describe
from tabbench.metrics import score_cells
from tabbench.schemas import PREDICTIONS, SPLIT, TABLE, read_table
from tabbench.script import job
from tabbench.tables.own import summary
from tabbench.tables.writer import write_table

with job(snakemake.log[0]):
    table = read_table(snakemake.input.table, TABLE)
    split = read_table(snakemake.input.split, SPLIT)
    cells = [score_cells(read_table(path, PREDICTIONS)) for path in snakemake.input.predictions]
    made = summary(
        pd.concat(cells).assign(suite="own", domain="other"),
        snakemake.params.models | snakemake.params.baselines,
        snakemake.params.title,
        describe(table),
        audit(table, split),
    )
    csv, md, tex = snakemake.output
    write_table(made, csv=csv, md=md, tex=tex)
