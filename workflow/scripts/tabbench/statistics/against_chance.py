"""Tests of zero-shot cells against random rankings, and their combination over datasets."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.arrays import Floats
from tabbench.core.schemas.chance import CHANCE
from tabbench.statistics.chance import ChanceTest, chance_test, combine_chance, null_aucs
from tabbench.statistics.curves import curves_by
from tabbench.statistics.multiplicity import LEVEL
from tabbench.statistics.roc_auc import roc_auc

JOINED_LATER = ("suite", "domain")
"""Columns of ``schemas.CHANCE`` that the caller joins; they belong to the dataset."""

CONDITION = ["dataset", "model", "mode", "prompt", "serialization"]
COMBINED = [
    "roc_auc",
    "n_datasets",
    "n_left_out",
    "above_monte_carlo",
    "log10_p_fisher_monte_carlo",
    "z_stouffer_monte_carlo",
    "p_stouffer_monte_carlo",
    "log10_p_stouffer_monte_carlo",
    "n_datasets_t",
    "above_t",
    "log10_p_fisher_t",
    "z_stouffer_t",
    "log10_p_stouffer_t",
]
"""Columns of `combine_cells` after the condition."""


def cells_against_chance(
    predictions: pd.DataFrame, draws: int = 1000, seed: int = 0
) -> pd.DataFrame:
    """Test each zero-shot cell against random rankings of its valid rows (Appendix D-A).

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``
    draws : random rankings, N in the paper
    seed : of the random rankings; cells with as many rows of each class share theirs

    Returns
    -------
    DataFrame
        One row per cell with k = 0, sorted by cell: the columns of ``schemas.CHANCE`` without
        `JOINED_LATER`. Repeats of a prompt are one cell, that of the first: their mean ROC-AUC, on
        the rows that are valid in all, against one random ranking. That is never too lenient, as a
        mean varies no more than its parts.
    """
    rows = []
    zero_shot = predictions[predictions["k"] == 0]
    for condition, part in zero_shot.groupby(CONDITION, observed=True):
        labels, curves = curves_by(part, ["seed"], " / ".join(map(str, condition)))
        usable = curves.notna().all(axis=1).to_numpy()
        y = labels[usable]
        auc = float(np.mean([roc_auc(y, curve[usable]) for _, curve in curves.items()]))
        n, positives = len(y), int(y.sum())
        test = chance_test(auc, _null(n, positives, draws, seed))
        counts = {"n": n, "n_positive": positives, "n_dropped": len(usable) - n}
        made = asdict(test)
        rows.append(
            dict(zip(CONDITION, condition, strict=True))
            | {"k": 0, "seed": int(part["seed"].min())}
            | counts
            | {"roc_auc": made.pop("auc")}
            | made
        )
    return pd.DataFrame(rows, columns=[name for name in CHANCE.names if name not in JOINED_LATER])


def combine_cells(chance: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Count the datasets above chance at `LEVEL`, one-sided, and combine their tests.

    Parameters
    ----------
    chance : DataFrame with the columns of ``schemas.CHANCE``, one cell per dataset and condition
    by : columns that make a condition, such as ``["model"]``

    Returns
    -------
    DataFrame
        ``by``, then `COMBINED`: the mean ROC-AUC; the numbers of datasets in the Monte-Carlo test
        (``n_datasets``), of those left out as undefined, and of those above chance; the same for
        the t-test; and the tests combined by Fisher and by unweighted Stouffer.
    """
    rows: list[dict[str, Any]] = []
    for key, part in chance.groupby(list(by), observed=True):
        combined = combine_chance(_tests(part))
        monte_carlo, by_t = combined.stouffer_monte_carlo, combined.stouffer_t
        values = (
            part["roc_auc"].mean(),
            monte_carlo.n,
            monte_carlo.n_left_out,
            int((part["p_monte_carlo"] < LEVEL).sum()),
            combined.fisher_monte_carlo.log10_p,
            monte_carlo.statistic,
            monte_carlo.p,
            monte_carlo.log10_p,
            by_t.n,
            int((part["p_t"] < LEVEL).sum()),
            combined.fisher_t.log10_p,
            by_t.statistic,
            by_t.log10_p,
        )
        rows.append(dict(zip(by, key, strict=True)) | dict(zip(COMBINED, values, strict=True)))
    return pd.DataFrame(rows, columns=[*by, *COMBINED])


def _tests(part: pd.DataFrame) -> list[ChanceTest]:
    names = ["roc_auc" if name == "auc" else name for name in ChanceTest.__annotations__]
    return [ChanceTest(*row) for row in part[names].itertuples(index=False, name=None)]


@lru_cache(maxsize=4096)
def _null(n: int, positives: int, draws: int, seed: int) -> Floats:
    """Draw the null of a table with so many rows; it does not depend on their order.

    The numbers of rows are part of the seed, so that different datasets have independent nulls.
    """
    y = np.arange(n) < positives
    return null_aucs(y, draws, [seed, n, positives])
