"""Intervals of zero-shot models and fitted baselines, and of their differences."""

from itertools import chain

import pandas as pd

from tabbench.names import GROUPS
from tabbench.predictions import read_cells
from tabbench.schemas import INTERVALS, MEAN_INTERVALS, PREDICTIONS, read_table, write_table
from tabbench.script import job
from tabbench.selection import shots_beside, zero_shot_and_fitted
from tabbench.statistics.comparisons import compare_methods, planned_comparisons

with job(snakemake.log[0]):
    models, baselines = snakemake.params.models, snakemake.params.baselines
    facts = pd.DataFrame.from_dict(
        snakemake.params.facts, orient="index", columns=["suite", "domain"]
    )
    groups = {name: facts.index[facts["suite"].isin(suites)] for name, suites in GROUPS.items()}
    asked = read_cells(snakemake.input.predictions, snakemake.params.shots)
    fitted = (read_table(path, PREDICTIONS) for path in snakemake.input.fitted)
    k = shots_beside(snakemake.params.fitted_shots)
    cells = [
        zero_shot_and_fitted(frame, models, baselines, snakemake.params.mode, k)
        for frame in chain(asked, fitted)
    ]
    intervals, means = compare_methods(
        pd.concat(cells), planned_comparisons(models, baselines), groups
    )
    intervals = intervals.merge(facts, left_on="dataset", right_index=True)
    write_table(intervals, snakemake.output.intervals, INTERVALS)
    write_table(means, snakemake.output.means, MEAN_INTERVALS)
