"""Shares of correct answers: intervals, and McNemar's test on paired answers.

Intervals are Wilson's, or by bootstrap: questions are resampled with replacement, for a difference
in pairs. Only the counts of a resample of yes-no answers matter, so these are drawn: binomial for
one share, multinomial for a difference of two. Bootstrap intervals are percentile intervals and
cover sampling of the questions only, not the randomness of decoding.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, norm

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError


@dataclass(frozen=True)
class ShareInterval:
    """``estimate`` is from the answers themselves; all NaN when ``n`` is 0."""

    estimate: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class McNemar:
    """Exact McNemar test.

    Attributes
    ----------
    gained : pairs wrong before and right after
    lost : pairs right before and wrong after
    n : all pairs
    p : two-sided; 1 when no pair changed
    """

    gained: int
    lost: int
    n: int
    p: float


def wilson_interval(
    share: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of Wilson's score interval of a share of n rows.

    Parameters
    ----------
    share : array in [0, 1]
    n : array of the same shape, positive
    """
    rate, rows = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z = float(norm.isf((1 - level) / 2))
    centre = (rate + z**2 / (2 * rows)) / (1 + z**2 / rows)
    half = z / (1 + z**2 / rows) * np.sqrt(rate * (1 - rate) / rows + z**2 / (4 * rows**2))
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)


def effective_rows(outcomes: npt.ArrayLike, groups: npt.ArrayLike | None) -> float:
    """Return how many independent rows would tell a share as well as rows that come in groups.

    It is n over the design effect, the variance of the share by groups over that of as many
    independent rows, and lies between the number of groups and that of rows. Where all outcomes are
    equal, which tells no variance, each group counts as a row.

    Parameters
    ----------
    outcomes : (n,) array of 0 and 1
    groups : (n,) array of each row's group; None where rows are independent
    """
    values = np.asarray(outcomes, dtype=np.float64)
    if groups is None or not len(values):
        return float(len(values))
    _, group = np.unique(np.asarray(groups), return_inverse=True)
    sums = np.bincount(group, values - values.mean())
    count = len(sums)
    if count == 1 or np.ptp(values) == 0:
        return float(count)
    variance = count / (count - 1) * float((sums**2).sum()) / len(values) ** 2
    if variance == 0:
        return float(len(values))
    return float(np.clip(values.var() / variance, count, len(values)))


def share_interval(
    correct: npt.ArrayLike, *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> ShareInterval:
    """Return the bootstrap interval of a share.

    Parameters
    ----------
    correct : (n,) array of 0 and 1

    Raises
    ------
    TabBenchError
        When a value is neither 0 nor 1.
    """
    values = _checked(correct)
    n = len(values)
    if n == 0:
        return ShareInterval(np.nan, np.nan, np.nan, 0)
    share = float(values.mean())
    drawn = np.random.default_rng(seed).binomial(n, share, size=resamples) / n
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return ShareInterval(share, low, high, n)


def mean_share_interval(
    shares: npt.ArrayLike, *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> ShareInterval:
    """Return the bootstrap interval of the mean of shares, of several answers to a question, say.

    Parameters
    ----------
    shares : (n,) array in [0, 1]; its entries are resampled, each as a whole
    """
    values = np.asarray(shares, dtype=np.float64)
    n = len(values)
    if n == 0:
        return ShareInterval(np.nan, np.nan, np.nan, 0)
    distinct, counts = np.unique(values, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=resamples) @ distinct / n
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return ShareInterval(float(values.mean()), low, high, n)


def share_difference_interval(
    before: npt.ArrayLike,
    after: npt.ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> ShareInterval:
    """Return the paired bootstrap interval of share(after) - share(before).

    Parameters
    ----------
    before, after : (n,) arrays of 0 and 1, pair by pair
    """
    test = mcnemar(before, after)
    if test.n == 0:
        return ShareInterval(np.nan, np.nan, np.nan, 0)
    shares = [test.gained / test.n, test.lost / test.n]
    drawn = np.random.default_rng(seed).multinomial(
        test.n, [*shares, max(0.0, 1 - sum(shares))], size=resamples
    )
    differences = (drawn[:, 0] - drawn[:, 1]) / test.n
    low, high = np.quantile(differences, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return ShareInterval(shares[0] - shares[1], low, high, test.n)


def mean_share_change(
    before: npt.ArrayLike,
    after: npt.ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> ShareInterval:
    """Return the bootstrap interval of a mean over systems of share(after) - share(before).

    Questions are resampled with all their answers, so that systems that answer the same questions
    count once as evidence, and within each group, so that the groups keep their sizes.

    Parameters
    ----------
    before, after : (questions, systems) arrays of 0, 1 and NaN (not judged): two groups of
        questions that the same systems answer, each system at least one of either group

    Returns
    -------
    ShareInterval
        ``n`` counts the questions of both groups; all NaN where there is no system.
    """
    groups = [np.asarray(one, dtype=np.float64) for one in (before, after)]
    for one in groups:
        _checked(one[~np.isnan(one)])
    n = sum(map(len, groups))
    if min(one.size for one in groups) == 0:
        return ShareInterval(np.nan, np.nan, np.nan, n)
    random = np.random.default_rng(seed)
    means, drawn = [], []
    for one in groups:
        judged, right = ~np.isnan(one), np.nan_to_num(one)
        counts = random.multinomial(len(one), np.full(len(one), 1 / len(one)), size=resamples)
        answers = (counts @ judged).astype(np.float64)
        empty = np.full_like(answers, np.nan)  # a resample without a judged answer of a system
        means.append(right.sum(axis=0) / judged.sum(axis=0))
        drawn.append(np.divide(counts @ right, answers, out=empty, where=answers > 0))
    changes = drawn[1] - drawn[0]
    changes = np.nanmean(changes[~np.isnan(changes).all(axis=1)], axis=1)
    low, high = np.quantile(changes, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return ShareInterval(float((means[1] - means[0]).mean()), low, high, n)


def mcnemar(before: npt.ArrayLike, after: npt.ArrayLike) -> McNemar:
    """Test whether as many pairs were gained as lost (exact, binomial, two-sided).

    Parameters
    ----------
    before, after : (n,) arrays of 0 and 1, pair by pair

    Examples
    --------
    >>> mcnemar([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1]).p
    0.0625
    """
    first, second = _checked(before), _checked(after)
    if first.shape != second.shape:
        raise TabBenchError(f"McNemar: {len(first)} answers before and {len(second)} after")
    gained = int(((first == 0) & (second == 1)).sum())
    lost = int(((first == 1) & (second == 0)).sum())
    changed = gained + lost
    p = float(binomtest(gained, changed, 0.5).pvalue) if changed else 1.0
    return McNemar(gained, lost, len(first), p)


def _checked(answers: npt.ArrayLike) -> npt.NDArray[np.float64]:
    values = np.asarray(answers, dtype=np.float64)
    if values.ndim != 1 or not np.isin(values, (0.0, 1.0)).all():
        raise TabBenchError(
            "shares: answers must be one row of 0 and 1; leave out what could not be judged"
        )
    return values
