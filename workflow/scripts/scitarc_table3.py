"""Make Table 3 from a sheet of wrong answers that people annotated."""

from pathlib import Path

import pandas as pd

from tabbench.core.job import job
from tabbench.reporting.writer import write_table
from tabbench.scitarc.tables.errors import table3
from tabbench.scitarc.taxonomy import read_sheet

with job(snakemake.log[0]):
    table = table3(
        read_sheet(Path(snakemake.input.sheet)),
        pd.read_csv(snakemake.input.published),
        snakemake.params.models,
    )
    csv, md, tex = snakemake.output
    write_table(table, csv=csv, md=md, tex=tex)
