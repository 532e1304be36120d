"""Write down what of a model's entry makes its answers."""

import json
from pathlib import Path

from tabbench.core.job import job

with job(snakemake.log[0]):
    text = json.dumps(snakemake.params.entry, indent=2, ensure_ascii=False)
    Path(snakemake.output.entry).write_text(text + "\n", encoding="utf-8")
