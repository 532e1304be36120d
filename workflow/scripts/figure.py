"""Make one figure: the function of the package that bears its name, given scores and tests."""

import importlib
from pathlib import Path

from tabbench.artifact_inputs import ARTIFACT_INPUTS
from tabbench.figures.style import save
from tabbench.schemas import read_table
from tabbench.script import job

with job(snakemake.log[0]):
    make = getattr(importlib.import_module(snakemake.params.module), snakemake.params.name)
    frames = {
        name: read_table(path, ARTIFACT_INPUTS[name]) for name, path in snakemake.input.items()
    }
    figure = make(**frames, **snakemake.params.arguments)
    pdf, png, caption = snakemake.output
    save(figure, pdf=pdf, png=png)
    Path(caption).write_text(figure.caption + "\n", encoding="utf-8")
