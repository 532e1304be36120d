"""Calibration of probabilities: Brier score, log loss, calibration error, reliability bins.

Bins are `BINS` of equal width over [0, 1], the upper end in the last one. The expected
calibration error is the mean over bins, weighted by rows, of |mean predicted probability -
observed rate|. On few rows it is far from 0 even for perfect probabilities, so results also give
the value that such probabilities would have.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import xlogy

from tabbench.core.arrays import Floats
from tabbench.core.cells import CELL_COLUMNS
from tabbench.core.contexts import RICHEST
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.calibration import CALIBRATION, RELIABILITY
from tabbench.scoring.metrics import score_cells

BINS = 10
JOINED_LATER = ("suite", "domain", "test_rows", "capped")
"""Columns of ``schemas.CALIBRATION`` that the caller joins; they belong to the dataset."""
_DRAWS = 1000
_POOLED = ["model", "mode", "k", "bin"]


def brier_score(y: npt.ArrayLike, p: npt.ArrayLike) -> float:
    """Return the mean squared difference of probability and label; NaN without rows.

    Parameters
    ----------
    y : (n,) array of 0 and 1
    p : (n,) array, probability of class 1

    Examples
    --------
    >>> brier_score([0, 1], [0.5, 1.0])
    0.125
    """
    labels, forecast = _checked(y, p)
    return float(np.mean((forecast - labels) ** 2)) if len(labels) else float("nan")


def base_rate_brier(y: npt.ArrayLike) -> float:
    """Return the Brier score of forecasting the rows' own share of class 1 for every row."""
    labels = np.asarray(y, dtype=np.float64)
    return float(labels.var()) if len(labels) else float("nan")


def log_loss(y: npt.ArrayLike, p: npt.ArrayLike) -> float:
    """Return the mean of -ln(probability of the true label), in nats.

    Infinite when a row's true label was given the probability 0: nothing is clipped.

    Examples
    --------
    >>> log_loss([0, 1], [1.0, 1.0])
    inf
    """
    labels, forecast = _checked(y, p)
    losses = -(xlogy(labels, forecast) + xlogy(1 - labels, 1 - forecast))
    return float(np.mean(losses)) + 0.0 if len(labels) else float("nan")


def bin_of(p: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return each probability's bin, 0 to `BINS` - 1; a lower edge belongs to its bin."""
    inner = np.linspace(0, 1, BINS + 1)[1:-1]
    return np.asarray(np.digitize(np.asarray(p, dtype=np.float64), inner), dtype=np.int64)


def calibration_error(y: npt.ArrayLike, p: npt.ArrayLike) -> float:
    """Return the expected calibration error; NaN without rows."""
    labels, forecast = _checked(y, p)
    return float(_errors(labels[None], forecast)[0]) if len(labels) else float("nan")


def calibration_error_if_right(p: npt.ArrayLike, seed: int = 0) -> float:
    """Return the mean calibration error if each probability were right, the effect of chance alone.

    Labels are drawn 1,000 times, row by row with the given probabilities.
    """
    forecast = np.asarray(p, dtype=np.float64)
    if not len(forecast):
        return float("nan")
    drawn = np.random.default_rng(seed).random((_DRAWS, len(forecast))) < forecast
    return float(_errors(drawn.astype(np.float64), forecast).mean())


def main_condition(predictions: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows asked with named columns and task description (Cols-Context)."""
    named = predictions["serialization"] == RICHEST.serialization
    return predictions[named & (predictions["prompt"] == RICHEST.prompt)]


def calibrate_cells(predictions: pd.DataFrame) -> pd.DataFrame:
    """Score the probabilities of every cell, over the rows whose status is ``ok``.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``

    Returns
    -------
    DataFrame
        One row per cell: the columns of ``schemas.CALIBRATION`` without `JOINED_LATER`.
    """
    cells = score_cells(predictions)
    by_cell = dict(list(_ok(predictions).groupby(CELL_COLUMNS, observed=True)))
    nothing = predictions.iloc[:0]
    rows = [
        _metrics(by_cell.get(cell, nothing))
        for cell in cells[CELL_COLUMNS].itertuples(index=False, name=None)
    ]
    cells = pd.concat([cells, pd.DataFrame(rows, index=cells.index)], axis=1)
    return cells[[name for name in CALIBRATION.names if name not in JOINED_LATER]]


def reliability(predictions: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Pool the valid answers of all datasets and draws into bins of predicted probability.

    Parameters
    ----------
    predictions : DataFrames with the columns of ``schemas.PREDICTIONS``

    Returns
    -------
    DataFrame with the columns of ``schemas.RELIABILITY``; bins without an answer have no row.
    """
    frame = pd.concat([_ok(part) for part in predictions], ignore_index=True)
    frame["bin"] = bin_of(frame["p_1"])
    frame["test_row"] = frame["dataset"] + "/" + frame["row_id"].astype(str)
    frame["n_datasets"] = frame.groupby(_POOLED[:-1])["dataset"].transform("nunique")
    bins = frame.groupby(_POOLED, observed=True, as_index=False).agg(
        mean_predicted=("p_1", "mean"),
        observed=("y_true", "mean"),
        n=("y_true", "size"),
        n_positive=("y_true", "sum"),
        n_rows=("test_row", "nunique"),
        n_datasets=("n_datasets", "first"),
    )
    return bins.assign(low=bins["bin"] / BINS, high=(bins["bin"] + 1) / BINS)[RELIABILITY.names]


def _metrics(answers: pd.DataFrame) -> dict[str, float]:
    y, p = answers["y_true"].to_numpy(np.float64), answers["p_1"].to_numpy(np.float64)
    return {
        "brier": brier_score(y, p),
        "brier_base_rate": base_rate_brier(y),
        "log_loss": log_loss(y, p),
        "calibration_error": calibration_error(y, p),
        "calibration_error_if_right": calibration_error_if_right(p),
    }


def _ok(predictions: pd.DataFrame) -> pd.DataFrame:
    return predictions[predictions["status"] == "ok"]


def _errors(labels: Floats, forecast: Floats) -> Floats:
    """Return the calibration error of each row of ``labels``, shape (draws, n)."""
    bins = bin_of(forecast)
    gaps = np.zeros((len(labels), BINS))
    for number in np.unique(bins):
        inside = bins == number
        gaps[:, number] = (forecast[inside] - labels[:, inside]).sum(axis=1)
    return np.asarray(np.abs(gaps).sum(axis=1) / len(forecast), dtype=np.float64)


def _checked(y: npt.ArrayLike, p: npt.ArrayLike) -> tuple[Floats, Floats]:
    labels, forecast = np.asarray(y, dtype=np.float64), np.asarray(p, dtype=np.float64)
    if labels.shape != forecast.shape or not np.isin(labels, (0, 1)).all():
        raise TabBenchError("calibration: give one label, 0 or 1, for each probability")
    if not ((forecast >= 0) & (forecast <= 1)).all():
        raise TabBenchError(
            "calibration: probabilities are between 0 and 1; leave out invalid ones"
        )
    return labels, forecast
