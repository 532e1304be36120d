"""Split a dataset into training and test rows."""

import json
from pathlib import Path

from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.own import FILE_ROWS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.data.own_rows import given_sides
from tabbench.data.split import fingerprint, split

with job(snakemake.log[0]):
    table = read_table(snakemake.input.table, TABLE)
    name, rule = snakemake.wildcards.dataset, snakemake.params.split
    rows = [read_table(path, FILE_ROWS) for path in snakemake.input.rows]
    given = given_sides(rows[0]) if rows else None
    parts = split(table, snakemake.params.test_rows, name, **rule, given=given)
    write_table(parts, snakemake.output.split, SPLIT)
    made = rule or "first of 3 stratified folds"
    note = {"split": snakemake.params.given or made, "parts": fingerprint(table, parts)}
    Path(snakemake.output.hash).write_text(json.dumps(note, indent=1) + "\n")
    print(parts["part"].value_counts().to_string())
