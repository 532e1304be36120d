"""DeLong's test for correlated ROC curves, by midranks in O(m n log n).

Edge cases, the same for every function here:

- a class is missing: everything is NaN;
- a class has one row: AUCs are defined, their covariance is not, so se, z and p are NaN;
- the curves rank alike or do not vary, and their AUCs are equal: difference 0, se 0, z NaN. There
  is no evidence either way: two-sided p 1, one-sided p 1/2 (so that the two sides still add to 1
  and Stouffer's method adds z = 0, not minus infinity);
- no variance but a difference (a constant curve against a perfect one): the normal
  approximation has no scale, so z and p are NaN, to be left out and counted. R's pROC, equal
  to this module elsewhere (tests/oracle/), gives an infinite Z and p = 0 there.

Rows may come in groups (rows of one person), which are independent while their rows are not. The
variance then rests on the groups' sums of placement values, with a term for groups that hold both
classes (Obuchowski 1997). Where each group has one row it is DeLong's. Where a class lies in a
single group it is not defined, as with a single row.

References
----------
DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44, 837-845.
Obuchowski (1997), Biometrics 53, 567-578.
Sun, Xu (2014), IEEE Signal Processing Letters 21, 1389-1393 (midranks).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError

_ROUNDING = 1e-12
"""Placement values are multiples of 1/(2 rows); smaller values are rounding errors."""


@dataclass(frozen=True)
class CurveTest:
    """Result of a test on a weighted sum of AUCs.

    ``p_greater`` is one-sided, small when the difference is positive.
    """

    aucs: Floats
    difference: float
    se: float
    z: float
    p_greater: float
    p_two_sided: float


def delong_covariance(
    y: npt.ArrayLike, scores: npt.ArrayLike, groups: npt.ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Return the AUCs of several curves on the same rows and their covariance.

    Parameters
    ----------
    y : (n,) array of 0 and 1
    scores : (m, n) array, one row per curve
    groups : (n,) array of each row's group; None where rows are independent

    Returns
    -------
    aucs : (m,) array
    covariance : (m, m) array

    Examples
    --------
    >>> aucs, covariance = delong_covariance([0, 0, 1, 1], [[0.1, 0.4, 0.4, 0.8]])
    >>> float(aucs[0]), float(covariance[0, 0])
    (0.875, 0.03125)
    """
    positive, negative = _placements(y, scores)
    return _mean(positive), _covariance(positive, negative, y, groups)


