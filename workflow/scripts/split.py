"""Split a dataset into training and test rows."""

from tabbench.schemas import SPLIT, TABLE, read_table, write_table
from tabbench.script import job
from tabbench.split import split

with job(snakemake.log[0]):
    table = read_table(snakemake.input.table, TABLE)
    parts = split(table, snakemake.params.test_rows, snakemake.wildcards.dataset)
    write_table(parts, snakemake.output.split, SPLIT)
    print(parts["part"].value_counts().to_string())
