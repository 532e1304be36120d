"""Fit the baselines on the examples of each draw and predict the test rows."""

from tabbench.baselines.classical import CLASSICAL
from tabbench.baselines.runs import run_baselines
from tabbench.schemas import (
    FITS,
    PREDICTIONS,
    SHOTS,
    SPLIT,
    TABLE,
    read_table,
    read_tables,
    write_table,
)
from tabbench.script import job

with job(snakemake.log[0]):
    predictions, fits = run_baselines(
        snakemake.wildcards.dataset,
        [CLASSICAL[name] for name in snakemake.params.models],
        read_table(snakemake.input.table, TABLE),
        read_table(snakemake.input.split, SPLIT),
        read_tables(snakemake.input.shots, SHOTS),
    )
    write_table(predictions, snakemake.output.predictions, PREDICTIONS)
    write_table(fits, snakemake.output.fits, FITS)
