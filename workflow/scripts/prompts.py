"""Build all prompts of a dataset at one k."""

from pathlib import Path

from tabbench.config.dataset_entry import TaskText
from tabbench.core.cells import Variant
from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.prompts import PROMPTS
from tabbench.core.schemas.serialized import SERIALIZED
from tabbench.core.schemas.shots import SHOTS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.prompts.prompts import DatasetFiles, build

with job(snakemake.log[0]):
    files, task = snakemake.input, snakemake.params.task
    prompts = build(
        snakemake.wildcards.dataset,
        int(snakemake.wildcards.k),
        snakemake.params.seeds,
        [Variant(*variant) for variant in snakemake.params.variants],
        task and TaskText(**task),
        DatasetFiles(
            read_table(files.table, TABLE),
            read_table(files.split, SPLIT),
            read_table(files.serialized, SERIALIZED),
            read_table(files.shots[0], SHOTS) if files.shots else None,
            read_table(files.labelled[0], SHOTS) if files.labelled else None,
            Path(files.rules[0]).read_text(encoding="utf-8") if files.rules else None,
        ),
    )
    write_table(prompts, snakemake.output.prompts, PROMPTS)
