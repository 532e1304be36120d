"""Place real datasets on the scale of the complexity grid."""

from pathlib import Path

import pandas as pd

from tabbench.facts import dataset_facts
from tabbench.placement import first_fitted, place_datasets
from tabbench.schemas import (
    COMPLEXITY_SCALE,
    DIMENSION,
    INTRINSIC,
    PLACEMENT,
    PREDICTIONS,
    SPLIT,
    read_table,
    read_tables,
    write_table,
)
from tabbench.script import job

with job(snakemake.log[0]):
    k = snakemake.params.shots
    predicted = (read_table(path, PREDICTIONS) for path in snakemake.input.predictions)
    fitted = pd.concat([frame[frame["k"] == k] for frame in predicted], ignore_index=True)
    model = first_fitted(fitted, snakemake.params.models)
    placement, scale = place_datasets(
        fitted[fitted["model"] == model],
        read_table(snakemake.input.intrinsic, INTRINSIC),
        read_tables(snakemake.input.dimensions, DIMENSION),
        model=model,
        k=k,
    )
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    facts = dataset_facts(snakemake.params.facts, splits)
    placement = placement.merge(facts, left_on="dataset", right_index=True)
    write_table(placement, snakemake.output.placement, PLACEMENT)
    write_table(scale, snakemake.output.scale, COMPLEXITY_SCALE)
