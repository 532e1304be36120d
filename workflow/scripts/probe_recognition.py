"""Ask a model which columns it knows of datasets, given their titles, and grade its answers."""

from pathlib import Path

from tabbench.asking import open_model
from tabbench.probes.asking import read_datasets
from tabbench.probes.recognition import recognize
from tabbench.probes.verdicts import RecognitionThresholds
from tabbench.schemas import PROBE_RECOGNITION, write_table
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
        datasets = read_datasets(given.tables, params.facts, params.canary)
        thresholds = RecognitionThresholds(**params.thresholds)
        frame = recognize(datasets, ask, plain, thresholds)
        write_table(frame.assign(model=name), snakemake.output.recognition, PROBE_RECOGNITION)
