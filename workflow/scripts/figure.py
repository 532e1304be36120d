"""Make one figure of the registry."""

from pathlib import Path
from pkgutil import resolve_name

from tabbench.core.frames import read_tables
from tabbench.core.job import job
from tabbench.reporting.markdown import escape_markdown
from tabbench.reporting.style import save

with job(snakemake.log[0]):
    params = snakemake.params
    make = resolve_name(params.function)
    frames = {
        name: read_tables(paths, resolve_name(params.schemas[name]))
        for name, paths in snakemake.input.items()
    }
    figure = make(**frames, **params.arguments)
    pdf, png, caption = snakemake.output
    save(figure, pdf=pdf, png=png)
    Path(caption).write_text(escape_markdown(figure.caption) + "\n", encoding="utf-8")
