"""Rank correlation of two measures of the same datasets, with permutation tests."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import permutation_test, rankdata

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError

FEWEST = 3
"""Smallest number of pairs for a correlation; two always agree or disagree entirely."""


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rho and Kendall's tau-b over ``n`` pairs, with two-sided p-values.

    All are NaN with fewer than `FEWEST` pairs, or where one side does not vary. ``exact`` says
    whether the p-values use all n! pairings, else random ones.
    """

    n: int
    rho: float
    p_rho: float
    tau: float
    p_tau: float
    exact: bool


def rank_correlation(
    first: npt.ArrayLike, second: npt.ArrayLike, permutations: int = 9999, seed: int = 0
) -> RankCorrelation:
    """Correlate the ranks of two measures; ties share their mean rank.

    Parameters
    ----------
    first, second : (m,) arrays; pairs with a NaN are left out
    permutations : random pairings per test; where n! is not larger (n <= 7), all pairings are used

    Raises
    ------
    TabBenchError
        When the two differ in length.

    Examples
    --------
    >>> found = rank_correlation([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0])
    >>> found.n, round(found.rho, 3), round(found.p_rho, 3), found.exact
    (4, 1.0, 0.083, True)
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise TabBenchError(
            f"rank correlation: {x.shape} values against {y.shape}; give one pair per dataset"
        )
    complete = ~(np.isnan(x) | np.isnan(y))
    x, y = rankdata(x[complete]), rankdata(y[complete])
    exact = math.factorial(min(len(x), 20)) <= permutations
    if len(x) < FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return RankCorrelation(len(x), math.nan, math.nan, math.nan, math.nan, exact)

    def tested(statistic: Callable[[Floats, Floats], Floats]) -> tuple[float, float]:
        found = permutation_test(
            (x,),
            lambda pairing, axis: statistic(np.moveaxis(pairing, axis, -1), y),
            permutation_type="pairings",
            vectorized=True,
            n_resamples=permutations,
            batch=1000,
            rng=np.random.default_rng(seed),
        )
        return float(found.statistic), float(found.pvalue)

    return RankCorrelation(len(x), *tested(_rho), *tested(_tau), exact)


def _rho(x: Floats, y: Floats) -> Floats:
    """Pearson's correlation of ranks; x (..., n) and y (n,)."""
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean()
    scale = np.sqrt((x**2).sum(axis=-1) * (y**2).sum())
    return np.asarray((x @ y) / scale)


def _tau(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b; x (..., n) and y (n,)."""
    i, j = np.triu_indices(len(y), 1)
    of_x, of_y = np.sign(x[..., i] - x[..., j]), np.sign(y[i] - y[j])
    scale = np.sqrt(np.abs(of_x).sum(axis=-1) * np.abs(of_y).sum())
    return np.asarray((of_x @ of_y) / scale)
