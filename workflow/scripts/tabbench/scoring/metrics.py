"""Metrics of a cell: plain and folded ROC-AUC, accuracy, invalid rate."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.core.arrays import Floats, divide
from tabbench.core.cells import CELL_COLUMNS
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.scores import SCORES
from tabbench.statistics.roc_auc import Integers, fold, grouped_auc

PROVENANCE = ["engine", "style", "dtype", "template"]
GUESS = 0.5
"""Probability of class 1 that an invalid answer counts as, where it counts at all."""
JOINED_LATER = ("suite", "domain", "test_rows", "capped")
"""Columns of SCORES that are not in a cell's predictions; the caller joins them."""


def accuracy(y: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Return the share of labels that are right; NaN when there are no rows."""
    right = np.asarray(y) == np.asarray(predicted)
    return float(right.mean()) if right.size else float("nan")


def score_frames(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Score the cells of several tables of predictions, one table in memory at a time.

    Raises
    ------
    TabBenchError
        As `score_cells`, and when a cell is in two of them.
    """
    scores = pd.concat(map(score_cells, frames), ignore_index=True)
    twice = scores.duplicated(CELL_COLUMNS).to_numpy()
    if twice.any():
        raise TabBenchError(
            f"{_title(scores, twice)}: predicted twice; the same predictions file was given more "
            "than once"
        )
    return scores


def score_cells(predictions: pd.DataFrame) -> pd.DataFrame:
    """Score every cell of a predictions table.

    ROC-AUC uses the rows whose status is ``ok``, and all of them in ``roc_auc_all_rows``, where a
    row without a probability has p_1 = 0.5: how much the answers left out matter. Accuracy also
    uses the rows with a label alone. Tokens, seconds and label mass use every row answered, as an
    invalid answer costs time and mass too.

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
    grouped = predictions.groupby(CELL_COLUMNS, sort=True, observed=True, dropna=False)
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

    rows = np.bincount(cell, minlength=count)
    scored = np.bincount(cell[ok], minlength=count)
    named = np.bincount(cell[labelled], minlength=count)
    right = np.bincount(cell, weights=labelled & (y_pred == y), minlength=count)
    errors = np.bincount(cell, weights=predictions["status"] == "error", minlength=count)
    long = np.bincount(cell[predictions["status"] == "too_long"], minlength=count)
    asked = (rows - long).astype(np.float64)
    bounded = np.bincount(cell, weights=ok & predictions["bounded"], minlength=count)
    auc = grouped_auc(cell[ok], y[ok], p_1[ok], count)
    means = grouped[["prompt_tokens", "completion_tokens", "seconds"]].mean()
    cells["n"] = rows
    cells["n_positive"] = np.bincount(cell, weights=y, minlength=count).astype(np.int64)
    cells["n_scored"] = scored
    cells["n_errors"] = errors.astype(np.int64)
    cells["n_too_long"] = long
    cells["invalid_rate"] = divide(asked - named, asked)
    cells["bounded_rate"] = divide(bounded.astype(np.float64), scored.astype(np.float64))
    cells["roc_auc"] = auc
    cells["roc_auc_all_rows"] = _all_rows(cell, y, np.where(ok, p_1, GUESS), named - scored)
    cells["roc_auc_folded"] = fold(auc)
    cells["accuracy"] = divide(right.astype(np.float64), named.astype(np.float64))
    cells["label_mass"] = grouped["label_mass"].median().to_numpy(np.float64)
    for name in means.columns:
        cells[name] = means[name].to_numpy(np.float64)
    return cells[[name for name in SCORES.names if name not in JOINED_LATER]]


def _all_rows(cell: Integers, y: Integers, p_1: Floats, label_only: Integers) -> Floats:
    """Return each cell's AUC over all rows; NaN where labels came without probabilities."""
    auc = grouped_auc(cell, y, p_1, len(label_only))
    return np.where(label_only > 0, np.nan, auc)


def _check_provenance(predictions: pd.DataFrame) -> None:
    kinds = predictions[CELL_COLUMNS + PROVENANCE].drop_duplicates()
    mixed = kinds.duplicated(CELL_COLUMNS, keep=False)
    if mixed.any():
        first = kinds[mixed].iloc[0]
        same = kinds[(kinds[CELL_COLUMNS] == first[CELL_COLUMNS]).all(axis=1)]
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
    first = frame.loc[mask, CELL_COLUMNS].iloc[0]
    return "cell " + ", ".join(f"{name}={first[name]}" for name in CELL_COLUMNS)
