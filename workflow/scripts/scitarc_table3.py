"""Make Table 3 from a sheet of wrong answers that people annotated."""

from pathlib import Path

import pandas as pd

from tabbench.scitarc.taxonomy import read_sheet
from tabbench.script import job
from tabbench.tables.scitarc_errors import table3
from tabbench.tables.writer import write_table

with job(snakemake.log[0]):
    table = table3(
        read_sheet(Path(snakemake.input.sheet)),
        pd.read_csv(snakemake.input.published),
        snakemake.params.models,
    )
    csv, md, tex = snakemake.output
    write_table(table, csv=csv, md=md, tex=tex)
