"""Ask a model for hidden cells of real and of shuffled rows, and grade its answers."""

from pathlib import Path

from tabbench.asking import open_model
from tabbench.probes.asking import read_datasets
from tabbench.probes.reconstruction import reconstruct, summarize
from tabbench.schemas import PROBE_CELLS, PROBE_LIFTS, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    model = open_model(
        Path(given.model),
        params.asking,
        given.weights,
        Path(params.responses),
        snakemake.threads,
        snakemake.resources.gpu,
        Path(params.benchmark),
    )
    with model as (name, ask, plain):
        datasets = read_datasets(given.tables, params.facts, params.canary, given.recognition)
        cells = reconstruct(datasets, ask, plain, **params.sizes)
        write_table(cells.assign(model=name), made.cells, PROBE_CELLS)
        write_table(summarize(cells).assign(model=name), made.lifts, PROBE_LIFTS)
