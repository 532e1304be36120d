"""Estimates that are means over draws of examples: their spread over test rows and over draws.

A new draw of examples gives another curve, on the same test rows. The variance of the mean over b
draws has two parts: that of the test rows, which all draws share, and v / b with v the variance
among draws. The variance s² observed among them holds v and the rows' part that differs between
draws, which the first part counts already; so v = s² less that, and never below 0. With a single
draw nothing is known of v, and only the rows count.

Few draws tell s² badly. Student's t takes the normal's place, with Satterthwaite's degrees of
freedom, variance² (b - 1) / (s² / b)². In simulations without a difference, where draws vary about
as much as test rows, the level 0.05 was reached in 8 to 11 % with two draws and in 4 to 7 % with
three or five; by the rows alone in 14 to 56 %.

Where rows come in groups, the rows' part is that of groups (`delong`), and few groups tell it badly
as well: it has as many degrees of freedom as the rarer class has groups, less one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from scipy.stats import t as student

from tabbench.core.arrays import Floats
from tabbench.statistics.delong import contrast_test, delong_covariance, groups_behind


@dataclass(frozen=True)
class DrawnTest:
    """A difference of mean AUCs; NaN where DeLong's test is undefined (`delong`).

    ``first`` and ``second`` are the mean AUCs, ``se_rows`` is DeLong's standard error,
    ``variance_draws`` what draws add to its square, ``df`` the degrees of freedom. Where both sides
    rank alike, the difference and its interval are 0 and p is 1. ``groups`` are those behind the
    rarer class, 0 where rows are independent.
    """

    first: float
    second: float
    difference: float
    se_rows: float
    variance_draws: float
    df: float
    p: float
    groups: int = 0

    @property
    def se(self) -> float:
        return float(np.hypot(self.se_rows, np.sqrt(self.variance_draws)))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the bounds of the two-sided interval; it leaves out 0 where p < 1 - level."""
        if np.isnan(self.p) or self.se == 0:
            return (0.0, 0.0) if self.p == 1 else (np.nan, np.nan)
        half = float(student.isf((1 - level) / 2, self.df)) * self.se
        return max(self.difference - half, -1.0), min(self.difference + half, 1.0)


def drawn_difference(
    y: npt.ArrayLike,
    first: Floats,
    second: Floats,
    *,
    paired: bool,
    groups: npt.ArrayLike | None = None,
) -> DrawnTest:
    """Test whether the mean AUC of the first curves differs from that of the second.

    Parameters
    ----------
    y : (n,) array of 0 and 1
    first, second : (a, n) and (b, n) arrays of finite numbers, one row per draw of examples
    paired : whether row i of both rests on one draw; then a = b
    groups : (n,) array of each row's group; None where rows are independent
    """
    a, b = len(first), len(second)
    if paired:
        parts = [np.hstack([np.eye(a), -np.eye(b)])]
    else:
        parts = [
            np.hstack([np.eye(a), np.zeros((a, b))]),
            np.hstack([np.zeros((b, a)), -np.eye(b)]),
        ]
    curves = np.vstack([first, second])
    test = contrast_test(y, curves, np.r_[np.full(a, 1 / a), np.full(b, -1 / b)], groups)
    means = float(test.aucs[:a].mean()), float(test.aucs[a:].mean())
    behind = 0 if groups is None else groups_behind(y, groups)
    if np.isnan(test.p_two_sided) or test.se == 0:
        return DrawnTest(*means, test.difference, test.se, 0.0, np.inf, test.p_two_sided, behind)
    spreads = _over_draws(y, curves, parts, groups)
    variance = test.se**2 + sum(spread.added for spread in spreads)
    df = degrees_of_freedom(variance, spreads, test.se**2, behind)
    p = float(2 * student.sf(abs(test.difference) / np.sqrt(variance), df))
    added = variance - test.se**2
    return DrawnTest(*means, test.difference, test.se, added, df, p, behind)


@dataclass(frozen=True)
class Spread:
    """Of a mean over ``draws``: its variance as observed, s² / b, and the part v / b of it."""

    observed: float
    added: float
    draws: int


