"""Read and check the paper's numbers, and name the cells that they belong to."""

from pathlib import Path

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.published import DISCREPANCIES, PUBLISHED
from tabbench.published.published import published_cells, read_discrepancies, read_published

with job(snakemake.log[0]):
    tables = {Path(path).stem: read_published(path) for path in snakemake.input.tables}
    write_table(published_cells(tables), snakemake.output.published, PUBLISHED)
    discrepancies = read_discrepancies(snakemake.input.discrepancies)
    write_table(discrepancies, snakemake.output.discrepancies, DISCREPANCIES)
