"""Look for the weights of a pretrained baseline, and load them once."""

from pathlib import Path

from tabbench.baselines.foundation import PRETRAINED, silence
from tabbench.baselines.weights import look_for_weights
from tabbench.core.job import job

with job(snakemake.log[0]):
    wanted = snakemake.params.wanted
    silence(download=wanted == "download")
    record = look_for_weights(
        PRETRAINED[snakemake.wildcards.model],
        wanted,
        snakemake.params.on_missing,
    )
    record.write(Path(snakemake.output[0]))
