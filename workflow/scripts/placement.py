"""Place the real datasets on the scale of the complexity grid."""

import pandas as pd

from tabbench.placement import place_datasets
from tabbench.schemas import (
    COMPLEXITY_SCALE,
    DIMENSION,
    INTRINSIC,
    PLACEMENT,
    PREDICTIONS,
    read_table,
    write_table,
)
from tabbench.script import job

with job(snakemake.log[0]):
    model, k = snakemake.params.model, snakemake.params.shots
    fitted = [
        frame[(frame["model"] == model) & (frame["k"] == k)]
        for frame in (read_table(path, PREDICTIONS) for path in snakemake.input.predictions)
    ]
    placement, scale = place_datasets(
        pd.concat(fitted, ignore_index=True),
        read_table(snakemake.input.intrinsic, INTRINSIC),
        read_table(snakemake.input.dimension, DIMENSION),
        model=model,
        k=k,
    )
    write_table(placement, snakemake.output.placement, PLACEMENT)
    write_table(scale, snakemake.output.scale, COMPLEXITY_SCALE)
