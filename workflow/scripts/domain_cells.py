"""Reduce the seeds of every cell."""

from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.cell_means import CELLS
from tabbench.core.schemas.scores import SCORES
from tabbench.reporting.page.cell_means import domain_cells

with job(snakemake.log[0]):
    scores = read_table(snakemake.input.scores, SCORES)
    write_table(domain_cells(scores), snakemake.output.cells, CELLS)
