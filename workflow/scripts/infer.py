"""Ask one model about one suite at one k: only what the response logs lack."""

import importlib
import json
import os
import platform
import sys
from pathlib import Path

import pyarrow.parquet as pq

from tabbench.asks import read_asks
from tabbench.engines.base import Setting
from tabbench.infer import infer
from tabbench.measure import measured
from tabbench.models import LazyEngine, identity, read_model
from tabbench.progress import Progress
from tabbench.schemas import PROMPTS, read_table
from tabbench.script import job

terminal = sys.stderr
PLACE = ("CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID", "SLURM_JOB_PARTITION")

with job(snakemake.log[0]):
    print(platform.node(), *(f"{name}={os.environ[name]}" for name in PLACE if name in os.environ))
    name = snakemake.wildcards.model
    entry = Path(snakemake.input.model)
    model = read_model(entry, snakemake.params.asking)
    weights = next(map(Path, snakemake.input.weights), None)
    setting = Setting(weights, snakemake.threads, entry.parent, snakemake.resources.gpu)
    engine = LazyEngine(model, setting)
    files = dict(zip(snakemake.params.logs, snakemake.input.prompts, strict=True))
    total = sum(pq.read_metadata(path).num_rows for path in files.values())
    label = f"{name} {snakemake.wildcards.suite} k={snakemake.wildcards.k}"
    # Imported by name, to stay out of the hash of this job's code: how answers are read decides
    # nothing here but a count that is shown, and mending it must not start jobs on GPUs.
    valid = importlib.import_module("tabbench.predict").is_valid
    currency = model.prices.currency if model.prices else ""
    with (
        measured(Path(snakemake.params.benchmark), lambda: engine.loaded),
        Progress(label, total, (terminal, sys.stderr), valid, currency) as progress,
    ):
        # One dataset's prompts at a time: they may be many.
        asks = (
            (Path(log), read_asks(read_table(path, PROMPTS), name)) for log, path in files.items()
        )
        counts = infer(
            asks,
            identity(model),
            engine,
            progress,
            model.limits.tolerate_errors,
        )
    print(counts)
    Path(snakemake.output.marker).write_text(json.dumps(counts._asdict()) + "\n")
