"""Turn the logged answers of one model about one suite at one k into predictions."""

import json
from pathlib import Path

from tabbench.config.model_entry import parse_model
from tabbench.core.frames import read_table, write_tables
from tabbench.core.job import job
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.prompts import PROMPTS
from tabbench.inference.failures import read_failures
from tabbench.inference.models import identity
from tabbench.inference.requests import read_requests
from tabbench.inference.responses import read_responses
from tabbench.scoring.predict import predict

with job(snakemake.log[0]):
    name = snakemake.wildcards.model
    model = parse_model(name, json.loads(Path(snakemake.input.model).read_text()))
    repeats = model.repeats(int(snakemake.wildcards.k))
    logs = map(Path, snakemake.params.logs)
    # One dataset at a time: its prompts and answers may be many.
    predictions = (
        predict(
            read_requests(read_table(prompts, PROMPTS), name, repeats),
            identity(model),
            read_responses(log),
            read_failures(log),
            f"Ask it: snakemake --force {snakemake.input.marker}",
        )
        for prompts, log in zip(snakemake.input.prompts, logs, strict=True)
    )
    write_tables(predictions, snakemake.output.predictions, PREDICTIONS)
