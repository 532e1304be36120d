"""Methods on the same test rows: each ROC-AUC, each difference, and their means over datasets.

A method is a language model or a fitted baseline, with one curve per draw of examples; its AUC is
the mean over the draws. A comparison uses the test rows that are valid under all curves of both
sides. Intervals come from a paired bootstrap of test rows, p-values from DeLong's test; over
datasets, resampled means are averaged (datasets are independent) and z-scores combined by
Stouffer. None of it speaks of the draw of datasets.
"""

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.intervals import INTERVALS, MEAN_INTERVALS
from tabbench.statistics.bootstrap import resampled_aucs
from tabbench.statistics.combine import stouffer_z, two_sided
from tabbench.statistics.delong import contrast_test

JOINED_LATER = ("suite", "domain")
"""Columns of ``schemas.INTERVALS`` that the caller joins; they belong to the dataset."""

NO_REFERENCE = ""


@dataclass(frozen=True)
class Comparison:
    """``model``'s AUC, less that of ``reference`` unless that is `NO_REFERENCE`."""

    model: str
    reference: str = NO_REFERENCE

    @property
    def methods(self) -> tuple[str, ...]:
        return (self.model, self.reference) if self.reference else (self.model,)


def planned_comparisons(models: Sequence[str], baselines: Sequence[str]) -> list[Comparison]:
    """Return every model's AUC, every two models, and every model with every baseline."""
    alone = [Comparison(model) for model in models]
    pairs = [*combinations(models, 2), *product(models, baselines)]
    return alone + [Comparison(*pair) for pair in pairs]


