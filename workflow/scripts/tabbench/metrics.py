"""Metrics of a cell: plain ROC-AUC by midranks, its folded form, accuracy, invalid rate."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.errors import TabBenchError
from tabbench.schemas import SCORES

CELL = ["dataset", "model", "mode", "prompt", "serialization", "k", "seed"]
PROVENANCE = ["engine", "style", "dtype", "template"]
JOINED_LATER = ("suite", "domain", "test_rows", "capped")
"""Columns of SCORES that a cell's predictions do not know; the caller joins them."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer[Any]]


def roc_auc(y: npt.ArrayLike, score: npt.ArrayLike) -> float:
    """Return the plain area under the ROC curve; tied pairs count one half.

    Parameters
    ----------
    y : (n,) array of 0 and 1
    score : (n,) array of finite numbers, larger for class 1

    Returns
    -------
    float
        In [0, 1]; NaN when a class is missing or there are no rows.

    Examples
    --------
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    labels = np.asarray(y, dtype=np.int64)
    return float(_grouped_auc(np.zeros(len(labels), np.int64), labels, score, 1)[0])


def fold(auc: npt.ArrayLike) -> Floats:
    """Return max(AUC, 1 - AUC), what the paper's released code calls ROC-AUC.

    Random scores average above 0.5 in this form, so it is only for comparison with the paper.
    """
    auc = np.asarray(auc, dtype=np.float64)
    return np.asarray(np.maximum(auc, 1.0 - auc), dtype=np.float64)


def accuracy(y: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Return the share of labels that are right; NaN when there are no rows."""
    right = np.asarray(y) == np.asarray(predicted)
    return float(right.mean()) if right.size else float("nan")


def score_cells(predictions: pd.DataFrame) -> pd.DataFrame:
    """Score every cell of a predictions table.

    ROC-AUC uses the rows whose status is ``ok``; accuracy also those with a label alone. Tokens,
    seconds and label mass use every row answered, as an invalid answer costs time and mass too.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``

    Returns
    -------
    DataFrame
        One row per cell, sorted by cell: the columns of ``schemas.SCORES`` without suite,
        domain, test_rows and capped.

    Raises
    ------
    TabBenchError
        When a cell mixes engines, styles, dtypes or templates, holds a row twice, or has an
        ``ok`` row without probability or predicted label.
    """
    _check_provenance(predictions)
    grouped = predictions.groupby(CELL, sort=True, observed=True, dropna=False)
    cell = grouped.ngroup().to_numpy(np.int64)
    cells = grouped[PROVENANCE].first().reset_index()
    count = len(cells)
    _check_unique(predictions, cell)

    y = predictions["y_true"].to_numpy(np.int64)
    ok = (predictions["status"] == "ok").to_numpy(bool)
    p_1 = predictions["p_1"].to_numpy(np.float64, na_value=np.nan)
    y_pred = predictions["y_pred"].astype("Float64").to_numpy(np.float64, na_value=np.nan)
    labelled = ok | (predictions["status"] == "label_only").to_numpy(bool)
    undefined = labelled & ~np.isfinite(np.where(ok, p_1 + y_pred, y_pred))
    if undefined.any():
        raise TabBenchError(
            f"{_title(predictions, undefined)}: {int(undefined.sum())} answers have status 'ok' "
            "but no probability or no predicted label; mark them invalid when parsing"
        )

    asked = np.bincount(cell, minlength=count)
    scored = np.bincount(cell[ok], minlength=count)
    named = np.bincount(cell[labelled], minlength=count)
    right = np.bincount(cell, weights=labelled & (y_pred == y), minlength=count)
    errors = np.bincount(cell, weights=predictions["status"] == "error", minlength=count)
    bounded = np.bincount(cell, weights=ok & predictions["bounded"], minlength=count)
    auc = _grouped_auc(cell[ok], y[ok], p_1[ok], count)
    means = grouped[["prompt_tokens", "completion_tokens", "seconds"]].mean()
    cells["n"] = asked
    cells["n_positive"] = np.bincount(cell, weights=y, minlength=count).astype(np.int64)
    cells["n_scored"] = scored
    cells["n_errors"] = errors.astype(np.int64)
    cells["invalid_rate"] = (asked - named) / asked
    cells["bounded_rate"] = _divide(bounded.astype(np.float64), scored.astype(np.float64))
    cells["roc_auc"] = auc
    cells["roc_auc_folded"] = fold(auc)
    cells["accuracy"] = _divide(right.astype(np.float64), named.astype(np.float64))
    cells["label_mass"] = grouped["label_mass"].median().to_numpy(np.float64)
    for name in means.columns:
        cells[name] = means[name].to_numpy(np.float64)
    return cells[[name for name in SCORES.names if name not in JOINED_LATER]]


def _grouped_auc(group: Integers, y: Integers, score: npt.ArrayLike, count: int) -> Floats:
    """Return the AUC of each of ``count`` groups in one sort of all rows."""
    scores = np.asarray(score, dtype=np.float64)
    rows = np.bincount(group, minlength=count)
    positives = np.bincount(group, weights=y, minlength=count)
    if len(group) == 0:
        return np.full(count, np.nan)
    order = np.lexsort((scores, group))
    group, y, scores = group[order], y[order], scores[order]
    new_run = np.r_[True, (np.diff(group) != 0) | (np.diff(scores) != 0)]
    starts = np.flatnonzero(new_run)
    ends = np.r_[starts[1:], len(group)]
    midrank = ((starts + ends + 1) / 2)[np.cumsum(new_run) - 1]
    midrank -= (np.cumsum(rows) - rows)[group]
    rank_sum = np.bincount(group, weights=midrank * y, minlength=count)
    return _divide(rank_sum - positives * (positives + 1) / 2, positives * (rows - positives))


def _divide(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; NaN where the denominator is 0."""
    out = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator > 0)
    return out


def _check_provenance(predictions: pd.DataFrame) -> None:
    kinds = predictions[CELL + PROVENANCE].drop_duplicates()
    mixed = kinds.duplicated(CELL, keep=False)
    if mixed.any():
        first = kinds[mixed].iloc[0]
        same = kinds[(kinds[CELL] == first[CELL]).all(axis=1)]
        what = "; ".join(
            f"{name}: {', '.join(map(str, same[name].unique()))}"
            for name in PROVENANCE
            if len(same[name].unique()) > 1
        )
        raise TabBenchError(
            f"{_title(kinds, mixed.to_numpy())}: answers from different set-ups in one cell "
            f"({what}); delete the older predictions of this cell and predict again"
        )


def _check_unique(predictions: pd.DataFrame, cell: Integers) -> None:
    keys = pd.DataFrame({"cell": cell, "row": predictions["row_id"].to_numpy()})
    twice = keys.duplicated().to_numpy()
    if twice.any():
        raise TabBenchError(
            f"{_title(predictions, twice)}: {int(twice.sum())} test rows occur twice in a cell; "
            "the same predictions file was given more than once"
        )


def _title(frame: pd.DataFrame, mask: npt.NDArray[np.bool_]) -> str:
    """Name the first marked row's cell."""
    first = frame.loc[mask, CELL].iloc[0]
    return "cell " + ", ".join(f"{name}={first[name]}" for name in CELL)