def two_curve_test(y: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> CurveTest:
    """Test whether the second curve's AUC differs from the first's.

    ``difference`` is AUC(second) - AUC(first); ``p_greater`` is small when the second is
    better. Swapping the curves negates difference and z, leaves ``p_two_sided`` as it is and
    turns ``p_greater`` into its complement.
    """
    return contrast_test(y, np.stack([np.asarray(first), np.asarray(second)]), [-1.0, 1.0])


def gain_test(y: npt.ArrayLike, zero_shot: npt.ArrayLike, k_shot: npt.ArrayLike) -> CurveTest:
    """Test the mean AUC of several k-shot curves against the zero-shot curve (or curves).

    Parameters
    ----------
    y : (n,) array of 0 and 1
    zero_shot : (a, n) array, one curve per repeat (one when decoding is deterministic)
    k_shot : (b, n) array, one curve per draw of examples

    Returns
    -------
    CurveTest
        ``aucs`` holds the zero-shot curves first; ``p_greater`` is small when examples help.
    """
    zero, shot = np.atleast_2d(np.asarray(zero_shot)), np.atleast_2d(np.asarray(k_shot))
    weights = np.r_[np.full(len(zero), -1 / len(zero)), np.full(len(shot), 1 / len(shot))]
    return contrast_test(y, np.vstack([zero, shot]), weights)


def contrast_test(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    weights: npt.ArrayLike,
    groups: npt.ArrayLike | None = None,
) -> CurveTest:
    """Test whether a weighted sum of AUCs is zero.

    Parameters
    ----------
    y : (n,) array of 0 and 1
    scores : (m, n) array, one row per curve
    weights : (m,) array L; the variance is L S L^T with DeLong's covariance S
    groups : (n,) array of each row's group; None where rows are independent

    Returns
    -------
    CurveTest
    """
    contrast = np.asarray(weights, dtype=np.float64)
    positive, negative = _placements(y, scores)
    aucs = _mean(positive)
    # The variance of the contrasted placements equals L S L^T, without its cancellation.
    by_positive, by_negative = ((contrast @ part)[None] for part in (positive, negative))
    if by_positive.size == 0 or by_negative.size == 0:
        return CurveTest(aucs, *[float("nan")] * 5)
    difference = float(contrast @ aucs)
    variance = float(_covariance(by_positive, by_negative, y, groups)[0, 0])
    if np.isnan(variance):
        return CurveTest(aucs, difference, *[float("nan")] * 4)
    if variance < _ROUNDING**2:
        if abs(difference) < _ROUNDING:
            return CurveTest(aucs, 0.0, 0.0, float("nan"), 0.5, 1.0)
        return CurveTest(aucs, difference, 0.0, *[float("nan")] * 3)
    se = float(np.sqrt(variance))
    z = difference / se
    return CurveTest(aucs, difference, se, z, float(ndtr(-z)), float(2 * ndtr(-abs(z))))


def _placements(y: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return each row's share of the other class that it ranks rightly against, ties one half.

    Returns
    -------
    positive : (m, positives) array
    negative : (m, negatives) array
    """
    labels = np.asarray(y)
    values = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    if values.ndim != 2 or labels.shape != values.shape[1:]:
        raise TabBenchError(
            f"DeLong: {labels.shape} labels for scores of shape {values.shape}; "
            "scores must be (curves, rows) over the same rows as the labels"
        )
    if not np.isfinite(values).all():
        raise TabBenchError(
            "DeLong: scores contain NaN or infinity; leave out invalid answers first"
        )
    is_positive = labels == 1
    n_positive = int(is_positive.sum())
    n_negative = len(labels) - n_positive
    if n_positive == 0 or n_negative == 0:
        empty = np.empty((len(values), 0))
        return empty, empty
    below = [_others_below(curve, is_positive) for curve in values]
    positives, negatives = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    positive = np.array([curve[positives] for curve in below]) / n_negative
    negative = 1 - np.array([curve[negatives] for curve in below]) / n_positive
    return positive, negative


def _others_below(curve: Floats, is_positive: npt.NDArray[np.bool_]) -> Floats:
    """Count for each row the rows of the other class that rank below it, ties one half.

    It is the row's midrank among all rows less its midrank in its class, by one sort.
    """
    order = np.argsort(curve)
    ordered, positive = curve[order], is_positive[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    ends = np.r_[starts[1:], len(curve)]
    negatives = np.r_[0, np.cumsum(~positive)]
    all_below = np.repeat((starts + ends) / 2, ends - starts)
    negatives_below = np.repeat((negatives[starts] + negatives[ends]) / 2, ends - starts)
    below = np.empty(len(curve))
    below[order] = np.where(positive, negatives_below, all_below - negatives_below)
    return below


def _mean(placements: Floats) -> Floats:
    if placements.shape[1] == 0:
        return np.full(len(placements), np.nan)
    return np.asarray(placements.mean(axis=1), dtype=np.float64)


def _covariance(
    positive: Floats, negative: Floats, y: npt.ArrayLike, groups: npt.ArrayLike | None
) -> Floats:
    """Return the covariance (m, m) of AUCs from placements (m, positives) and (m, negatives)."""
    if groups is None:
        return _of_rows(positive) + _of_rows(negative)
    labels = np.asarray(y)
    _, group = np.unique(np.asarray(groups), return_inverse=True)
    apart = [group[labels == label] for label in (1, 0)]
    with_positive, with_negative = (len(np.unique(one)) for one in apart)
    if min(with_positive, with_negative) < 2:
        return np.full((len(positive), len(positive)), np.nan)
    count = int(group.max()) + 1
    of_positive, of_negative = (
        _sums(placements, one, count)
        for placements, one in zip((positive, negative), apart, strict=True)
    )
    both = _unbiased(count) * of_positive @ of_negative.T
    return np.asarray(
        _unbiased(with_positive) * of_positive @ of_positive.T
        + _unbiased(with_negative) * of_negative @ of_negative.T
        + both
        + both.T
    )


def _of_rows(placements: Floats) -> Floats:
    rows = placements.shape[1]
    if rows < 2:
        return np.full((len(placements), len(placements)), np.nan)
    covariance: Floats = np.atleast_2d(np.cov(placements)) / rows
    return covariance


def _sums(placements: Floats, group: npt.NDArray[np.intp], count: int) -> Floats:
    """Return by group (m, count) what its rows add to the deviation of the mean placement."""
    deviations = (placements - placements.mean(axis=1, keepdims=True)) / placements.shape[1]
    return np.array([np.bincount(group, one, minlength=count) for one in deviations])


def _unbiased(count: int) -> float:
    return count / (count - 1)


def groups_behind(y: npt.ArrayLike, groups: npt.ArrayLike) -> int:
    """Return in how many groups the rarer class lies: its rows', with a group per row.

    Fewer than two of them tell no variance; one less are the degrees of freedom that it has at
    least.
    """
    labels, group = np.asarray(y), np.asarray(groups)
    return min(len(np.unique(group[labels == label])) for label in (0, 1))
