"""Intrinsic dimension of a real table: numbers and categories as points of one space."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tabbench.complexity.intrinsic import intrinsic_row
from tabbench.core.arrays import Floats

MOST_MISSING = 0.5
"""Share of missing values above which a numeric column is left out instead of its rows."""


@dataclass(frozen=True)
class Points:
    """``values`` (n, m): distinct complete rows; columns and rows left out are named or counted."""

    values: Floats
    mostly_missing: tuple[str, ...]
    constant: tuple[str, ...]
    n_left_out: int
    n_not_drawn: int

    @property
    def columns_left_out(self) -> str:
        parts = (("mostly missing", self.mostly_missing), ("constant", self.constant))
        return "; ".join(f"{why}: {', '.join(names)}" for why, names in parts if names)


def points(features: pd.DataFrame, at_most: int) -> Points:
    """Encode a table so that each column has the same weight in a distance.

    A numeric column is centred and divided by its standard deviation. Any other column becomes one
    0/1 indicator per value, "missing" being a value of its own; they are centred and divided by
    the root of their summed variance. So every column has a total variance of 1, and two
    categories lie as far apart as the two values of a numeric column.

    Numeric columns in which more than `MOST_MISSING` are missing are left out; then rows with a
    missing number, and repeated rows; then rows beyond ``at_most``, drawn always alike; then
    columns that do not vary.

    Parameters
    ----------
    features : (n, d) DataFrame, without the label
    at_most : rows to draw of a longer table, since estimates depend on their number

    Returns
    -------
    Points
    """
    numeric = list(features.select_dtypes("number").columns)
    mostly_missing = [name for name in numeric if features[name].isna().mean() > MOST_MISSING]
    kept = features.drop(columns=mostly_missing)
    numeric = [name for name in numeric if name not in mostly_missing]
    distinct = kept.dropna(subset=numeric).drop_duplicates()
    rows = distinct
    if len(distinct) > at_most:
        drawn = np.random.default_rng(0).choice(len(distinct), at_most, replace=False)
        rows = distinct.iloc[np.sort(drawn)]
    varying = [name for name in rows.columns if len(rows[name].unique()) > 1]
    blocks = [_scaled(rows[name], name in numeric) for name in varying]
    return Points(
        values=np.hstack(blocks) if blocks else np.empty((len(rows), 0)),
        mostly_missing=tuple(map(str, mostly_missing)),
        constant=tuple(str(name) for name in rows.columns if name not in varying),
        n_left_out=len(features) - len(distinct),
        n_not_drawn=len(distinct) - len(rows),
    )


def dimension_row(features: pd.DataFrame, at_most: int) -> dict[str, Any]:
    """Return a row of ``schemas.DIMENSION`` without its dataset; parameters as of `points`."""
    found = points(features, at_most)
    row = intrinsic_row(pd.DataFrame(found.values))
    del row["mean"]  # of all four; a real table may lack one (see placement)
    return row | {
        "columns": features.shape[1],
        "columns_left_out": found.columns_left_out,
        "n_left_out": found.n_left_out + row["n_left_out"],
        "n_not_drawn": found.n_not_drawn,
    }


def _scaled(column: pd.Series, numeric: bool) -> Floats:
    """Return a varying column as a block (n, m) with mean 0 and a total variance of 1."""
    if numeric:
        block = column.to_numpy(dtype=np.float64)[:, None]
        block = (block - block.min()) / np.ptp(block)  # so that no square overflows or vanishes
    else:
        codes, values = pd.factorize(column, use_na_sentinel=False)
        block = np.eye(len(values))[codes]
    block = block - block.mean(axis=0)
    return np.asarray(block / np.sqrt(block.var(axis=0).sum()))
