"""Summarize every model and baseline on one dataset of the user's own."""

import pandas as pd

from tabbench.config.dataset_entry import TaskText
from tabbench.core.draws import of_test_rows
from tabbench.core.frames import read_table, read_tables
from tabbench.core.job import job
from tabbench.core.schemas.fits import FITS
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.data.audit import audit
from tabbench.data.description import describe
from tabbench.reporting.tables.user_dataset import summary
from tabbench.reporting.writer import write_table
from tabbench.scoring.metrics import score_cells

with job(snakemake.log[0]):
    table = read_table(snakemake.input.table, TABLE)
    split = read_table(snakemake.input.split, SPLIT)
    predictions = (read_table(path, PREDICTIONS) for path in snakemake.input.predictions)
    cells = [
        score_cells(of_test_rows(frame, {snakemake.wildcards.dataset: split}))
        for frame in predictions
    ]
    paths = snakemake.input.fits
    fits = read_tables(paths, FITS) if paths else pd.DataFrame(columns=FITS.names)
    made = summary(
        pd.concat(cells).assign(suite="own", domain="other"),
        snakemake.params.models | snakemake.params.baselines,
        snakemake.params.title,
        describe(table),
        audit(table, split, TaskText(**snakemake.params.task)),
        fits,
    )
    csv, md, tex = snakemake.output
    write_table(made, csv=csv, md=md, tex=tex)
