"""Turn raw files into the table of a dataset."""

import json
from pathlib import Path

from tabbench.prepare import prepare
from tabbench.readers import read_raw
from tabbench.registry import parse_dataset
from tabbench.schemas import TABLE, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    dataset = parse_dataset(snakemake.wildcards.dataset, snakemake.params.entry)
    folder = Path(snakemake.input.raw)
    source = dataset.sources[json.loads((folder / "source.json").read_text())["source"]]
    table = prepare(read_raw(folder, source), dataset)
    write_table(table, snakemake.output.table, TABLE)
    print(f"{dataset.id}: {len(table)} rows, {table['y'].mean():.1%} positive")
