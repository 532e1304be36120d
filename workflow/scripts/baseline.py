"""Fit the baselines on the examples of each draw and predict the test rows."""

import pandas as pd

from tabbench.baseline_runs import run_baselines
from tabbench.schemas import PREDICTIONS, SHOTS, SPLIT, TABLE, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    shots = pd.concat([read_table(path, SHOTS) for path in snakemake.input.shots])
    predictions = run_baselines(
        snakemake.wildcards.dataset,
        snakemake.params.models,
        read_table(snakemake.input.table, TABLE),
        read_table(snakemake.input.split, SPLIT),
        shots,
    )
    write_table(predictions, snakemake.output.predictions, PREDICTIONS)
