"""RQ4's planned contrast: little context and many examples against much context and few."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from tabbench.core.contexts import POOREST, RICHEST, with_configuration
from tabbench.core.schemas.contrasts import CONTRASTS
from tabbench.statistics.combine import stouffer_z
from tabbench.statistics.curves import curves_by
from tabbench.statistics.delong import gain_test
from tabbench.statistics.multiplicity import holm

JOINED_LATER = ("suite", "domain", "test_rows", "capped")
"""Columns of ``schemas.CONTRASTS`` that the caller joins; they belong to the dataset."""

PLANNED, EQUAL = "planned", "equal_k"
LEVEL = 0.95
_CURVE = ["configuration", "k", "seed"]
_CONTRAST = ["contrast", "k_maximal", "k_minimal"]
_MEANS = ["auc_maximal", "auc_minimal", "difference"]


def context_contrasts(
    predictions: pd.DataFrame, fewest: int | None, most: int | None
) -> pd.DataFrame:
    """Test the maximal context against the minimal one on the same test rows, per dataset.

    The planned contrast sets the maximal context (Cols-Context) with ``fewest`` examples
    against the minimal one (NoCols-NoContext) with ``most``. In addition both contexts are compared
    at each equal k. Draws of examples are averaged on both sides. Only rows that are valid under
    every curve of a contrast enter it.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``
    fewest, most : examples of the planned contrast; None where it is not asked

    Returns
    -------
    DataFrame
        One row per dataset, model, mode and contrast whose two sides were both asked: the
        columns of ``schemas.CONTRASTS`` without `JOINED_LATER`. ``difference`` is the AUC of
        the maximal context less that of the minimal one.

    Raises
    ------
    TabBenchError
        When a test row has two labels or occurs twice in a cell.
    """
    ends = with_configuration(predictions)
    ends = ends[ends["configuration"].isin([POOREST.name, RICHEST.name])]
    rows = []
    for key, part in ends.groupby(["dataset", "model", "mode"], observed=True):
        condition = dict(zip(["dataset", "model", "mode"], key, strict=True))
        rows += [
            condition | row for row in _contrasts(part, fewest, most, " / ".join(map(str, key)))
        ]
    return pd.DataFrame(rows, columns=[n for n in CONTRASTS.names if n not in JOINED_LATER])


def combine_contrasts(contrasts: pd.DataFrame, by: Sequence[str] = ("model",)) -> pd.DataFrame:
    """Combine the datasets of each contrast: mean difference, interval and two-sided test.

    The datasets' z are combined by unweighted Stouffer. The interval of the mean difference is
    normal with DeLong's standard errors, the datasets taken as independent: it covers sampling of
    the test rows only, not of the examples. p-values are corrected by Holm within two families: the
    planned contrasts of all ``by``, and all comparisons at equal k.

    Parameters
    ----------
    contrasts : DataFrame with the columns of ``schemas.CONTRASTS``
    by : columns that tell the combined tests apart, besides the contrast

    Returns
    -------
    DataFrame
        ``by``, ``contrast``, ``k_maximal``, ``k_minimal``; then ``auc_maximal``,
        ``auc_minimal``, ``difference`` (means over the datasets that enter), ``low``, ``high``,
        ``z``, ``p`` (two-sided), ``log10_p``, ``p_holm``, ``n_datasets``, ``datasets`` (names,
        "; "), ``n_left_out`` (datasets whose test is undefined), ``n_dropped`` (test rows).
    """
    keys = [*by, *_CONTRAST]
    rows = [
        dict(zip(keys, key, strict=True)) | _combined(part)
        for key, part in contrasts.groupby(keys, observed=True)
    ]
    values = [*_MEANS, "low", "high", "z", "p", "log10_p", "p_holm"]
    columns = [*keys, *values, "n_datasets", "datasets", "n_left_out", "n_dropped"]
    result = pd.DataFrame(rows, columns=columns)
    result["p_holm"] = result.groupby("contrast")["p"].transform(holm)
    return result[columns]


def _contrasts(
    part: pd.DataFrame, fewest: int | None, most: int | None, title: str
) -> Iterator[dict[str, Any]]:
    y, curves = curves_by(part, _CURVE, title)
    asked_sides = set(part[["configuration", "k"]].itertuples(index=False, name=None))
    asked = [(EQUAL, k, k) for k in sorted(part["k"].unique())]
    if fewest is not None and most is not None:
        asked.insert(0, (PLANNED, fewest, most))
    for contrast, k_maximal, k_minimal in asked:
        sides = (RICHEST.name, k_maximal), (POOREST.name, k_minimal)
        if not asked_sides.issuperset(sides):
            continue
        maximal, minimal = (curves[side].to_numpy(np.float64).T for side in sides)
        usable = np.isfinite(maximal).all(axis=0) & np.isfinite(minimal).all(axis=0)
        test = gain_test(y[usable], minimal[:, usable], maximal[:, usable])
        yield {
            "contrast": contrast,
            "k_maximal": int(k_maximal),
            "k_minimal": int(k_minimal),
            "n": int(usable.sum()),
            "n_dropped": int((~usable).sum()),
            "draws_maximal": len(maximal),
            "draws_minimal": len(minimal),
            "auc_maximal": float(test.aucs[len(minimal) :].mean()),
            "auc_minimal": float(test.aucs[: len(minimal)].mean()),
            "difference": test.difference,
            "se": test.se,
            "z": test.z,
            "p_two_sided": test.p_two_sided,
        }


def _combined(part: pd.DataFrame) -> dict[str, Any]:
    # Equal curves are no evidence (p = 1, z = 0); where p is NaN too the test is undefined.
    z = part["z"].where(part["z"].notna() | part["p_two_sided"].isna(), 0.0)
    entering = part[z.notna()]
    combined = stouffer_z(z.to_numpy())
    means = {name: float(entering[name].mean()) for name in _MEANS}
    half = math.nan
    if combined.n:
        se = math.sqrt((entering["se"] ** 2).sum()) / combined.n
        half = float(norm.isf((1 - LEVEL) / 2)) * se
    return means | {
        "low": means["difference"] - half,
        "high": means["difference"] + half,
        "z": combined.statistic,
        "p": float(2 * norm.sf(abs(combined.statistic))),
        "log10_p": float(norm.logsf(abs(combined.statistic)) / math.log(10) + math.log10(2)),
        "n_datasets": combined.n,
        "datasets": "; ".join(sorted(entering["dataset"])),
        "n_left_out": combined.n_left_out,
        "n_dropped": int(part["n_dropped"].sum()),
    }
