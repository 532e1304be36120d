"""Shares of correct answers: bootstrap intervals and McNemar's test on paired answers.

Questions are resampled with replacement, for a difference in pairs. A resample of yes-no answers
is fully told by its counts, so these are drawn: binomial for one share, multinomial for a
difference of two. Intervals are percentile intervals and speak of the questions alone, not of
the randomness of decoding.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from tabbench.errors import TabBenchError


@dataclass(frozen=True)
class ShareInterval:
    """``estimate`` is of the answers themselves; all NaN when ``n`` is 0."""

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
