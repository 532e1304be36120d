"""Make Table 3 from sheets of wrong answers that people annotated."""

from pathlib import Path

import pandas as pd

from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.reporting.writer import write_table
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.tables.errors import table3
from tabbench.scitarc.taxonomy import read_sheet

with job(snakemake.log[0]):
    scores = read_table(snakemake.input.scores, SCITARC_SCORES)
    table = table3(
        scores,
        [read_sheet(Path(sheet), scores["id"]) for sheet in snakemake.input.sheets],
        pd.read_csv(snakemake.input.published),
        snakemake.params.models,
    )
    csv, md, tex = snakemake.output
    write_table(table, csv=csv, md=md, tex=tex)
