"""Ask a model to go on with rows word for word, and grade its answers."""

from pathlib import Path

from tabbench.asking import open_model
from tabbench.probes.asking import read_datasets
from tabbench.probes.completion import complete
from tabbench.schemas import PROBE_COMPLETIONS, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
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
        frame = complete(datasets, ask, plain, params.rows)
        write_table(frame.assign(model=name), snakemake.output.completions, PROBE_COMPLETIONS)
