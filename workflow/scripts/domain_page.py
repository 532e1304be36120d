"""Make the page that searches and sorts every cell."""

from pathlib import Path

from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.core.schemas.cell_means import CELLS
from tabbench.reporting.page.cells import domain_page

with job(snakemake.log[0]):
    cells = read_table(snakemake.input.cells, CELLS)
    template = Path(snakemake.input.template).read_text(encoding="utf-8")
    page = domain_page(cells, template, snakemake.params.names)
    Path(snakemake.output.page).write_text(page, encoding="utf-8")
