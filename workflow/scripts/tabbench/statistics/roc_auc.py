"""Plain ROC-AUC by midranks, and its folded form."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tabbench.core.arrays import Floats, divide

Integers = npt.NDArray[np.integer[Any]]


def roc_auc(y: npt.ArrayLike, score: npt.ArrayLike) -> float:
    """Return the plain area under the ROC curve; tied pairs count one half.

    Parameters
    ----------
    y : (n,) array of 0 and 1
    score : (n,) array of finite numbers, larger for class 1

    Returns
    -------
    float
        In [0, 1]; NaN when a class is missing or there are no rows.

    Examples
    --------
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    labels = np.asarray(y, dtype=np.int64)
    return float(grouped_auc(np.zeros(len(labels), np.int64), labels, score, 1)[0])


def grouped_auc(group: Integers, y: Integers, score: npt.ArrayLike, count: int) -> Floats:
    """Return the AUC of each of ``count`` groups in one sort of all rows."""
    scores = np.asarray(score, dtype=np.float64)
    rows = np.bincount(group, minlength=count)
    positives = np.bincount(group, weights=y, minlength=count)
    if len(group) == 0:
        return np.full(count, np.nan)
    order = np.lexsort((scores, group))
    group, y, scores = group[order], y[order], scores[order]
    new_run = np.r_[True, (np.diff(group) != 0) | (np.diff(scores) != 0)]
    starts = np.flatnonzero(new_run)
    ends = np.r_[starts[1:], len(group)]
    midrank = ((starts + ends + 1) / 2)[np.cumsum(new_run) - 1]
    midrank -= (np.cumsum(rows) - rows)[group]
    rank_sum = np.bincount(group, weights=midrank * y, minlength=count)
    return divide(rank_sum - positives * (positives + 1) / 2, positives * (rows - positives))


def fold(auc: npt.ArrayLike) -> Floats:
    """Return max(AUC, 1 - AUC), what the paper's released code calls ROC-AUC.

    Random scores average above 0.5 in this form, so it is only for comparison with the paper.
    """
    auc = np.asarray(auc, dtype=np.float64)
    return np.asarray(np.maximum(auc, 1.0 - auc), dtype=np.float64)
