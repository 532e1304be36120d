"""Combine p-values of independent tests: Stouffer (gains) and Fisher (against chance).

NaN entries are tests that could not be made: they are left out and counted. ``log10_p`` still
distinguishes probabilities below the smallest double.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp
from scipy.stats import chi2, norm

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError


@dataclass(frozen=True)
class Combined:
    """A combined test. ``n`` tests entered, ``n_left_out`` were NaN; all NaN when n is 0."""

    statistic: float
    p: float
    log10_p: float
    n: int
    n_left_out: int


def stouffer(p_values: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Combined:
    """Combine one-sided p-values by Stouffer's method (paper, Appendix D-B).

    Parameters
    ----------
    p_values : (n,) array in [0, 1]
    weights : (n,) array of positive numbers, optional
        Equal weights when not given, as in the paper.

    Returns
    -------
    Combined
        ``statistic`` is the combined z, ``p`` its upper tail. Where z-scores are available, use
        ``stouffer_z``: a p-value close to 1 loses precision, and 0 combined with 1 is undefined
        (NaN).

    Raises
    ------
    TabBenchError
        When a p-value is outside [0, 1] or a weight is not positive.
    """
    return stouffer_z(norm.isf(_checked(p_values)), weights)


def stouffer_z(z_scores: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Combined:
    """Combine z-scores by Stouffer's method: sum(w z) / sqrt(sum(w^2)), upper tail.

    Examples
    --------
    >>> combined = stouffer_z([3.0, 0.0, 0.0, 1.0, float("nan")])
    >>> combined.statistic, combined.n, combined.n_left_out
    (2.0, 4, 1)
    """
    z = np.asarray(z_scores, dtype=np.float64)
    w = np.ones_like(z) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != z.shape or not (w > 0).all():
        raise TabBenchError("Stouffer: weights must be positive, one for each test")
    valid = ~np.isnan(z)
    z, w, left_out = z[valid], w[valid], int((~valid).sum())
    if len(z) == 0:
        return _nothing(left_out)
    with np.errstate(invalid="ignore"):  # +inf and -inf together: undefined, not a crash
        combined = float(w @ z / np.sqrt(w @ w))
    log10_p = float(norm.logsf(combined)) / math.log(10)
    return Combined(combined, float(norm.sf(combined)), log10_p, len(z), left_out)


def two_sided(combined: Combined) -> Combined:
    """Return a combined z with the p-value of both tails instead of the upper one.

    Examples
    --------
    >>> both = two_sided(stouffer_z([-1.0, -2.0, -3.0]))
    >>> round(both.statistic, 3), round(both.p, 6)
    (-3.464, 0.000532)
    """
    tail = abs(combined.statistic)
    log10_p = (math.log(2) + float(norm.logsf(tail))) / math.log(10)
    return replace(combined, p=2 * float(norm.sf(tail)), log10_p=log10_p)


def fisher(p_values: npt.ArrayLike) -> Combined:
    """Combine p-values by Fisher's method (paper, Appendix D-C).

    Returns
    -------
    Combined
        ``statistic`` is -2 sum(ln p), chi-squared with 2 n degrees of freedom under the joint
        null. A p-value of 0 gives an infinite statistic.
    """
    with np.errstate(divide="ignore"):
        return _fisher(np.log(_checked(p_values)))


def fisher_log10(log10_p_values: npt.ArrayLike) -> Combined:
    """Combine p-values by Fisher's method, given as log10(p): they may be below any double.

    Examples
    --------
    >>> round(fisher_log10([-500.0, -500.0]).log10_p)
    -997
    """
    log10_p = np.asarray(log10_p_values, dtype=np.float64)
    if (log10_p > 0).any():
        raise TabBenchError(
            f"Fisher: {np.nanmax(log10_p)} is no log10 of a p-value: none is above 0"
        )
    return _fisher(log10_p * math.log(10))


def _fisher(log_p: Floats) -> Combined:
    valid = ~np.isnan(log_p)
    log_p, left_out = log_p[valid], int((~valid).sum())
    if len(log_p) == 0:
        return _nothing(left_out)
    statistic = float(-2 * log_p.sum())
    p_combined = float(chi2.sf(statistic, 2 * len(log_p)))
    log10_p = _log_chi2_tail(statistic, len(log_p)) / math.log(10)
    return Combined(statistic, p_combined, log10_p, len(log_p), left_out)


def _log_chi2_tail(statistic: float, half_degrees: int) -> float:
    """Return the log of the upper tail of chi-squared with an even number of degrees.

    A closed form, exp(-x/2) sum((x/2)^i / i!); ``chi2.logsf`` is minus infinity where its
    probability underflows.
    """
    if not 0 < statistic < math.inf:
        return 0.0 if statistic == 0 else -statistic
    i = np.arange(half_degrees)
    half = statistic / 2
    return min(float(logsumexp(i * math.log(half) - gammaln(i + 1))) - half, 0.0)


def _checked(p_values: npt.ArrayLike) -> Floats:
    p = np.asarray(p_values, dtype=np.float64)
    wrong = p[(p < 0) | (p > 1)]
    if wrong.size:
        raise TabBenchError(f"{wrong[0]} is no p-value: they lie between 0 and 1")
    return p


def _nothing(left_out: int) -> Combined:
    return Combined(float("nan"), float("nan"), float("nan"), 0, left_out)
