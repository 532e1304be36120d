"""Place real datasets on the scale of the complexity grid."""

from pathlib import Path

import pandas as pd

from tabbench.complexity.placement import first_fitted, place_datasets
from tabbench.core.draws import of_test_rows
from tabbench.core.frames import read_table, read_tables, write_table
from tabbench.core.job import job
from tabbench.core.schemas.dimension import DIMENSION
from tabbench.core.schemas.intrinsic import INTRINSIC
from tabbench.core.schemas.placement import COMPLEXITY_SCALE, PLACEMENT
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.split import SPLIT
from tabbench.data.dataset_metadata import with_metadata

with job(snakemake.log[0]):
    k = snakemake.params.shots
    predicted = (read_table(path, PREDICTIONS) for path in snakemake.input.predictions)
    fitted = pd.concat(
        [frame[(frame["k"] == k) & (frame["mode"] == "fit")] for frame in predicted],
        ignore_index=True,
    )
    splits = {Path(path).parent.name: read_table(path, SPLIT) for path in snakemake.input.splits}
    fitted = of_test_rows(fitted, splits)
    model = first_fitted(fitted, snakemake.params.models)
    placement, scale = place_datasets(
        fitted[fitted["model"] == model],
        read_table(snakemake.input.intrinsic, INTRINSIC),
        read_tables(snakemake.input.dimensions, DIMENSION),
        model=model,
        k=k,
    )
    placement = with_metadata(placement, snakemake.params.metadata, snakemake.input.splits)
    write_table(placement, snakemake.output.placement, PLACEMENT)
    write_table(scale, snakemake.output.scale, COMPLEXITY_SCALE)
