"""Make the evidence behind the decision page of one dataset of the user's own."""

from pathlib import Path

from tabbench.core.frames import read_table, read_tables, write_table
from tabbench.core.job import job
from tabbench.core.schemas.decision import EVIDENCE
from tabbench.core.schemas.fits import FITS
from tabbench.core.schemas.own import FILE_ROWS, FILTERED
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.data.own_rows import groups_of_rows
from tabbench.decision.evidence import evidence

with job(snakemake.log[0]):
    rows = read_table(snakemake.input.rows, FILE_ROWS)
    made = evidence(
        read_tables(snakemake.input.predictions, PREDICTIONS),
        read_tables(snakemake.input.fits, FITS),
        read_table(snakemake.input.table, TABLE),
        read_table(snakemake.input.split, SPLIT),
        snakemake.params.prices,
        snakemake.params.labelled,
        int((rows["status"] != FILTERED).sum()),
        groups_of_rows(rows),
    )
    for path in snakemake.output:
        write_table(made[Path(path).stem], path, EVIDENCE[Path(path).stem])
