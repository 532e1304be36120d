"""Put into tables what a user dataset's page says of its data and of what leaves this machine."""

import json
from pathlib import Path

from tabbench.config.dataset_entry import TaskText, parse_dataset
from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.own import AUDIT, CLASSES, FILE_ROWS, PARTS, SHARING
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.data.description import features
from tabbench.data.own_data import classes, findings, parts, sharing
from tabbench.data.personal import personal_columns
from tabbench.data.readers import read_raw

with job(snakemake.log[0]):
    files, params, made = snakemake.input, snakemake.params, snakemake.output
    dataset = parse_dataset(snakemake.wildcards.dataset, params.entry)
    folder = Path(files.raw)
    source = dataset.sources[json.loads((folder / "source.json").read_text())["source"]]
    raw = read_raw(folder, source)
    table, split = read_table(files.table, TABLE), read_table(files.split, SPLIT)
    rows = read_table(files.rows, FILE_ROWS)
    write_table(classes(rows, dataset.positive), made.classes, CLASSES)
    write_table(parts(table, split, rows), made.parts, PARTS)
    write_table(findings(table, split, TaskText(**params.task)), made.audit, AUDIT)
    used = list(features(table))
    columns = list(dict.fromkeys([*raw.columns, dataset.target, *used]))
    sent = sharing(columns, used, dataset, params.models, personal_columns(raw))
    write_table(sent, made.sharing, SHARING)
    print(f"{int(sent['sent'].sum())} column(s) are sent to endpoints")
