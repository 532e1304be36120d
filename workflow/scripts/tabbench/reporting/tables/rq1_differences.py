"""RQ1's differences: every two zero-shot models, and each less every fitted baseline."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.baseline_names import reference_shots
from tabbench.core.suites import GROUPS
from tabbench.reporting.notes import foundation_notes
from tabbench.reporting.remarks import not_fitted
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import Table, interval, p_value, plus_minus
from tabbench.scoring.reference_baseline import strongest_baseline
from tabbench.scoring.select import zero_shot_and_fitted
from tabbench.statistics.multiplicity import LEVEL, holm


def differences(
    scores: pd.DataFrame,
    mean_intervals: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
) -> Table:
    """Make the table of differences: every two models, and each model less each baseline.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    mean_intervals : DataFrame with the columns of ``schemas.MEAN_INTERVALS``
    models, baselines : display name by id
    mode : generation or forward

    Returns
    -------
    Table
        ``rows`` hold all datasets, ``numbers`` the groups too; Holm's correction is over the
        pairs of a group.
    """
    names = {**models, **baselines}
    pairs = mean_intervals[mean_intervals["reference"] != ""].copy()
    pairs["p_holm"] = pairs.groupby("group")["p_two_sided"].transform(holm)
    shown = pairs[pairs["group"] == "All"]
    bold = {(number, 2) for number, p in enumerate(shown["p_holm"]) if p < LEVEL}
    rows = [(_title(pair, names), *_difference(pair, len(shown))) for pair in shown.itertuples()]
    level, resamples = shown["level"].iloc[0], shown["resamples"].iloc[0]
    in_suites = scores[scores["suite"].isin(GROUPS["All"])]
    shots = reference_shots(in_suites.loc[in_suites["mode"] == "fit", "k"])
    strongest = strongest_baseline(in_suites, baselines)
    there = set(in_suites.loc[in_suites["mode"] == "fit", "model"])
    fitted = {model: name for model, name in baselines.items() if model in there}
    used = zero_shot_and_fitted(in_suites, models, baselines, mode, shots)
    return Table(
        caption=f"Differences in ROC-AUC, zero-shot models and fitted baselines, {mode} mode",
        header=("Difference", "n", "Mean", f"{level:.0%} interval", "Stouffer", "Holm", "Left out"),
        rows=tuple(rows),
        numbers=pairs,
        notes=(
            "mean: over n datasets, of the difference on the test rows with a valid answer of "
            "both; draws of examples averaged; left out: datasets where a class has fewer than "
            "two such rows",
            f"{level:.0%} interval: percentiles of {resamples:,} paired resamples of each "
            "dataset's test rows; it covers sampling of the test rows, not of datasets",
            "Stouffer: DeLong's tests of the datasets combined, unweighted, two-sided; Holm: "
            f"corrected over the {len(shown)} differences of this table; bold: corrected p < "
            f"{LEVEL}",
            *_fewer_tests(shown),
            f"DeLong's p-values are too small where a class has few rows: {_smallest_class(used)}",
            *([f"the strongest fitted baseline is {strongest.title}"] if strongest else []),
            *filter(None, [not_fitted(in_suites, baselines)]),
            *foundation_notes(used, {**models, **fitted}, spread=None),
        ),
        bold=frozenset(bold),
    )


def _title(pair: Any, names: Mapping[str, str]) -> str:
    shots = f" ({shots_title(pair.reference_k)})" if pair.reference_k else ""
    return f"{names[pair.model]} − {names[pair.reference]}{shots}"


def _difference(pair: Any, tests: int) -> tuple[str, ...]:
    # Where p underflows Holm's does too; Bonferroni's bound then stands for it.
    return (
        str(pair.n_datasets),
        plus_minus(pair.mean, signed=True),
        interval(pair.low, pair.high, signed=True),
        p_value(pair.p_two_sided, pair.log10_p),
        p_value(pair.p_holm, pair.log10_p + math.log10(tests)),
        str(pair.n_left_out),
    )


def _fewer_tests(pairs: pd.DataFrame) -> tuple[str, ...]:
    count = int((pairs["n_datasets"] - pairs["n_tests"]).sum())
    note = (
        f"{count} of the datasets' tests are undefined, as a difference has no variance, and do "
        "not enter Stouffer's method"
    )
    return (note,) if count else ()


def _smallest_class(scores: pd.DataFrame) -> str:
    smaller = scores["n_positive"].clip(upper=scores["n"] - scores["n_positive"])
    place = int(smaller.to_numpy().argmin())
    return f"the smallest class has {smaller.iloc[place]} rows ({scores['dataset'].iloc[place]})"
