"""Lifts: how much more often answers are right than by chance, or than in a control.

Intervals are percentiles of 2,000 resamples of the answers. Both tests are permutation tests,
one-sided (more often) and exact: their distributions are computed, not drawn. They cover sampling
of the cells, which they take as independent.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError


@dataclass(frozen=True)
class Lift:
    """A difference of two shares; ``p`` is one-sided. All NaN when ``n`` is 0."""

    estimate: float
    low: float
    high: float
    p: float
    n: int


def lift_over_chance(correct: npt.ArrayLike, chance: npt.ArrayLike) -> Lift:
    """Compare answers with values drawn at random.

    The test replaces each answer by a random value of its column; p is the probability that at
    least as many are right.

    Parameters
    ----------
    correct : (n,) array of 0 and 1
    chance : (n,) array, probability that a random value is right in the place of each answer
    """
    right, expected = _checked(correct), np.asarray(chance, dtype=np.float64)
    return _lift(right - expected, hits_at_least(int(right.sum()), expected))


def lift_over_control(correct: npt.ArrayLike, control: npt.ArrayLike) -> Lift:
    """Compare answers with those to a control, pair by pair.

    The test swaps the two answers of each pair at random (it flips signs of the differences); p is
    the probability that the difference is at least as large. Only pairs that differ matter, so the
    number of pairs won is binomial.

    Parameters
    ----------
    correct, control : (n,) arrays of 0 and 1
    """
    differences = _checked(correct) - _checked(control)
    changed, won = int((differences != 0).sum()), int((differences > 0).sum())
    return _lift(differences, hits_at_least(won, np.full(changed, 0.5)))


def hits_at_least(hits: int, chance: npt.ArrayLike) -> float:
    """Return the probability of that many successes or more in independent trials.

    Parameters
    ----------
    chance : (n,) array, probability of success of each trial
    """
    distribution = np.ones(1)
    for p in np.asarray(chance, dtype=np.float64):
        distribution = np.convolve(distribution, [1 - p, p])
    return float(min(1.0, distribution[hits:].sum()))


def _lift(differences: Floats, p: float) -> Lift:
    n = len(differences)
    if n == 0:
        return Lift(np.nan, np.nan, np.nan, np.nan, 0)
    drawn = np.random.default_rng(0).integers(n, size=(2000, n))
    low, high = np.quantile(differences[drawn].mean(axis=1), [0.025, 0.975]).tolist()
    return Lift(float(differences.mean()), low, high, p, n)


def _checked(answers: npt.ArrayLike) -> Floats:
    values = np.asarray(answers, dtype=np.float64)
    if values.ndim != 1 or not np.isin(values, (0.0, 1.0)).all():
        raise TabBenchError("lifts: answers must be one row of 0 and 1")
    return values
