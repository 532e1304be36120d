"""Give a pretrained baseline the examples of each draw and predict the test rows."""

from pathlib import Path

from tabbench.baselines.foundation import silence
from tabbench.baselines.runs import leave_out, run_baselines
from tabbench.baselines.weights import Record, load
from tabbench.core.frames import read_table, read_tables, write_table
from tabbench.core.job import job
from tabbench.core.schemas.fits import FITS
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.shots import SHOTS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE

with job(snakemake.log[0]):
    silence()
    record = Record.read(Path(snakemake.input.weights))
    dataset = snakemake.wildcards.dataset
    shots = read_tables(snakemake.input.shots, SHOTS)
    if record.reason:
        predictions, fits = leave_out(dataset, record.model, shots, record.reason)
    else:
        predictions, fits = run_baselines(
            dataset,
            [load(record, snakemake.params.device)],
            read_table(snakemake.input.table, TABLE),
            read_table(snakemake.input.split, SPLIT),
            shots,
            snakemake.params.full_seed,
            read_tables(snakemake.input.labelled, SHOTS) if snakemake.input.labelled else None,
        )
    write_table(predictions, snakemake.output.predictions, PREDICTIONS)
    write_table(fits, snakemake.output.fits, FITS)
