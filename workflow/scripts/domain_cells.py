"""Reduce the seeds of every cell."""

from tabbench.domain_cells import domain_cells
from tabbench.schemas import CELLS, SCORES, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    scores = read_table(snakemake.input.scores, SCORES)
    write_table(domain_cells(scores), snakemake.output.cells, CELLS)
