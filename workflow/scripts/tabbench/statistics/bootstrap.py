"""Confidence intervals of ROC-AUCs and their differences by a paired bootstrap of test rows.

Rows are drawn with replacement within each class, so that every resample has the classes'
sizes, and the same rows for every curve, so that a difference keeps its pairing. Intervals are
percentile intervals. They cover sampling of the test rows only, not of the examples or datasets.
A perfect curve is perfect in every resample: its interval has no width.

Where rows come in groups (rows of one person), whole groups are drawn, within those of class 0,
those of class 1 and those with both, so that a resample always has both classes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError

_BLOCK = 1 << 22
"""Largest number of row counts in memory at once."""


@dataclass(frozen=True)
class Interval:
    """A percentile interval. NaN where a class is missing; bounds are NaN where it has one row.

    ``estimate`` is from the rows themselves, not the mean of the resamples.
    """

    estimate: float
    low: float
    high: float
    level: float
    n_positive: int
    n_negative: int
    resamples: int


def auc_interval(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Return the interval of one curve's AUC; see `contrast_interval`."""
    curves = np.asarray(scores)[None]
    return contrast_interval(y, curves, [1.0], level=level, resamples=resamples, seed=seed)


def difference_interval(
    y: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Return the interval of AUC(second) - AUC(first); see `contrast_interval`."""
    curves = np.stack([np.asarray(first), np.asarray(second)])
    return contrast_interval(y, curves, [-1.0, 1.0], level=level, resamples=resamples, seed=seed)


def contrast_interval(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Return the interval of a weighted sum of AUCs on the same rows.

    Parameters
    ----------
    y : (n,) array of 0 and 1
    scores : (m, n) array of finite numbers, one row per curve
    weights : (m,) array, such as -1 for zero-shot and 1/b for each of b draws of examples
    level : two-sided coverage, between 0 and 1

    Raises
    ------
    TabBenchError
        When shapes do not match, scores are not finite, or level or resamples are out of range.
    """
    if not 0 < level < 1 or resamples < 1:
        raise TabBenchError(
            f"bootstrap: level {level}, {resamples} resamples; "
            "the level lies between 0 and 1, and one resample is the least"
        )
    labels, curves = _checked(y, scores)
    contrast = np.asarray(weights, dtype=np.float64)
    positives = int((labels == 1).sum())
    negatives = len(labels) - positives
    estimate, low, high = [float("nan")] * 3
    if min(positives, negatives) > 0:
        once = np.ones((1, len(labels)))
        estimate = float((_weighted_aucs(labels, curves, once) @ contrast)[0])
    if min(positives, negatives) > 1:
        drawn = resampled_aucs(labels, curves, resamples=resamples, seed=seed) @ contrast
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(estimate, low, high, level, positives, negatives, resamples)


def resampled_aucs(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    resamples: int = 2000,
    seed: int = 0,
    groups: npt.ArrayLike | None = None,
) -> Floats:
    """Return each curve's AUC in each resample.

    Parameters
    ----------
    y : (n,) array of 0 and 1, both classes present
    scores : (m, n) array of finite numbers
    groups : (n,) array of each row's group; None where rows are independent

    Returns
    -------
    (resamples, m) array
    """
    return _resampled(_weighted_aucs, y, scores, resamples, seed, groups)


def resampled_precisions(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    resamples: int = 2000,
    seed: int = 0,
    groups: npt.ArrayLike | None = None,
) -> Floats:
    """Return each curve's average precision in each resample, those of `resampled_aucs`.

    Parameters and return value as there.
    """
    return _resampled(_weighted_precisions, y, scores, resamples, seed, groups)


def average_precision(y: npt.ArrayLike, scores: npt.ArrayLike) -> Floats:
    """Return each curve's average precision, the area under its steps of precision and recall.

    Rows with equal scores are taken together. Random scores have the share of class 1.

    Parameters
    ----------
    y : (n,) array of 0 and 1, class 1 present
    scores : (m, n) array of finite numbers

    Returns
    -------
    (m,) array
    """
    labels, curves = _checked(y, scores)
    return np.asarray(_weighted_precisions(labels, curves, np.ones((1, len(labels))))[0])


def _resampled(
    statistic: Callable[[npt.NDArray[np.int64], Floats, Floats], Floats],
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    resamples: int,
    seed: int,
    groups: npt.ArrayLike | None,
) -> Floats:
    labels, curves = _checked(y, scores)
    has = np.array([labels == label for label in (0, 1)])
    if not has.any(axis=1).all():
        raise TabBenchError("bootstrap: a class is missing; ROC-AUC is not defined")
    group = _numbered(groups, len(labels))
    in_group = np.array([np.bincount(group, one) > 0 for one in has])
    kinds = [np.flatnonzero((in_group == kind).all(axis=0)) for kind in _KINDS]
    random = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(labels))
    parts = []
    for start in range(0, resamples, block):
        counts = np.empty((min(block, resamples - start), in_group.shape[1]))
        for alike in filter(len, kinds):
            counts[:, alike] = _counts(random, len(counts), len(alike))
        parts.append(statistic(labels, curves, counts[:, group]))
    return np.concatenate(parts)


