"""Read and check the paper's numbers, and name the cells that they belong to."""

from pathlib import Path

from tabbench.published import published_cells, read_discrepancies, read_published
from tabbench.schemas import DISCREPANCIES, PUBLISHED, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    tables = {Path(path).stem: read_published(path) for path in snakemake.input.tables}
    write_table(published_cells(tables), snakemake.output.published, PUBLISHED)
    discrepancies = read_discrepancies(snakemake.input.discrepancies)
    write_table(discrepancies, snakemake.output.discrepancies, DISCREPANCIES)
