"""Intrinsic dimension of a table: the mean of four estimators (paper, Table XVI)."""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

NEIGHBOURS = 20
"""Nearest neighbours of each row that the local estimators look at (scikit-dimension's default)."""


@dataclass(frozen=True)
class IntrinsicDimension:
    """``mean`` is over all four estimators, and NaN when one of them fails: then
    ``failures`` says which and why. A mean of three would not be comparable.

    ``n_rows`` distinct complete rows entered; ``n_incomplete`` rows with a missing value and
    ``n_duplicates`` repeated ones were left out.
    """

    mean: float
    estimates: dict[str, float]
    failures: dict[str, str]
    n_rows: int
    n_incomplete: int
    n_duplicates: int


def intrinsic_dimension(features: npt.ArrayLike) -> IntrinsicDimension:
    """Estimate the intrinsic dimension by lPCA (Fukunaga-Olsen), MLE, TwoNN and TLE.

    The features enter as they are; the estimators go by Euclidean distances and variances, so
    columns of different units must be scaled before. Rows with a missing value are left out
    (any filled-in value would be a point that is not in the data), unless a column has no value
    at all: that column is left out instead. Repeated rows are left out, as distances of zero
    have no logarithm.

    Parameters
    ----------
    features : (n, d) array, without the label; NaN where a value is missing

    Returns
    -------
    IntrinsicDimension
    """
    # scikit-dimension compiles its loops and takes seconds to load.
    from skdim.id import MLE, TLE, TwoNN, lPCA

    x = np.asarray(features, dtype=np.float64)
    x = x[:, ~np.isnan(x).all(axis=0)]
    complete = x[~np.isnan(x).any(axis=1)]
    _, first = np.unique(complete, axis=0, return_index=True)
    rows = complete[np.sort(first)]
    estimates: dict[str, float] = {}
    failures: dict[str, str] = {}
    for estimator in (lPCA(ver="FO"), MLE(), TwoNN(), TLE()):
        name = type(estimator).__name__
        estimates[name] = math.nan
        if len(rows) <= NEIGHBOURS:
            failures[name] = f"{len(rows)} distinct complete rows; more than {NEIGHBOURS} needed"
            continue
        try:
            # Equal distances divide by zero in between; the result is checked.
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                value = float(estimator.fit(rows).dimension_)
        except (ValueError, ArithmeticError, IndexError) as error:
            failures[name] = str(error)
            continue
        if math.isfinite(value):
            estimates[name] = value
        else:
            failures[name] = f"the estimate is {value}"
    return IntrinsicDimension(
        mean=float(np.mean(list(estimates.values()))),
        estimates=estimates,
        failures=failures,
        n_rows=len(rows),
        n_incomplete=len(x) - len(complete),
        n_duplicates=len(complete) - len(rows),
    )


def intrinsic_row(features: pd.DataFrame) -> dict[str, Any]:
    """Return `intrinsic_dimension` as a row of ``schemas.INTRINSIC`` without dataset and level."""
    found = intrinsic_dimension(features)
    return found.estimates | {
        "features": features.shape[1],
        "mean": found.mean,
        "n_rows": found.n_rows,
        "n_left_out": found.n_incomplete + found.n_duplicates,
        "failures": "; ".join(f"{name}: {why}" for name, why in found.failures.items()),
    }
