"""Turn the logged answers of one model about one suite at one k into predictions."""

import json
from itertools import chain
from pathlib import Path

from tabbench.config.model_entry import parse_model
from tabbench.core.frames import write_tables
from tabbench.core.job import job
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.inference.failures import read_failures
from tabbench.inference.models import identity
from tabbench.inference.requests import request_batches
from tabbench.inference.responses import read_responses
from tabbench.scoring.predict import predict

with job(snakemake.log[0]):
    name = snakemake.wildcards.model
    model = parse_model(name, json.loads(Path(snakemake.input.model).read_text()))
    repeats = model.repeats(int(snakemake.wildcards.k))
    logs = map(Path, snakemake.params.logs)
    # Some prompts of one dataset at a time: they may be many.
    predictions = (
        predict(
            request_batches(prompts, name, repeats),
            identity(model),
            read_responses(log),
            read_failures(log),
            f"Ask it: snakemake --force {snakemake.input.marker}",
        )
        for prompts, log in zip(snakemake.input.prompts, logs, strict=True)
    )
    write_tables(chain.from_iterable(predictions), snakemake.output.predictions, PREDICTIONS)
