"""Look for leaks, identifiers and duplicates in the loaded tables."""

from pathlib import Path

from tabbench.audit import audit
from tabbench.schemas import SPLIT, TABLE, read_table
from tabbench.script import job
from tabbench.tables.datasets import audit_table
from tabbench.tables.writer import write_table

with job(snakemake.log[0]):
    pairs = zip(snakemake.input.tables, snakemake.input.splits, strict=True)
    audits = {
        Path(table).parent.name: audit(read_table(table, TABLE), read_table(split, SPLIT))
        for table, split in pairs
    }
    csv, md, tex = snakemake.output
    write_table(audit_table(audits), csv=csv, md=md, tex=tex)
