"""Intervals of zero-shot models and fitted baselines, and of their differences."""

from itertools import chain

import pandas as pd

from tabbench.core.baseline_names import reference_shots
from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.intervals import INTERVALS, MEAN_INTERVALS
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.suites import GROUPS
from tabbench.data.dataset_metadata import with_metadata
from tabbench.scoring.predictions import read_cells
from tabbench.scoring.select import zero_shot_and_fitted
from tabbench.statistics.comparisons import compare_methods, planned_comparisons

with job(snakemake.log[0]):
    models, baselines = snakemake.params.models, snakemake.params.baselines
    groups = {
        group: [name for name, (suite, _) in snakemake.params.metadata.items() if suite in suites]
        for group, suites in GROUPS.items()
    }
    asked = read_cells(snakemake.input.predictions, snakemake.params.shots)
    fitted = (read_table(path, PREDICTIONS) for path in snakemake.input.fitted)
    k = reference_shots(snakemake.params.fitted_shots)
    cells = [
        zero_shot_and_fitted(frame, models, baselines, snakemake.params.mode, k)
        for frame in chain(asked, fitted)
    ]
    intervals, means = compare_methods(
        pd.concat(cells), planned_comparisons(models, baselines), groups
    )
    intervals = with_metadata(intervals, snakemake.params.metadata)
    write_table(intervals, snakemake.output.intervals, INTERVALS)
    write_table(means, snakemake.output.means, MEAN_INTERVALS)