def spread(values: Floats, apart: float) -> Spread:
    """Return the spread over draws of (b,) values, of whose variance rows alone make ``apart``."""
    variance, draws = float(values.var(ddof=1)), len(values)
    return Spread(variance / draws, max(variance - apart, 0.0) / draws, draws)


def degrees_of_freedom(
    variance: float, spreads: Sequence[Spread], of_groups: float = 0.0, groups: int = 0
) -> float:
    """Return Satterthwaite's degrees of freedom, never fewer than those of the fewest draws.

    They are infinite where draws do not differ and rows are independent.

    Parameters
    ----------
    of_groups, groups : the part of the variance that rests on so many groups of rows; 0 groups
        where rows are independent
    """
    parts = [(one.observed, one.draws - 1) for one in spreads]
    if groups:
        parts.append((of_groups, groups - 1))
    uncertain = sum(part**2 / df for part, df in parts)
    if not uncertain:
        return np.inf
    return max(variance**2 / uncertain, min(df for _, df in parts))


def _over_draws(
    y: npt.ArrayLike, curves: Floats, parts: Sequence[Floats], groups: npt.ArrayLike | None
) -> list[Spread]:
    """Return the spread of each part, a matrix (b, curves) of contrasts, with several draws."""
    several = [part for part in parts if len(part) > 1]
    if not several:
        return []
    aucs, covariance = delong_covariance(y, curves, groups)
    spreads = []
    for part in several:
        own = part @ covariance @ part.T
        apart = (np.trace(own) - own.sum() / len(part)) / (len(part) - 1)
        spreads.append(spread(part @ aucs, float(apart)))
    return spreads


class DrawnResamples:
    """Turn resamples of the test rows into resamples of rows and draws.

    To the mean over draws of a resample comes the deviation that other draws could have: each
    seed has a random weight, the same for all curves that rest on its examples, so that
    differences keep their pairing (multiplier bootstrap). As few draws tell their variance badly,
    the resamples are stretched by the quantiles of Student's t, with the degrees of freedom of
    `DrawnTest`.

    Parameters
    ----------
    seeds : of all draws
    resamples : number of resamples
    level : two-sided coverage at which the stretch is right
    groups : number of groups that the rarer class lies in; 0 where rows are independent
    """

    def __init__(
        self,
        seeds: Sequence[int],
        resamples: int,
        seed: int = 0,
        level: float = 0.95,
        groups: int = 0,
    ) -> None:
        random = np.random.default_rng([seed, len(seeds)])
        self._place = {drawn: place for place, drawn in enumerate(seeds)}
        self._weights = random.standard_normal((resamples, len(seeds)))
        self._tail = (1 - level) / 2
        self._groups = groups

    def means(self, seeds: Sequence[int], values: Floats, resampled: Floats) -> Floats:
        """Return the mean over draws in each resample, shape (resamples,).

        Parameters
        ----------
        seeds : (b,) of the draws
        values : (b,) the statistic of each draw on the rows themselves
        resampled : (resamples, b) the same in each resample of the rows; a resample with NaN, where
            the statistic is not defined, gives NaN
        """
        draws = len(seeds)
        means = np.asarray(resampled.mean(axis=1), dtype=np.float64)
        of_rows, added, spreads = float(np.nanvar(means)), 0.0, []
        deviations = np.zeros(len(means))
        if draws > 1 and np.ptp(values) > 0:
            # What rows alone make draws differ by is in the resampled means already.
            apart = np.nanvar(resampled - means[:, None], axis=0).sum() / (draws - 1)
            found = spread(values, float(apart))
            weights = self._weights[:, [self._place[seed] for seed in seeds]]
            directions = (values - values.mean()) / np.sqrt((draws - 1) * values.var(ddof=1))
            deviations = weights @ directions * np.sqrt(found.added)
            added, spreads = found.added, [found]
        df = degrees_of_freedom(of_rows + added, spreads, of_rows, self._groups)
        if np.isinf(df):
            return means
        stretch = student.isf(self._tail, df) / norm.isf(self._tail)
        estimate = values.mean()
        return np.asarray(estimate + (means + deviations - estimate) * stretch)
