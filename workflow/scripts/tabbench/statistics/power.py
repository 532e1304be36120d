"""Power of the combined DeLong test: the smallest gain that planned rows, draws and datasets show.

Per dataset a difference of mean ROC-AUCs is tested by DeLong's test, and the datasets' z are
combined by unweighted Stouffer (`gains`, `contrasts`). With a gain that all datasets share, the
combined z is normal around sum(gain / se) / sqrt(datasets) with variance 1; that of each dataset's
difference follows from assumed ROC-AUCs (`auc_variance`) and correlations.

The test takes the draws of examples as they are; so does its power. What other draws would give is
no part of either.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError
from tabbench.statistics.auc_variance import auc_variance

CHANCE = 0.5


class Classes(NamedTuple):
    """Test rows of a dataset, by class; fractions where a cap is only planned."""

    positive: float
    negative: float

    @property
    def rows(self) -> float:
        return self.positive + self.negative

    def capped(self, rows: float) -> "Classes":
        """At most so many rows, class proportions kept."""
        share = min(1.0, rows / self.rows)
        return Classes(share * self.positive, share * self.negative)


@dataclass(frozen=True)
class Assumptions:
    """What a plan cannot know.

    Attributes
    ----------
    auc : ROC-AUC without the gain
    correlation : of the estimated ROC-AUCs of two conditions on the same test rows
    draws_correlation : of those of two draws of examples; not smaller, as draws differ in less

    Raises
    ------
    TabBenchError
        When the correlations cannot be.
    """

    auc: float = 0.7
    correlation: float = 0.5
    draws_correlation: float = 0.7

    def __post_init__(self) -> None:
        if not self.correlation <= self.draws_correlation < 1:
            raise TabBenchError(
                f"configuration: plan.correlation {self.correlation:g} must not be larger than "
                f"plan.draws_correlation {self.draws_correlation:g}, and that must be below 1"
            )


@dataclass(frozen=True)
class Design:
    """A test over datasets.

    Attributes
    ----------
    datasets : test rows of each
    draws : curves whose mean is compared, and curves that it is compared with; 0 of the second for
        a comparison with chance
    sides : 1 or 2
    tests : tests that Holm's method corrects together; the smallest of their p counts
    """

    datasets: Sequence[Classes]
    draws: tuple[int, int]
    sides: int
    tests: int = 1

    def critical(self, level: float) -> float:
        """The combined z beyond which the test rejects whatever the others of its family say."""
        return float(norm.isf(level / self.sides / self.tests))


def difference_sd(
    classes: Classes, draws: tuple[int, int], auc: float, gain: float, assumed: Assumptions
) -> float:
    """Return DeLong's standard error of a difference that is to be expected.

    Examples
    --------
    >>> rows = Classes(100, 100)
    >>> alone = difference_sd(rows, (1, 1), 0.7, 0.0, Assumptions(correlation=0))
    >>> round(alone, 4), round(float(2 * auc_variance(0.7, 100, 100)) ** 0.5, 4)
    (0.0521, 0.0521)
    """
    better, other = (
        float(np.sqrt(auc_variance(value, *classes))) for value in (min(auc + gain, 1.0), auc)
    )
    first, second = draws
    variance = better**2 * _of_mean(first, assumed)
    if second:
        variance += other**2 * _of_mean(second, assumed) - 2 * assumed.correlation * better * other
    return float(np.sqrt(max(variance, 0.0)))


def _of_mean(draws: int, assumed: Assumptions) -> float:
    """The variance of a mean over draws, in that of one."""
    return (1 + (draws - 1) * assumed.draws_correlation) / draws


def power(design: Design, gain: float, level: float, assumed: Assumptions) -> float:
    """Return the probability that the combined test finds a gain that all datasets share."""
    critical = design.critical(level)
    spread, center = 1.0, 0.0
    if design.draws[1]:
        sds = _sds(design, assumed.auc, gain, assumed)
        center = float((gain / sds).sum() / np.sqrt(len(sds)))
    else:  # the scale is that of random rankings
        null = np.sqrt(
            [(1 + one.rows) / 12 / one.positive / one.negative for one in design.datasets]
        )
        sds = _sds(design, CHANCE, gain, assumed)
        center = float((gain / null).sum() / np.sqrt(len(null)))
        spread = float(np.sqrt(((sds / null) ** 2).mean()))
    found = float(norm.sf((critical - center) / spread))
    if design.sides == 2:
        found += float(norm.cdf((-critical - center) / spread))
    return found


def _chance_variance(classes: Classes) -> float:
    """The variance of the ROC-AUC of random rankings without ties."""
    return (classes.rows + 1) / 12 / classes.positive / classes.negative


def _sds(design: Design, auc: float, gain: float, assumed: Assumptions) -> Floats:
    return np.array(
        [difference_sd(one, design.draws, auc, gain, assumed) for one in design.datasets]
    )


def smallest_gain(design: Design, level: float, assumed: Assumptions, wanted: float = 0.8) -> float:
    """Return the smallest gain that the test finds with probability ``wanted``.

    NaN where even a ROC-AUC of 1 is not found, or there is no dataset with two rows of each class.
    """
    usable = [one for one in design.datasets if min(one) >= 2]
    base = assumed.auc if design.draws[1] else CHANCE
    most = 1 - base - 1e-6
    if not usable or most <= 0:
        return float("nan")
    tested = replace(design, datasets=usable)
    if power(tested, most, level, assumed) < wanted:
        return float("nan")
    return float(
        brentq(lambda gain: power(tested, gain, level, assumed) - wanted, 1e-9, most, xtol=1e-6)
    )


def observed_correlation(
    classes: Classes,
    draws: tuple[int, int],
    aucs: tuple[float, float],
    se: float,
    assumed: Assumptions,
) -> float:
    """Return the correlation of two conditions that explains the standard error of a pilot.

    It is at most that of two draws.

    Parameters
    ----------
    aucs : mean ROC-AUC of the first and of the second
    se : DeLong's, of their difference
    """
    better, other = (float(np.sqrt(auc_variance(value, *classes))) for value in aucs)
    both = better**2 * _of_mean(draws[0], assumed) + other**2 * _of_mean(draws[1], assumed)
    found = (both - se**2) / (2 * better * other)
    return float(np.clip(found, -1.0, assumed.draws_correlation))
