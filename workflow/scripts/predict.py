"""Turn the logged answers of one model about one suite at one k into predictions."""

import json
from pathlib import Path

from tabbench.asks import read_asks
from tabbench.failures import read_failures
from tabbench.models import identity
from tabbench.predict import predict
from tabbench.registry import parse_model
from tabbench.responses import read_responses
from tabbench.schemas import PREDICTIONS, PROMPTS, read_table, write_tables
from tabbench.script import job

with job(snakemake.log[0]):
    name = snakemake.wildcards.model
    model = identity(parse_model(name, json.loads(Path(snakemake.input.model).read_text())))
    logs = map(Path, snakemake.params.logs)
    # One dataset at a time: its prompts and answers may be many.
    predictions = (
        predict(
            read_asks(read_table(prompts, PROMPTS), name),
            model,
            read_responses(log),
            read_failures(log),
            f"Ask it: snakemake --force {snakemake.input.marker}",
        )
        for prompts, log in zip(snakemake.input.prompts, logs, strict=True)
    )
    write_tables(predictions, snakemake.output.predictions, PREDICTIONS)
