"""RQ7, beyond the paper: calibration of the probabilities of both modes."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.suites import GROUPS
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import DASH, Table, plus_minus
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.select import select_main

MODES = ("generation", "forward")
_KEY = ["model", "k", "mode"]
METRICS = {
    "roc_auc": "ROC-AUC",
    "brier": "Brier",
    "brier_base_rate": "Brier of the base rate",
    "log_loss": "Log loss (nats)",
    "calibration_error": "ECE",
    "calibration_error_if_right": "ECE if right",
}
"""Columns of ``schemas.CALIBRATION`` that the table shows."""
_REFERENCES = ("brier_base_rate", "calibration_error_if_right")

_NOTES = (
    "every mode is scored on its own valid answers; invalid: share of all answers that are not "
    "valid",
    "Brier: mean squared difference of the probability of class 1 and the label, lower is better; "
    "Brier of the base rate: Brier score of a constant forecast, the share of class 1 among the "
    "scored rows",
    "ECE: expected calibration error, mean over 10 bins of equal width, weighted by rows, of the "
    "distance between mean predicted probability and observed rate, per dataset and draw; ECE if "
    "right: the value on the same rows if every probability were right (1,000 draws of labels), "
    "which is the effect of having few rows",
    "log loss: natural logarithm, no clipping; ∞ where a true label got the probability 0; "
    "forecasting 0.5 throughout gives 0.693",
    "bold: Brier below that of the base rate",
)


def calibration(calibration: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of calibration: a row per model, k and mode.

    Both modes of a model and k cover the same datasets (classic and new suites).

    Parameters
    ----------
    calibration : DataFrame with the columns of ``schemas.CALIBRATION``
    models : display name by id, in the order of the rows

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    used = select_main(
        calibration,
        models=models,
        suites=GROUPS["All"],
        modes=MODES,
    )
    parts = [_over_datasets(used, metric).assign(metric=metric) for metric in METRICS]
    numbers = pd.concat(parts, ignore_index=True)
    first = numbers[numbers["metric"] == "brier"]
    means = numbers.pivot(index=_KEY, columns="metric", values="mean")  # noqa: PD010
    spreads = numbers.pivot(index=_KEY, columns="metric", values="std")  # noqa: PD010
    foundations = first.set_index(_KEY)
    rows: list[tuple[str, ...]] = []
    bold = set()
    for model, name in models.items():
        found = [key for key in means.index if key[0] == model]
        for key in sorted(found, key=lambda key: (key[1], MODES.index(key[2]))):
            mean, spread = means.loc[key], spreads.loc[key]
            if mean["brier"] < mean["brier_base_rate"]:
                bold.add((len(rows), 5 + list(METRICS).index("brier")))
            n, invalid = foundations["n_datasets"][key], foundations["invalid_rate"][key]
            rate = DASH if np.isnan(invalid) else f"{invalid:.1%}"
            title = (name, shots_title(key[1]), key[2], str(n), rate)
            rows.append((*title, *(_text(metric, mean, spread) for metric in METRICS)))
        if not found:
            rows.append((name, *[DASH] * (4 + len(METRICS))))
    return Table(
        caption="Calibration of forward scoring and generation, classic and new suites",
        header=("Model", "Shots", "Mode", "n", "Invalid", *METRICS.values()),
        rows=tuple(rows),
        numbers=numbers[["metric", *(name for name in numbers.columns if name != "metric")]],
        notes=(
            *_NOTES,
            dataset_note(
                first,
                lambda cell: f"{models[cell.model]} {shots_title(cell.k)} {cell.mode}",
                unit="row",
            ),
            *_left_out(used, numbers, models),
            *foundation_notes(used, models),
        ),
        bold=frozenset(bold),
    )


def _over_datasets(used: pd.DataFrame, metric: str) -> pd.DataFrame:
    with np.errstate(invalid="ignore"):  # an infinite log loss has no spread
        datasets = paired(over_seeds(used, metric), across=["mode"], within=["model", "k"])
        return over_datasets(datasets, _KEY)


def _left_out(
    used: pd.DataFrame, numbers: pd.DataFrame, models: Mapping[str, str]
) -> Iterator[str]:
    """Name the datasets that a row lacks because a mode has no valid answer or no ROC-AUC."""
    first: Any
    firsts = numbers.drop_duplicates(["metric", *_KEY[:2]])
    for first in firsts[firsts["metric"].isin(["brier", "roc_auc"])].itertuples():
        asked = used[(used["model"] == first.model) & (used["k"] == first.k)]
        absent = sorted(set(asked["dataset"]) - set(first.datasets.split("; ")))
        if absent:
            title = f"{models[first.model]} {shots_title(first.k)}"
            why = "a mode has no valid answer" if first.metric == "brier" else "undefined in a mode"
            yield f"left out of {METRICS[first.metric]}, {title}: {', '.join(absent)} ({why})"


def _text(metric: str, mean: Any, spread: Any) -> str:
    if np.isinf(mean[metric]):
        return "∞"
    return plus_minus(mean[metric], math.nan if metric in _REFERENCES else spread[metric])
