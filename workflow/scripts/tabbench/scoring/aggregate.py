"""The definition of "mean ±", the source of the numbers in tables and figures.

- One dataset: mean over the seeds; ± is the sample standard deviation (ddof 1) over them.
  One seed has no spread: ± is NaN, and the mean is printed without "±", never with 0.
- Several datasets: mean of the datasets' means; ± is the root mean square of their standard
  deviations, over the datasets that have one (Tables II, VI, VII, VIII, IX, X). Table XI alone:
  sample standard deviation over the datasets.
- A difference (RQ4): per dataset, with sqrt(s1² + s2²), over the datasets that both sides have.

Undefined AUCs (a class missing from the scored rows) are left out and counted.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

DATASET = ["suite", "domain", "dataset"]
CONDITION = ["model", "mode", "prompt", "serialization", "k"]
Spread = Literal["over_seeds", "over_datasets"]

SPREAD_NOTES: dict[Spread, str] = {
    "over_seeds": (
        "± is the root mean square over datasets of the sample standard deviation over seeds, "
        "without examples over repeats of the same prompts; a value without ± has one seed"
    ),
    "over_datasets": "± is the sample standard deviation over datasets",
}


def asked(scores: pd.DataFrame) -> pd.Series:
    """Test rows whose prompts were sent, of each row of ``schemas.SCORES``."""
    return scores["n"] - scores["n_too_long"]


def invalid(scores: pd.DataFrame) -> pd.Series:
    """Test rows that were asked and are in no ROC-AUC."""
    return asked(scores) - scores["n_scored"]


def over_seeds(scores: pd.DataFrame, metric: str = "roc_auc") -> pd.DataFrame:
    """Average over the seeds of each dataset and condition.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    metric : the column to average

    Returns
    -------
    DataFrame
        ``DATASET + CONDITION``, then ``mean``, ``std`` (ddof 1; NaN for one seed), ``all_rows``
        (mean ROC-AUC over the same seeds, invalid answers counted as 0.5), ``n_seeds``
        (with a defined value), ``n_undefined`` (seeds left out), ``asked`` and ``invalid``
        (answers), ``n_too_long`` (test rows not asked), ``label_mass`` (median of the cells'
        medians).
    """
    frame = scores.assign(
        value=scores[metric].astype("float64"), asked=asked(scores), invalid=invalid(scores)
    )
    frame["undefined"] = frame["value"].isna()
    frame["all_rows"] = frame["roc_auc_all_rows"].mask(frame["undefined"])
    grouped = frame.groupby(DATASET + CONDITION, observed=True, as_index=False)
    return grouped.agg(
        mean=("value", "mean"),
        std=("value", "std"),
        all_rows=("all_rows", "mean"),
        n_seeds=("value", "count"),
        n_undefined=("undefined", "sum"),
        asked=("asked", "sum"),
        invalid=("invalid", "sum"),
        n_too_long=("n_too_long", "sum"),
        label_mass=("label_mass", "median"),
    )


def over_datasets(
    datasets: pd.DataFrame, by: Sequence[str], spread: Spread = "over_seeds"
) -> pd.DataFrame:
    """Average over the datasets of each condition.

    Parameters
    ----------
    datasets : DataFrame from ``over_seeds`` or ``difference``
    by : columns that make a condition
    spread : definition of ±, see the module's docstring

    Returns
    -------
    DataFrame
        ``by``, then ``mean``, ``std``, ``all_rows`` (``mean`` with invalid answers counted as 0.5),
        ``n_datasets`` (with a defined mean), ``n_spread``
        (datasets that ± rests on), ``n_undefined`` (cells left out), ``n_too_long`` (test rows not
        asked), ``invalid_rate`` (of all answers asked), ``label_mass`` (median over datasets),
        ``datasets`` (names, "; ").
    """
    frame = datasets.assign(
        square=datasets["std"] ** 2, name=datasets["dataset"].where(datasets["mean"].notna())
    )
    result = frame.groupby(list(by), observed=True, as_index=False).agg(
        mean=("mean", "mean"),
        std=("mean", "std"),
        all_rows=("all_rows", "mean"),
        mean_square=("square", "mean"),
        n_datasets=("mean", "count"),
        n_spread=("square", "count"),
        n_undefined=("n_undefined", "sum"),
        n_too_long=("n_too_long", "sum"),
        asked=("asked", "sum"),
        invalid=("invalid", "sum"),
        label_mass=("label_mass", "median"),
        datasets=("name", lambda names: "; ".join(sorted(names.dropna()))),
    )
    if spread == "over_seeds":
        result["std"] = np.sqrt(result["mean_square"])
    else:
        result["n_spread"] = result["n_datasets"].where(result["n_datasets"] > 1, 0)
    result["invalid_rate"] = result["invalid"] / result["asked"]
    return result[[*by, *VALUES]]


VALUES = [
    "mean",
    "std",
    "all_rows",
    "n_datasets",
    "n_spread",
    "n_undefined",
    "n_too_long",
    "invalid_rate",
    "label_mass",
    "datasets",
]
"""Columns of ``over_datasets`` after the condition."""


def difference(minuend: pd.DataFrame, subtrahend: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Subtract two sides per dataset; datasets that one side lacks drop out.

    Parameters
    ----------
    minuend, subtrahend : DataFrame from ``over_seeds``
    on : columns of the condition that both sides share, such as ``["model", "k"]``

    Returns
    -------
    DataFrame
        ``DATASET``, ``on`` and the value columns of ``over_seeds``: ``std`` is
        sqrt(s1² + s2²), ``label_mass`` the smaller of the two, counts are summed.
    """
    keys = [*DATASET, *on]
    both = minuend.merge(subtrahend, on=keys, suffixes=("_a", "_b"), validate="one_to_one")
    result = both[keys].copy()
    result["mean"] = both["mean_a"] - both["mean_b"]
    result["std"] = np.hypot(both["std_a"], both["std_b"])
    result["all_rows"] = both["all_rows_a"] - both["all_rows_b"]
    result["n_seeds"] = both[["n_seeds_a", "n_seeds_b"]].min(axis=1)
    for name in ("n_undefined", "asked", "invalid", "n_too_long"):
        result[name] = both[f"{name}_a"] + both[f"{name}_b"]
    result["label_mass"] = both[["label_mass_a", "label_mass_b"]].min(axis=1)
    return result


def paired(datasets: pd.DataFrame, across: Sequence[str], within: Sequence[str]) -> pd.DataFrame:
    """Keep, per group of ``within``, the datasets with a value under each ``across`` present.

    Compared values are then means over the same datasets. A member of ``across`` without any value
    in a group was not run there and removes no dataset.

    Parameters
    ----------
    datasets : DataFrame from ``over_seeds``
    across : columns that tell the compared conditions apart
    within : columns of the group in which they are compared; may be empty
    """
    defined = datasets[datasets["mean"].notna()]
    conditions = defined.groupby(list(across), observed=True).ngroup()
    group = [defined[name] for name in within] or [pd.Series(0, index=defined.index)]
    wanted = conditions.groupby(group).transform("nunique")
    present = conditions.groupby([*group, defined["dataset"]]).transform("nunique")
    return defined[present == wanted]
