"""Settings of a baseline, chosen by cross-validation on the labelled examples alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GridSearchCV, ParameterSampler, StratifiedKFold
from sklearn.pipeline import Pipeline

from tabbench.baselines.encoding import varies
from tabbench.baselines.model import Choice

FROM_ROWS = 16
"""Smallest number of examples for a search; on 4 or 8 rows it would choose by chance."""
CANDIDATES = 8
FOLDS = 4


def fit_tuned(
    model: Pipeline,
    space: Mapping[str, Sequence[Any]],
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.int64],
    seed: int,
) -> tuple[Pipeline, Choice]:
    """Fit a model; with enough examples, choose its settings by a randomised search.

    The defaults are always among the candidates. They stay where nothing has a higher mean ROC-AUC
    over the stratified folds; folds whose training rows are all alike do not count. Everything
    learned from rows, medians and scales included, is learned within the folds.

    Parameters
    ----------
    model : pipeline whose last step takes the settings; not fitted
    space : setting to its values; nothing is searched when empty
    x : shape (k, m)
    y : shape (k,), labels 0 and 1
    seed : of the draw of candidates and of the folds
    """
    rarest = int(np.bincount(y).min())
    if not space or len(y) < FROM_ROWS or rarest < 2:
        return model.fit(x, y), Choice()
    splitter = StratifiedKFold(min(FOLDS, rarest), shuffle=True, random_state=seed)
    # Where nothing differs there is nothing to compare candidates by, and CatBoost fits no such x.
    folds = [(learn, rest) for learn, rest in splitter.split(x, y) if varies(x[learn])]
    if not folds:
        return model.fit(x, y), Choice()
    last = model.steps[-1][0]
    drawn = ParameterSampler(space, _drawn(space), random_state=seed)
    candidates = [{}, *drawn]
    search = GridSearchCV(
        model,
        [{f"{last}__{name}": [value] for name, value in one.items()} for one in candidates],
        scoring="roc_auc",
        cv=folds,
        n_jobs=1,
        error_score="raise",
    )
    search.fit(x, y)
    choice = Choice(
        candidates[search.best_index_], len(candidates), len(folds), float(search.best_score_)
    )
    return search.best_estimator_, choice


def _drawn(space: Mapping[str, Sequence[Any]]) -> int:
    """Number of candidates in addition to the defaults, at most the number of combinations."""
    return min(CANDIDATES - 1, int(np.prod([len(values) for values in space.values()])))
