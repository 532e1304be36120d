"""The gain of k examples over none: DeLong per dataset, Stouffer over datasets."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from tabbench.core.schemas.gains import TESTS
from tabbench.statistics.combine import stouffer_z
from tabbench.statistics.curves import curves_by
from tabbench.statistics.delong import CurveTest, gain_test

JOINED_LATER = ("suite", "domain", "test_rows", "capped")
"""Columns of ``schemas.TESTS`` that the caller joins; they belong to the dataset."""

CONDITION = ["dataset", "model", "mode", "prompt", "serialization"]


def gains_over_zero_shot(predictions: pd.DataFrame) -> pd.DataFrame:
    """Test each k-shot ROC-AUC against zero-shot on the same test rows (Appendix D-B).

    The draws of examples are averaged: the mean AUC of the k-shot curves against the zero-shot
    curve, with the covariance of all of them. Only rows that are valid under every curve enter.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``

    Returns
    -------
    DataFrame
        One row per dataset, model, mode, prompt, serialization and k > 0, in that order: the
        columns of ``schemas.TESTS`` without `JOINED_LATER`. Conditions that were not run at
        k = 0 (fitted baselines) have no row.

    Raises
    ------
    TabBenchError
        When a test row has two labels or occurs twice in a cell.
    """
    names = [name for name in TESTS.names if name not in JOINED_LATER]
    rows = [
        dict(zip(CONDITION, condition, strict=True)) | row
        for condition, part in predictions.groupby(CONDITION, observed=True)
        for row in _gains(part, " / ".join(map(str, condition)))
    ]
    return pd.DataFrame(rows, columns=names)


def combine_gains(tests: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Combine the datasets' one-sided tests by unweighted Stouffer.

    Parameters
    ----------
    tests : DataFrame with the columns of ``schemas.TESTS``
    by : columns that make a condition, such as ``["model", "k"]``

    Returns
    -------
    DataFrame
        ``by``, then ``gain`` (mean difference over the datasets that enter), ``z``, ``p``
        (one-sided, small when examples help), ``log10_p``, ``n_datasets`` and ``n_left_out``
        (datasets whose test is undefined).
    """
    rows = []
    for key, part in tests.groupby(list(by), observed=True):
        # z is NaN where both curves are equal (no evidence, p = 1/2, z = 0) and where the test
        # is undefined (p NaN too); elsewhere z keeps both tails, which p does not.
        z = part["z"].fillna(pd.Series(norm.isf(part["p_greater"]), index=part.index))
        combined = stouffer_z(z.to_numpy())
        rows.append(
            dict(zip(by, key, strict=True))
            | {
                "gain": part["difference"][z.notna()].mean(),
                "z": combined.statistic,
                "p": combined.p,
                "log10_p": combined.log10_p,
                "n_datasets": combined.n,
                "n_left_out": combined.n_left_out,
            }
        )
    columns = [*by, "gain", "z", "p", "log10_p", "n_datasets", "n_left_out"]
    return pd.DataFrame(rows, columns=columns)


def _gains(part: pd.DataFrame, title: str) -> Iterator[dict[str, Any]]:
    """Yield one row per k > 0 of a condition."""
    shots = sorted(int(k) for k in part["k"].unique() if k > 0)
    if not shots or not (part["k"] == 0).any():
        return
    y, curves = curves_by(part, ["k", "seed"], title)
    zero = curves[0].to_numpy(np.float64).T
    for k in shots:
        shot = curves[k].to_numpy(np.float64).T
        usable = np.isfinite(zero).all(axis=0) & np.isfinite(shot).all(axis=0)
        test = gain_test(y[usable], zero[:, usable], shot[:, usable])
        yield {"k": k, "n": int(usable.sum()), "n_dropped": int((~usable).sum())} | _result(
            test, len(zero), len(shot)
        )


def _result(test: CurveTest, n_zero: int, n_seeds: int) -> dict[str, Any]:
    return {
        "n_seeds": n_seeds,
        "auc_zero_shot": float(test.aucs[:n_zero].mean()),
        "auc_k_shot": float(test.aucs[n_zero:].mean()),
        "difference": test.difference,
        "se": test.se,
        "z": test.z,
        "p_greater": test.p_greater,
        "p_two_sided": test.p_two_sided,
    }
