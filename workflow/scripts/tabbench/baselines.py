"""The classical baselines: one way to make numbers of a table, one entry per model.

Everything is deterministic given the seed and runs on one thread. The tabular foundation
models have modules of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from tabbench.errors import TabBenchError, closest

Floats = npt.NDArray[np.float64]


Numbers = Literal["as they are", "filled", "filled and scaled"]


@dataclass(frozen=True)
class Baseline:
    """A model of the registry.

    ``numbers`` says what is done to numeric columns: nothing, missing values filled with the
    median, or also scaled to mean 0 and variance 1. ``make(n_train, seed)`` gives the unfitted
    classifier.
    """

    name: str
    numbers: Numbers
    make: Callable[[int, int], ClassifierMixin]


BASELINES: dict[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        Baseline(
            "majority",
            "filled",
            lambda _n, _seed: DummyClassifier(strategy="prior"),
        ),
        Baseline(
            "logistic_regression",
            "filled and scaled",
            lambda _n, seed: LogisticRegression(max_iter=1000, random_state=seed),
        ),
        Baseline(
            "knn",
            "filled and scaled",
            # Odd, so that no vote is a draw, and never more neighbours than rows.
            lambda n, _seed: KNeighborsClassifier(min(5, n - 1 + n % 2), n_jobs=1),
        ),
        Baseline(
            "random_forest",
            "filled",
            lambda _n, seed: RandomForestClassifier(random_state=seed, n_jobs=1),
        ),
        Baseline(
            "xgboost",
            "as they are",
            # A row weighs at most 1/4 (p(1 - p)), so that the default minimum of 1 in a child
            # would forbid every split of 4 rows.
            lambda _n, seed: XGBClassifier(min_child_weight=0, random_state=seed, n_jobs=1),
        ),
    )
}
"""The classical baselines of the paper (section III-A), by name."""


def fit_predict(
    name: str,
    train_x: pd.DataFrame,
    train_y: Sequence[int] | npt.NDArray[Any] | pd.Series,
    test_x: pd.DataFrame,
    categories: Mapping[str, Sequence[Any]],
    seed: int,
) -> Floats:
    """Fit a baseline on the demonstrations and give each test row's probability of class 1.

    Parameters
    ----------
    name : str
        A key of `BASELINES`.
    train_x : DataFrame, shape (k, d)
        Features of the labelled rows; missing values allowed.
    train_y : array-like of int, shape (k,)
        Their labels, 0 or 1, both present.
    test_x : DataFrame, shape (n_test, d)
        Rows to classify, with the same columns. A row's result does not depend on the others.
    categories : mapping of column to values
        The categorical columns and their values in the whole training split. Values outside
        the list count as missing, and so do None and NaN. Every other column is numeric.
    seed : int
        Seed of the random forest and of XGBoost.

    Returns
    -------
    ndarray of float64, shape (n_test,)
        Probabilities of class 1.

    Raises
    ------
    TabBenchError
        When the name is unknown, the columns differ, a numeric column holds text or infinity,
        or the labels are not 0 and 1, each at least once.
    """
    if name not in BASELINES:
        raise TabBenchError(f"no baseline '{name}': {closest(name, BASELINES)}")
    if list(train_x.columns) != list(test_x.columns):
        raise TabBenchError(
            f"baseline '{name}': columns of the training rows {list(train_x.columns)} are not "
            f"those of the test rows {list(test_x.columns)}; prepare both from one table"
        )
    labels = np.asarray(train_y)
    if len(labels) != len(train_x) or set(labels.tolist()) != {0, 1}:
        raise TabBenchError(
            f"baseline '{name}': {len(train_x)} training rows with the labels "
            f"{sorted(set(labels.tolist()))}; each row needs a label, and 0 and 1 must both occur"
        )
    baseline = BASELINES[name]
    model = make_pipeline(
        _preparation(baseline.numbers, sum(column not in categories for column in train_x)),
        baseline.make(len(train_x), seed),
    )
    model.fit(encode(train_x, categories), labels)
    return np.asarray(model.predict_proba(encode(test_x, categories))[:, 1], dtype=np.float64)


def encode(frame: pd.DataFrame, categories: Mapping[str, Sequence[Any]]) -> Floats:
    """Make numbers of a table, row by row, with nothing learned from it.

    Parameters
    ----------
    frame : DataFrame, shape (n, d)
        Features.
    categories : mapping of column to values
        The categorical columns and their known values.

    Returns
    -------
    ndarray of float64, shape (n, m)
        First the numeric columns, NaN where missing; then, for each categorical column, one
        indicator per known value and a last one for "missing".
    """
    numeric = [column for column in frame.columns if column not in categories]
    blocks = [_numbers(frame[column]) for column in numeric]
    for column in frame.columns:
        if column in categories:
            known = pd.Index(list(categories[column]), dtype=object).dropna().unique()
            codes = known.get_indexer(pd.Index(frame[column].astype(object)))
            blocks.append(np.eye(len(known) + 1)[codes])  # an unknown value has the code -1
    return np.column_stack(blocks)


def _numbers(column: pd.Series) -> Floats:
    try:
        numbers = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise TabBenchError(
            f"column '{column.name}' holds text but no categories are given for it ({error}); "
            "declare it as categorical in the dataset's YAML"
        ) from error
    if np.isinf(numbers).any():
        raise TabBenchError(
            f"column '{column.name}' holds an infinite number; declare it as missing in the "
            "dataset's YAML"
        )
    return numbers


def _preparation(numbers: Numbers, n_numeric: int) -> ColumnTransformer:
    """Give the transformer of encoded rows; its numeric columns, the first ones, may need it."""
    # A column without any value among the labelled rows says nothing: it becomes constant.
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    steps: dict[Numbers, Any] = {
        "as they are": "passthrough",
        "filled": fill,
        "filled and scaled": Pipeline([("fill", fill), ("scale", StandardScaler())]),
    }
    return ColumnTransformer(
        [("numeric", steps[numbers], list(range(n_numeric)))], remainder="passthrough"
    )
