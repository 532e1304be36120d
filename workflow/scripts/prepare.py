"""Turn raw files into the table of a dataset."""

import json
from pathlib import Path

from tabbench.config.dataset_entry import parse_dataset
from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.table import TABLE
from tabbench.data.prepare import prepare
from tabbench.data.readers import read_raw

with job(snakemake.log[0]):
    dataset = parse_dataset(snakemake.wildcards.dataset, snakemake.params.entry)
    folder = Path(snakemake.input.raw)
    source = dataset.sources[json.loads((folder / "source.json").read_text())["source"]]
    table = prepare(read_raw(folder, source), dataset)
    write_table(table, snakemake.output.table, TABLE)
    print(f"{dataset.id}: {len(table)} rows, {table['y'].mean():.1%} positive")
