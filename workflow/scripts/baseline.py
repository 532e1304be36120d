"""Fit the baselines on the examples of each draw and predict the test rows."""

from tabbench.baselines.classical import CLASSICAL
from tabbench.baselines.runs import run_baselines
from tabbench.core.frames import read_table, read_tables, write_table
from tabbench.core.job import job
from tabbench.core.schemas.fits import FITS
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.shots import SHOTS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE

with job(snakemake.log[0]):
    predictions, fits = run_baselines(
        snakemake.wildcards.dataset,
        [CLASSICAL[name] for name in snakemake.params.models],
        read_table(snakemake.input.table, TABLE),
        read_table(snakemake.input.split, SPLIT),
        read_tables(snakemake.input.shots, SHOTS),
        snakemake.params.full_seed,
        read_tables(snakemake.input.labelled, SHOTS) if snakemake.input.labelled else None,
    )
    write_table(predictions, snakemake.output.predictions, PREDICTIONS)
    write_table(fits, snakemake.output.fits, FITS)
