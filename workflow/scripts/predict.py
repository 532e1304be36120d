"""Turn the logged answers of one model about one dataset at one k into predictions."""

from pathlib import Path

from tabbench.asks import read_files, requests_of
from tabbench.cells import Variant
from tabbench.models import identity
from tabbench.predict import predict
from tabbench.registry import TaskText, parse_model
from tabbench.responses import read_responses
from tabbench.schemas import PREDICTIONS, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    dataset, name = snakemake.wildcards.dataset, snakemake.wildcards.model
    task = snakemake.params.task
    files = read_files(snakemake.input.files)
    asks = requests_of(
        dataset,
        name,
        int(snakemake.wildcards.k),
        snakemake.params.seeds,
        [Variant(*variant) for variant in snakemake.params.variants],
        task and TaskText(**task),
        files,
    )
    predictions = predict(
        asks,
        identity(parse_model(name, snakemake.params.entry)),
        files.labels,
        read_responses(Path(snakemake.params.responses)),
        f"Ask it: snakemake --force {snakemake.input.marker}",
    )
    write_table(predictions, snakemake.output.predictions, PREDICTIONS)
    print(predictions["status"].value_counts().to_string())
