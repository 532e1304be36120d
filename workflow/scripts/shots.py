"""Draw the labelled examples of a dataset for one k, all seeds."""

from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.shots import SHOTS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.data.split import draw_shots

with job(snakemake.log[0]):
    draws = draw_shots(
        read_table(snakemake.input.table, TABLE),
        read_table(snakemake.input.split, SPLIT),
        int(snakemake.wildcards.k),
        tuple(snakemake.params.seeds),
        snakemake.wildcards.dataset,
    )
    write_table(draws, snakemake.output.shots, SHOTS)
