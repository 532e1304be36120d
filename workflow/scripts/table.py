"""Make one table: the function of the package that bears its name, given scores and tests."""

import importlib

from tabbench.artifact_inputs import ARTIFACT_INPUTS
from tabbench.schemas import read_tables
from tabbench.script import job
from tabbench.tables.writer import write_table

with job(snakemake.log[0]):
    make = getattr(importlib.import_module(snakemake.params.module), snakemake.params.name)
    frames = {
        name: read_tables(paths, ARTIFACT_INPUTS[name]) for name, paths in snakemake.input.items()
    }
    csv, md, tex = snakemake.output
    write_table(make(**frames, **snakemake.params.arguments), csv=csv, md=md, tex=tex)