_KINDS = np.array([[[True], [False]], [[False], [True]], [[True], [True]]])
"""Of groups: whether they hold class 0 and class 1."""


def _numbered(groups: npt.ArrayLike | None, rows: int) -> npt.NDArray[np.intp]:
    """Return the number of each row's group, from 0; a group of its own without ``groups``."""
    if groups is None:
        return np.arange(rows)
    return np.unique(np.asarray(groups), return_inverse=True)[1]


def row_counts(
    rows: int, *, resamples: int = 2000, seed: int = 0, groups: npt.ArrayLike | None = None
) -> Floats:
    """Return how often each row occurs in each resample of all rows, whatever their class.

    Parameters
    ----------
    groups : (rows,) array of each row's group, which are drawn whole; None where rows are
        independent

    Returns
    -------
    (resamples, rows) array; each of its rows sums to ``rows`` where there are no groups
    """
    group = _numbered(groups, rows)
    drawn = _counts(np.random.default_rng(seed), resamples, len(np.unique(group)))
    return np.asarray(drawn[:, group])


def _counts(random: np.random.Generator, resamples: int, rows: int) -> Floats:
    """Draw how often each of ``rows`` rows occurs in each resample of as many rows."""
    drawn = random.integers(rows, size=(resamples, rows))
    drawn += rows * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * rows)
    return counts.reshape(resamples, rows).astype(np.float64)


def _weighted_aucs(labels: npt.NDArray[np.int64], curves: Floats, counts: Floats) -> Floats:
    """Return AUCs of rows that occur ``counts`` times; ties count one half.

    Parameters
    ----------
    labels : (n,) array
    curves : (m, n) array
    counts : (b, n) array

    Returns
    -------
    (b, m) array
    """
    positive = labels == 1
    of_positives, of_negatives = counts[:, positive], counts[:, ~positive]
    pairs = of_positives.sum(axis=1) * of_negatives.sum(axis=1)
    below = np.zeros((len(counts), of_negatives.shape[1] + 1))
    aucs = np.empty((len(counts), len(curves)))
    for index, curve in enumerate(curves):
        order = np.argsort(curve[~positive])
        np.cumsum(of_negatives[:, order], axis=1, out=below[:, 1:])
        negatives = curve[~positive][order]
        # Negatives below a positive, and those not above it: a tie counts in one of the two.
        reached = (
            np.searchsorted(negatives, curve[positive], "left"),
            np.searchsorted(negatives, curve[positive], "right"),
        )
        won = [np.einsum("bp,bp->b", of_positives, below[:, places]) for places in reached]
        aucs[:, index] = (won[0] + won[1]) / (2 * pairs)
    return aucs


def _weighted_precisions(labels: npt.NDArray[np.int64], curves: Floats, counts: Floats) -> Floats:
    """Return average precisions of rows that occur ``counts`` times; see `_weighted_aucs`."""
    positives = counts @ labels
    precisions = np.empty((len(counts), len(curves)))
    for index, curve in enumerate(curves):
        order = np.argsort(-curve, kind="stable")
        ends = np.flatnonzero(np.r_[np.diff(curve[order]) != 0, True])
        flagged = np.cumsum(counts[:, order], axis=1)[:, ends]
        found = np.cumsum(counts[:, order] * labels[order], axis=1)[:, ends]
        gained = np.diff(found, axis=1, prepend=0)
        precision = np.divide(found, flagged, out=np.zeros_like(found), where=flagged > 0)
        precisions[:, index] = (gained * precision).sum(axis=1) / positives
    return precisions


def _checked(y: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], Floats]:
    labels = np.asarray(y, dtype=np.int64)
    curves = np.asarray(scores, dtype=np.float64)
    if curves.ndim != 2 or labels.shape != curves.shape[1:]:
        raise TabBenchError(
            f"bootstrap: {labels.shape} labels for scores of shape {curves.shape}; "
            "scores must be (curves, rows) over the same rows as the labels"
        )
    if not np.isfinite(curves).all():
        raise TabBenchError(
            "bootstrap: scores contain NaN or infinity; leave out invalid answers first"
        )
    return labels, curves
