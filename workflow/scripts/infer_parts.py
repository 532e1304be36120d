"""Add up what the parts of an inference job asked."""

import json
from pathlib import Path

from tabbench.core.job import job

with job(snakemake.log[0]):
    parts = [json.loads(Path(path).read_text()) for path in snakemake.input]
    counts = {name: sum(part[name] for part in parts) for name in parts[0]}
    print(counts)
    Path(snakemake.output.marker).write_text(json.dumps(counts) + "\n")
