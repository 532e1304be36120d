"""Means and ± of scores computed another way than the package does: loops over plain rows."""

import math
import statistics
from collections.abc import Collection
from typing import Any

import pandas as pd

Row = dict[str, Any]

CONFIGURATIONS = {
    "NoCols-NoContext": {"prompt": "context_free", "serialization": "feat_val_mask"},
    "Cols-NoContext": {"prompt": "context_free", "serialization": "feat_val"},
    "NoCols-Context": {"prompt": "contextual", "serialization": "feat_val_mask"},
    "Cols-Context": {"prompt": "contextual", "serialization": "feat_val"},
}


def rows_of(scores: pd.DataFrame, **wanted: object) -> list[Row]:
    """Return the rows with these values."""
    for name, value in wanted.items():
        scores = scores[scores[name] == value]
    rows: list[Row] = scores.to_dict("records")
    return rows


def main(scores: pd.DataFrame, model: str, **wanted: object) -> list[Row]:
    """Return a model's rows with named columns and task text, in generation mode if not told."""
    asked = {"mode": "generation", "prompt": "contextual", "serialization": "feat_val"}
    return rows_of(scores, model=model, **(asked | wanted))


def datasets(rows: list[Row]) -> set[str]:
    return {row["dataset"] for row in rows}


def by_dataset(rows: list[Row], metric: str = "roc_auc") -> dict[str, list[float]]:
    """Return each dataset's values, one per seed."""
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["dataset"], []).append(row[metric])
    return found


def mean(rows: list[Row], among: Collection[str] | None = None, metric: str = "roc_auc") -> float:
    """Return the mean over datasets of their means over seeds."""
    values = by_dataset(rows, metric)
    kept = [statistics.fmean(values[name]) for name in values if among is None or name in among]
    return statistics.fmean(kept)


def spread(rows: list[Row], among: Collection[str] | None = None) -> float:
    """Return the root mean square of the datasets' standard deviations; NaN where none has any."""
    values = by_dataset(rows)
    kept = [values[name] for name in values if among is None or name in among]
    squares = [statistics.variance(one) for one in kept if len(one) > 1]
    return math.sqrt(statistics.fmean(squares)) if squares else math.nan


def text(value: float, spread: float = math.nan, signed: bool = False) -> str:
    """Return a value as tables print it."""
    sign = "+" if signed else ""
    shown = f"{value:{sign}.3f}".replace("-", "−")
    return shown if math.isnan(spread) else f"{shown} ± {spread:.3f}"
