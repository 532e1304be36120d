"""Look for leaks, identifiers and duplicates in the loaded tables."""

from pathlib import Path

from tabbench.config.dataset_entry import TaskText
from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.data.audit import audit
from tabbench.reporting.tables.datasets import audit_table
from tabbench.reporting.writer import write_table

with job(snakemake.log[0]):
    tasks = snakemake.params.tasks
    pairs = zip(snakemake.input.tables, snakemake.input.splits, strict=True)
    audits = {
        name: audit(read_table(table, TABLE), read_table(split, SPLIT), TaskText(**tasks[name]))
        for table, split in pairs
        for name in [Path(table).parent.name]
    }
    csv, md, tex = snakemake.output
    write_table(audit_table(audits), csv=csv, md=md, tex=tex)
