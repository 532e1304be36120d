"""Ask a model for hidden cells of real and of shuffled rows, and grade its answers."""

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.probe_reconstruction import PROBE_CELLS, PROBE_LIFTS
from tabbench.inference.models import ModelFiles
from tabbench.inference.open_model import open_model
from tabbench.probes.read import read_datasets
from tabbench.probes.reconstruction import reconstruct, summarize

with job(snakemake.log[0]):
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    files = ModelFiles(given.model, given.weights, params.serving, params.benchmark)
    with open_model(files, params.responses, snakemake.threads, snakemake.resources.gpu) as model:
        datasets = read_datasets(given.tables, params.metadata, params.canary, given.recognition)
        cells = reconstruct(datasets, model.ask, model.plain, **params.sizes)
        write_table(cells.assign(model=model.id), made.cells, PROBE_CELLS)
        write_table(summarize(cells).assign(model=model.id), made.lifts, PROBE_LIFTS)
