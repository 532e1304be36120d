"""Fit a baseline on labelled rows and classify others, in the same way for every model."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline

from tabbench.baselines.encoding import Categories, encode, preparation, varies
from tabbench.baselines.model import Baseline, Choice, Size
from tabbench.baselines.search import FOLDS, fit_tuned
from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError

NOTHING_TO_LEARN = "no column differs among the examples, so their base rate is the prediction"


class Fitted(NamedTuple):
    """A fitted baseline.

    ``model`` takes encoded rows; None where nothing was fitted, for the reason ``reason``, and each
    row gets ``base_rate``, the share of class 1 among the examples.
    """

    model: Pipeline | None
    choice: Choice
    base_rate: float
    baseline: Baseline
    columns: list[str]
    categories: Categories
    reason: str = ""

    def predict(self, rows: pd.DataFrame) -> Floats:
        """Return each row's probability of class 1; a row's result does not depend on others.

        Raises
        ------
        TabBenchError
            When the columns are not those it was fitted on, or hold what `fit` refuses.
        """
        if list(rows.columns) != self.columns:
            raise TabBenchError(
                f"baseline '{self.baseline.name}': columns of the training rows {self.columns} are "
                f"not those of the test rows {list(rows.columns)}; prepare both from one table"
            )
        x = self._encoded(rows)
        if self.model is None:
            return np.full(len(rows), self.base_rate)
        return np.asarray(self.model.predict_proba(x)[:, 1], dtype=np.float64)

    def out_of_fold(self, train_x: pd.DataFrame, train_y: npt.ArrayLike) -> Floats:
        """Return the probability of each of the rows it was fitted on by a model that lacks it.

        The settings stay those that were chosen with the row; `FOLDS` models are fitted anew, or as
        many as the rarer class has rows. A single row of a class leaves nothing to fit: all NaN.
        """
        labels = np.asarray(train_y, dtype=np.int64)
        folds = min(FOLDS, int(np.bincount(labels).min()))
        if folds < 2:
            return np.full(len(labels), np.nan)
        if self.model is None:
            return np.full(len(labels), self.base_rate)
        x = self._encoded(train_x)
        splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
        p = np.empty(len(labels))
        for learn, rest in splitter.split(x, labels):
            if varies(x[learn]):
                model = clone(self.model).fit(x[learn], labels[learn])
                p[rest] = model.predict_proba(x[rest])[:, 1]
            else:
                p[rest] = labels[learn].mean()
        return p

    def _encoded(self, rows: pd.DataFrame) -> Floats:
        return encode(rows, self.categories, codes=self.baseline.encoding == "codes")


def fit(
    baseline: Baseline,
    train_x: pd.DataFrame,
    train_y: Sequence[int] | npt.NDArray[Any] | pd.Series,
    categories: Categories,
    seed: int,
) -> Fitted:
    """Fit a baseline on labelled examples.

    Parameters
    ----------
    baseline : Baseline
        An entry of a registry.
    train_x : DataFrame, shape (k, d)
        Features of the labelled rows; missing values allowed.
    train_y : array-like of int, shape (k,)
        Their labels, 0 or 1, both present.
    categories : mapping of column to values
        The categorical columns and their values in the whole training split. Values outside
        the list count as missing, and so do None and NaN. Every other column is numeric.
    seed : int
        Seed of the model and of the search of its settings.

    Raises
    ------
    TabBenchError
        When a numeric column holds text or infinity, the labels are not 0 and 1, each at least
        once, or the model's package is not there.
    """
    labels = np.asarray(train_y, dtype=np.int64)
    if len(labels) != len(train_x) or set(labels.tolist()) != {0, 1}:
        raise TabBenchError(
            f"baseline '{baseline.name}': {len(train_x)} training rows with the labels "
            f"{sorted(set(labels.tolist()))}; each row needs a label, and 0 and 1 must both occur"
        )
    size = table_size(train_x, categories)
    x = encode(train_x, categories, codes=baseline.encoding == "codes")
    share, columns = float(labels.mean()), list(train_x.columns)
    if not varies(x):
        return Fitted(None, Choice(), share, baseline, columns, categories, NOTHING_TO_LEARN)
    model = make_pipeline(preparation(baseline.encoding, size.numeric), baseline.make(size, seed))
    fitted, choice = fit_tuned(model, baseline.space(size), x, labels, seed)
    return Fitted(fitted, choice, share, baseline, columns, categories)


def table_size(frame: pd.DataFrame, categories: Categories) -> Size:
    """Rows, numeric and categorical columns of a table."""
    numeric = sum(column not in categories for column in frame)
    return Size(len(frame), numeric, len(frame.columns) - numeric)
