"""Say of each row of a user dataset's file what became of it."""

import json
from pathlib import Path

from tabbench.config.dataset_entry import parse_dataset
from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.own import FILE_ROWS
from tabbench.data.own_rows import file_rows
from tabbench.data.readers import read_raw

with job(snakemake.log[0]):
    dataset = parse_dataset(snakemake.wildcards.dataset, snakemake.params.entry)
    folder = Path(snakemake.input.raw)
    source = dataset.sources[json.loads((folder / "source.json").read_text())["source"]]
    rows = file_rows(read_raw(folder, source), dataset)
    write_table(rows, snakemake.output.rows, FILE_ROWS)
    print(rows["status"].value_counts().to_string())
