"""Turn the logged answers of one model about one dataset at one k into predictions."""

import json
from pathlib import Path

from tabbench.asks import read_asks
from tabbench.failures import read_failures
from tabbench.models import identity
from tabbench.predict import predict
from tabbench.registry import parse_model
from tabbench.responses import read_responses
from tabbench.schemas import PREDICTIONS, PROMPTS, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    name = snakemake.wildcards.model
    entry = json.loads(Path(snakemake.input.model).read_text())
    log = Path(snakemake.params.responses)
    predictions = predict(
        read_asks(read_table(snakemake.input.prompts, PROMPTS), name),
        identity(parse_model(name, entry)),
        read_responses(log),
        read_failures(log),
        f"Ask it: snakemake --force {snakemake.input.marker}",
    )
    write_table(predictions, snakemake.output.predictions, PREDICTIONS)
    print(predictions["status"].value_counts().to_string())
