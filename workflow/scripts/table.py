"""Make one table of the registry."""

from pkgutil import resolve_name

from tabbench.core.frames import read_tables
from tabbench.core.job import job
from tabbench.reporting.writer import write_table

with job(snakemake.log[0]):
    params = snakemake.params
    make = resolve_name(params.function)
    frames = {
        name: read_tables(paths, resolve_name(params.schemas[name]))
        for name, paths in snakemake.input.items()
    }
    csv, md, tex = snakemake.output
    write_table(make(**frames, **params.arguments), csv=csv, md=md, tex=tex)
