"""Ask one model about one suite at one k: only what the response logs lack."""

import json
import sys
from pathlib import Path

from tabbench.asks import read_files, requests_of
from tabbench.cells import Variant
from tabbench.infer import infer
from tabbench.models import identity, load_engine
from tabbench.progress import Progress
from tabbench.registry import TaskText, parse_model
from tabbench.script import job

terminal = sys.stderr

with job(snakemake.log[0]):
    name, k = snakemake.wildcards.model, int(snakemake.wildcards.k)
    model = parse_model(name, snakemake.params.entry)
    asks = {
        Path(asked["log"]): requests_of(
            dataset,
            name,
            k,
            snakemake.params.seeds,
            [Variant(*variant) for variant in asked["variants"]],
            asked["task"] and TaskText(**asked["task"]),
            read_files(asked["files"]),
        )
        for dataset, asked in snakemake.params.cells.items()
    }
    folder = next(map(Path, snakemake.input.weights), None)
    label = f"{name} {snakemake.wildcards.suite} k={k}"
    with Progress(label, sum(map(len, asks.values())), terminal) as progress:
        counts = infer(
            asks, identity(model), lambda: load_engine(model, folder, snakemake.threads), progress
        )
    print(counts)
    Path(snakemake.output.marker).write_text(json.dumps(counts._asdict()) + "\n")