def compare_methods(
    predictions: pd.DataFrame,
    comparisons: Sequence[Comparison],
    groups: Mapping[str, Collection[str]],
    *,
    level: float = 0.95,
    resamples: int = 2000,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare methods within each dataset, and over the datasets of each group.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``, one condition per model
        (the draws of examples apart)
    comparisons : those that a dataset has no predictions for are left out there
    groups : dataset ids by name of group
    level : coverage of the intervals
    resamples : of each dataset's test rows; the draws depend on the dataset's id alone

    Returns
    -------
    intervals : DataFrame
        The columns of ``schemas.INTERVALS`` without `JOINED_LATER`; one row per dataset and
        comparison.
    means : DataFrame
        The columns of ``schemas.MEAN_INTERVALS``; one row per group and comparison, as far as
        the group has datasets with it.

    Raises
    ------
    TabBenchError
        When a model has several conditions, or a test row two labels.
    """
    shots = _shots(predictions)
    tails = [(1 - level) / 2, (1 + level) / 2]
    settings = {"level": level, "resamples": resamples}
    rows: list[dict[str, Any]] = []
    drawn: dict[tuple[str, Comparison], Floats] = {}
    for dataset, part in predictions.groupby("dataset", observed=True):
        for comparison, row, draws in _within(str(dataset), part, comparisons, resamples):
            low, high = [float("nan")] * 2
            if draws is not None:
                drawn[str(dataset), comparison] = draws
                low, high = np.quantile(draws, tails).tolist()
            shown = _named(comparison, shots) | {"low": low, "high": high} | settings
            rows.append({"dataset": dataset} | shown | row)
    names = [name for name in INTERVALS.names if name not in JOINED_LATER]
    intervals = pd.DataFrame(rows, columns=names)

    means = []
    for (group, members), comparison in product(groups.items(), comparisons):
        here = intervals[
            (intervals["model"] == comparison.model)
            & (intervals["reference"] == comparison.reference)
            & intervals["dataset"].isin(list(members))
        ]
        if len(here):
            found = {name: drawn.get((name, comparison)) for name in here["dataset"]}
            mean = _over_datasets(here, found, tails)
            means.append({"group": group} | _named(comparison, shots) | mean | settings)
    return intervals, pd.DataFrame(means, columns=MEAN_INTERVALS.names)


def _over_datasets(
    here: pd.DataFrame, draws: Mapping[str, Floats | None], tails: Sequence[float]
) -> dict[str, Any]:
    """Average one comparison's estimates over datasets, with its interval and combined test."""
    kept = [values for values in draws.values() if values is not None]
    low, high = [float("nan")] * 2
    if kept:
        low, high = np.quantile(np.mean(kept, axis=0), tails).tolist()
    defined = [draws[name] is not None for name in here["dataset"]]
    combined = two_sided(stouffer_z(here["z"].to_numpy()))
    return {
        "mean": here.loc[defined, "estimate"].mean(),
        "low": low,
        "high": high,
        "n_datasets": len(kept),
        "n_left_out": len(here) - len(kept),
        "n_tests": combined.n,
        "z": combined.statistic,
        "p_two_sided": combined.p,
        "log10_p": combined.log10_p,
    }


def _within(
    dataset: str, part: pd.DataFrame, comparisons: Sequence[Comparison], resamples: int
) -> list[tuple[Comparison, dict[str, Any], Floats | None]]:
    """Make the comparisons of one dataset, each with its resampled values where they exist."""
    y, curves = _curves(part, dataset)
    valid = {method: np.isfinite(stack).all(axis=0) for method, stack in curves.items()}
    # Comparisons that use the same rows share the resamples of each method.
    by_rows: dict[bytes, list[Comparison]] = {}
    for comparison in comparisons:
        if set(comparison.methods) <= set(curves):
            usable = np.logical_and.reduce([valid[method] for method in comparison.methods])
            by_rows.setdefault(usable.tobytes(), []).append(comparison)
    made = []
    seed = zlib.crc32(dataset.encode())
    for key, same in by_rows.items():
        usable = np.frombuffer(key, dtype=np.bool_)
        labels = y[usable]
        positives = int(labels.sum())
        counts = {
            "n": len(labels),
            "n_positive": positives,
            "n_dropped": int((~usable).sum()),
        }
        methods = dict.fromkeys(method for one in same for method in one.methods)
        stacks = {method: curves[method][:, usable] for method in methods}
        draws: dict[str, Floats] = {}
        if min(positives, len(labels) - positives) > 1:
            aucs = resampled_aucs(
                labels, np.vstack(list(stacks.values())), resamples=resamples, seed=seed
            )
            ends = np.cumsum([len(stack) for stack in stacks.values()])
            parts = np.split(aucs, ends[:-1], axis=1)
            draws = {
                method: values.mean(axis=1) for method, values in zip(stacks, parts, strict=True)
            }
        for one in same:
            values = None
            if draws:
                values = draws[one.model] - (draws[one.reference] if one.reference else 0.0)
            made.append((one, counts | _tested(labels, one, stacks), values))
    order = {comparison: place for place, comparison in enumerate(comparisons)}
    return sorted(made, key=lambda item: order[item[0]])


def _tested(
    y: npt.NDArray[np.int64], comparison: Comparison, stacks: Mapping[str, Floats]
) -> dict[str, float]:
    """Return estimate and DeLong's standard error, and with a reference its test."""
    sides = [stacks[method] for method in comparison.methods]
    weights = [
        np.full(len(side), sign / len(side)) for side, sign in zip(sides, (1, -1), strict=False)
    ]
    test = contrast_test(y, np.vstack(sides), np.concatenate(weights))
    z, p = test.z, test.p_two_sided
    if not comparison.reference:
        z = p = float("nan")
    elif p == 1.0:  # both rank alike: no evidence either way
        z = 0.0
    return {"estimate": test.difference, "se": test.se, "z": z, "p_two_sided": p}


def _curves(part: pd.DataFrame, dataset: str) -> tuple[npt.NDArray[np.int64], dict[str, Floats]]:
    """Return the labels, and of each method an array (draws, rows); NaN marks invalid answers."""
    labels = part.groupby("row_id")["y_true"].agg(["min", "max"])
    if (labels["min"] != labels["max"]).any():
        raise TabBenchError(
            f"dataset '{dataset}': test rows change their label between models; predict again"
        )
    if part.duplicated(["model", "seed", "row_id"]).any():
        raise TabBenchError(f"dataset '{dataset}': test rows occur twice in a cell; predict again")
    valid = part.assign(p_1=part["p_1"].where(part["status"] == "ok"))
    # pivot_table would drop a curve without any valid answer, and so hide it.
    wide = valid.pivot(index="row_id", columns=["model", "seed"], values="p_1")  # noqa: PD010
    y = labels["min"].reindex(wide.index).to_numpy(np.int64)
    methods = dict.fromkeys(wide.columns.get_level_values("model"))
    return y, {str(method): wide[method].to_numpy(np.float64).T for method in methods}


def _shots(predictions: pd.DataFrame) -> dict[str, int]:
    """Return each method's k, and check that it has one condition."""
    condition = ["model", "mode", "prompt", "serialization", "k"]
    conditions = predictions[condition].drop_duplicates()
    for model, count in conditions["model"].value_counts().items():
        if count > 1:
            raise TabBenchError(f"'{model}' has {count} conditions to compare; choose one")
    return dict(zip(conditions["model"], conditions["k"].astype(int), strict=True))


def _named(comparison: Comparison, shots: Mapping[str, int]) -> dict[str, Any]:
    return {
        "model": comparison.model,
        "k": shots[comparison.model],
        "reference": comparison.reference,
        "reference_k": shots[comparison.reference] if comparison.reference else 0,
    }
