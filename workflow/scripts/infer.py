"""Ask one model about one suite at one k: only what the response logs lack."""

import json
import os
import platform
import sys
from pathlib import Path
from pkgutil import resolve_name

import pyarrow.parquet as pq

from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.core.schemas.prompts import PROMPTS
from tabbench.inference.context import open_context, reader
from tabbench.inference.infer import find_too_long, infer
from tabbench.inference.models import ModelFiles, identity, lazy_model
from tabbench.inference.progress import Progress
from tabbench.inference.requests import read_requests
from tabbench.inference.suspicious_cells import warnings

terminal = sys.stderr
PLACE = ("CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID", "SLURM_JOB_PARTITION")

with job(snakemake.log[0]):
    print(platform.node(), *(f"{name}={os.environ[name]}" for name in PLACE if name in os.environ))
    given, params, job_of = snakemake.input, snakemake.params, snakemake.wildcards
    logs = dict(zip(params.logs, given.prompts, strict=True))
    rows = sum(pq.read_metadata(path).num_rows for path in logs.values())
    label = f"{job_of.model} {job_of.suite} k={job_of.k}"
    if part := job_of.get("part"):
        label += f" part {part}"
    valid = resolve_name(params.valid)
    files = ModelFiles(given.model, given.weights, params.serving, params.benchmark)
    with lazy_model(files, snakemake.threads, snakemake.resources.gpu) as (model, engine):
        currency = model.prices.currency if model.prices else ""
        repeats = model.repeats(int(job_of.k))
        with Progress(label, repeats * rows, (terminal, sys.stderr), valid, currency) as progress:

            def asks():
                """One dataset's prompts at a time: they may be many."""
                for log, path in logs.items():
                    yield Path(log), read_requests(read_table(path, PROMPTS), job_of.model, repeats)

            def checked():
                for log, requests in asks():
                    for warning in warnings(requests) if model.endpoint else ():
                        progress.say(warning)
                    yield log, requests

            def context():
                fetch = model.endpoint is None
                return open_context(model, reader(), map(Path, given.weights), fetch)

            who, tolerated = identity(model), model.limits.tolerate_errors
            misfits = find_too_long(asks(), who, context, progress.say)
            counts = infer(checked(), who, engine, progress, tolerated, misfits, asks())
    print(counts)
    Path(snakemake.output.marker).write_text(json.dumps(counts._asdict()) + "\n")
