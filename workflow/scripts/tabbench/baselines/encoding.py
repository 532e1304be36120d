"""Encoding of a table as numbers, row by row; nothing is learned here, so not from test rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from tabbench.baselines.model import Encoding
from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError

Categories = Mapping[str, Sequence[Any]]


def encode(frame: pd.DataFrame, categories: Categories, *, codes: bool = False) -> Floats:
    """Encode a table as numbers.

    Parameters
    ----------
    frame : DataFrame, shape (n, d)
        Features.
    categories : mapping of column to values
        The categorical columns and their known values; any other value counts as missing.
    codes : whether a category becomes its place among the known values, NaN where missing,
        instead of indicators

    Returns
    -------
    ndarray of float64, shape (n, m)
        First the numeric columns, NaN where missing; then the categorical ones, each a column of
        codes, or one indicator per known value and a last one for "missing".

    Raises
    ------
    TabBenchError
        When a numeric column holds text or infinity.
    """
    blocks = [_numbers(frame[column]) for column in frame.columns if column not in categories]
    for column in frame.columns:
        if column in categories:
            known = pd.Index(list(categories[column]), dtype=object).dropna().unique()
            places = known.get_indexer(pd.Index(frame[column].astype(object)))  # unknown: -1
            blocks.append(
                np.where(places < 0, np.nan, places) if codes else np.eye(len(known) + 1)[places]
            )
    return np.column_stack(blocks)


def _numbers(column: pd.Series) -> Floats:
    try:
        numbers = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise TabBenchError(
            f"column '{column.name}' contains text but no categories are given for it ({error}); "
            "declare it as categorical in the dataset's YAML"
        ) from error
    if np.isinf(numbers).any():
        raise TabBenchError(
            f"column '{column.name}' contains an infinite number; declare it as missing in the "
            "dataset's YAML"
        )
    return numbers


def varies(x: Floats) -> bool:
    """Whether any column of shape (n, m) differs between rows; missing values are alike."""
    return not np.all((x == x[0]) | (np.isnan(x) & np.isnan(x[0])))


def preparation(encoding: Encoding, n_numeric: int) -> ColumnTransformer:
    """Return the transformer of encoded rows, for their first ``n_numeric`` columns."""
    # A column without any value among the labelled rows says nothing: it becomes constant.
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    steps: dict[Encoding, Any] = {
        "filled": fill,
        "filled and scaled": Pipeline([("fill", fill), ("scale", StandardScaler())]),
    }
    step = steps.get(encoding, "passthrough")
    return ColumnTransformer([("numeric", step, list(range(n_numeric)))], remainder="passthrough")
