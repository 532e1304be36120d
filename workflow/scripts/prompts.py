"""Build all prompts of a dataset at one k."""

from pathlib import Path

from tabbench.cells import Variant
from tabbench.prompts import DatasetFiles, build
from tabbench.registry import TaskText
from tabbench.schemas import PROMPTS, SERIALIZED, SHOTS, SPLIT, TABLE, read_table, write_table
from tabbench.script import job

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
            Path(files.rules[0]).read_text(encoding="utf-8") if files.rules else None,
        ),
    )
    write_table(prompts, snakemake.output.prompts, PROMPTS)
