"""Ask a model which columns it knows of datasets, given their titles, and grade its answers."""

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.probe_recognition import PROBE_RECOGNITION
from tabbench.inference.models import ModelFiles
from tabbench.inference.open_model import open_model
from tabbench.probes.read import read_datasets
from tabbench.probes.recognition import recognize
from tabbench.probes.verdicts import RecognitionThresholds

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    files = ModelFiles(given.model, given.weights, params.serving, params.benchmark)
    with open_model(files, params.responses, snakemake.threads, snakemake.resources.gpu) as model:
        datasets = read_datasets(given.tables, params.metadata, params.canary)
        thresholds = RecognitionThresholds(**params.thresholds)
        frame = recognize(datasets, model.ask, model.plain, thresholds)
        write_table(frame.assign(model=model.id), snakemake.output.recognition, PROBE_RECOGNITION)
