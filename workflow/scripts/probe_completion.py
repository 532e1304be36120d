"""Ask a model to go on with rows word for word, and grade its answers."""

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.probe_completion import PROBE_COMPLETIONS
from tabbench.inference.models import ModelFiles
from tabbench.inference.open_model import open_model
from tabbench.probes.completion import complete
from tabbench.probes.read import read_datasets

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    files = ModelFiles(given.model, given.weights, params.serving, params.benchmark)
    with open_model(files, params.responses, snakemake.threads, snakemake.resources.gpu) as model:
        datasets = read_datasets(given.tables, params.metadata, params.canary, given.recognition)
        frame = complete(datasets, model.ask, model.plain, params.rows)
        write_table(frame.assign(model=model.id), snakemake.output.completions, PROBE_COMPLETIONS)
