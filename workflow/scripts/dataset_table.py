"""Make Tables I, XII, XIII and XIV from the loaded tables."""

import json
from pathlib import Path

import pandas as pd

from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.core.schemas.table import TABLE
from tabbench.data.description import describe
from tabbench.reporting.tables.datasets import Loaded, dataset_table, suite_table
from tabbench.reporting.writer import write_table

with job(snakemake.log[0]):
    suites, published = map(pd.read_csv, snakemake.input.published)
    loaded = {}
    for table, split, raw in zip(
        snakemake.input.tables, snakemake.input.splits, snakemake.input.raw, strict=True
    ):
        source = json.loads((Path(raw) / "source.json").read_text())
        loaded[Path(table).parent.name] = Loaded(
            figures=describe(read_table(table, TABLE)),
            source=source["label"],
            stand_in=source["stand_in"],
            test_hash=json.loads(Path(split).read_text())["parts"]["test"]["sha256"],
        )
    made = {
        number: dataset_table(number, published, loaded, snakemake.params.entries)
        for number in ("XII", "XIII", "XIV")
    }
    tables = [suite_table(suites, snakemake.params.suites), *made.values()]
    for at, table in enumerate(tables):
        csv, md, tex = snakemake.output[3 * at : 3 * at + 3]
        write_table(table, csv=csv, md=md, tex=tex)
