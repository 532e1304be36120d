"""Summarize every model and baseline on one dataset of the user's own."""

import pandas as pd

from tabbench.audit import audit
from tabbench.description import describe
from tabbench.metrics import score_cells
from tabbench.schemas import FITS, PREDICTIONS, SPLIT, TABLE, read_table, read_tables
from tabbench.script import job
from tabbench.tables.own import summary
from tabbench.tables.writer import write_table

with job(snakemake.log[0]):
    table = read_table(snakemake.input.table, TABLE)
    split = read_table(snakemake.input.split, SPLIT)
    cells = [score_cells(read_table(path, PREDICTIONS)) for path in snakemake.input.predictions]
    paths = snakemake.input.fits
    fits = read_tables(paths, FITS) if paths else pd.DataFrame(columns=FITS.names)
    made = summary(
        pd.concat(cells).assign(suite="own", domain="other"),
        snakemake.params.models | snakemake.params.baselines,
        snakemake.params.title,
        describe(table),
        audit(table, split),
        fits,
    )
    csv, md, tex = snakemake.output
    write_table(made, csv=csv, md=md, tex=tex)
