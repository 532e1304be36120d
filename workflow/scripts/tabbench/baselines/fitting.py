"""Fit a baseline on labelled rows and classify others, in the same way for every model."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.pipeline import make_pipeline

from tabbench.baselines.encoding import Categories, encode, preparation, varies
from tabbench.baselines.model import Baseline, Choice, Size
from tabbench.baselines.search import fit_tuned
from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError

NOTHING_TO_LEARN = "no column differs among the examples, so their base rate is the prediction"


class Fitted(NamedTuple):
    """Probabilities of class 1, shape (n_test,), and the settings behind them.

    ``reason`` says why no model was fitted; empty where one was.
    """

    p_1: Floats
    choice: Choice
    reason: str = ""


def fit_predict(
    baseline: Baseline,
    train_x: pd.DataFrame,
    train_y: Sequence[int] | npt.NDArray[Any] | pd.Series,
    test_x: pd.DataFrame,
    categories: Categories,
    seed: int,
) -> Fitted:
    """Fit a baseline on labelled examples and return each test row's probability of class 1.

    Parameters
    ----------
    baseline : Baseline
        An entry of a registry.
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
        Seed of the model and of the search of its settings.

    Raises
    ------
    TabBenchError
        When the columns differ, a numeric column holds text or infinity, the labels are not 0
        and 1, each at least once, or the model's package is not there.
    """
    if list(train_x.columns) != list(test_x.columns):
        raise TabBenchError(
            f"baseline '{baseline.name}': columns of the training rows {list(train_x.columns)} are "
            f"not those of the test rows {list(test_x.columns)}; prepare both from one table"
        )
    labels = np.asarray(train_y, dtype=np.int64)
    if len(labels) != len(train_x) or set(labels.tolist()) != {0, 1}:
        raise TabBenchError(
            f"baseline '{baseline.name}': {len(train_x)} training rows with the labels "
            f"{sorted(set(labels.tolist()))}; each row needs a label, and 0 and 1 must both occur"
        )
    size = table_size(train_x, categories)
    codes = baseline.encoding == "codes"
    x = encode(train_x, categories, codes=codes)
    if not varies(x):
        return Fitted(np.full(len(test_x), labels.mean()), Choice(), NOTHING_TO_LEARN)
    model = make_pipeline(preparation(baseline.encoding, size.numeric), baseline.make(size, seed))
    fitted, choice = fit_tuned(model, baseline.space(size), x, labels, seed)
    p_1 = fitted.predict_proba(encode(test_x, categories, codes=codes))[:, 1]
    return Fitted(np.asarray(p_1, dtype=np.float64), choice)


def table_size(frame: pd.DataFrame, categories: Categories) -> Size:
    """Rows, numeric and categorical columns of a table."""
    numeric = sum(column not in categories for column in frame)
    return Size(len(frame), numeric, len(frame.columns) - numeric)
