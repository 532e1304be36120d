"""Is a ROC-AUC better than chance? The random baseline of the paper (Appendix D-A).

Two tests of the same question, both one-sided ("better than chance"):

- the paper's one-sample t-test. It takes the N random AUCs as a sample and compares their mean with
  the model's AUC as a fixed number. Its standard error therefore shrinks with the number of draws,
  which is arbitrary: with 1,000 draws, nearly half of all random rankings pass as better than
  chance at the level 0.05. It is here for comparison with the paper.
- the Monte-Carlo p-value: how often a random ranking reaches the model's AUC. It is valid for
  any number of draws, and never below 1 / (N + 1).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, hyp2f1, ndtri_exp
from scipy.stats import t as student

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError
from tabbench.statistics.combine import Combined, fisher, fisher_log10, stouffer_z

_BLOCK = 1 << 22
"""Largest number of random numbers in memory at once."""


@dataclass(frozen=True)
class ChanceTest:
    """One AUC against the AUCs of random rankings; everything is NaN where it is undefined.

    ``t`` is positive, and every p small, when the AUC is above chance. ``z_t`` is the standard
    normal quantile with the tail of ``t``: it stays exact in both tails where p does not.
    """

    auc: float
    null_mean: float
    null_sd: float
    draws: int
    t: float
    z_t: float
    p_t: float
    log10_p_t: float
    p_monte_carlo: float


@dataclass(frozen=True)
class ChanceOverDatasets:
    """The datasets' tests combined, by test and by method (paper: Fisher on the t-tests)."""

    fisher_t: Combined
    stouffer_t: Combined
    fisher_monte_carlo: Combined
    stouffer_monte_carlo: Combined


def null_aucs(y: npt.ArrayLike, draws: int = 1000, seed: int | Sequence[int] = 0) -> Floats:
    """Draw ROC-AUCs of random class probabilities on the given labels.

    Class 1's share of a symmetric Dirichlet(1, 1) draw is uniform on [0, 1], so its AUC is that
    of a uniformly random ranking.

    Parameters
    ----------
    y : (n,) array of 0 and 1

    Returns
    -------
    (draws,) array
        NaN when a class is missing.
    """
    positive = np.asarray(y) == 1
    n = len(positive)
    positives = int(positive.sum())
    pairs = positives * (n - positives)
    if pairs == 0:
        return np.full(draws, np.nan)
    random = np.random.default_rng(seed)
    ranks = np.arange(1.0, n + 1)
    rank_sums = np.empty(draws)
    block = max(1, _BLOCK // n)
    for start in range(0, draws, block):
        order = random.random((min(block, draws - start), n)).argsort(axis=1)
        rank_sums[start : start + block] = positive[order] @ ranks
    return (rank_sums - positives * (positives + 1) / 2) / pairs


def chance_test(auc: float, null: npt.ArrayLike) -> ChanceTest:
    """Test whether an AUC is above those of random rankings, one-sided.

    Parameters
    ----------
    auc : plain ROC-AUC (a folded one is above chance by construction)
    null : (N,) array from `null_aucs` on the same labels

    Returns
    -------
    ChanceTest
        ``t`` = (auc - mean) / (sd / sqrt(N)) with N - 1 degrees of freedom; NaN with its
        p-values where the null does not vary. ``p_monte_carlo`` = (1 + #{null >= auc}) / (N + 1).
    """
    sample = np.asarray(null, dtype=np.float64)
    draws = sample.size
    if draws < 2:
        raise TabBenchError(f"test against chance: {draws} random AUCs; draw at least 2")
    mean, sd = float(sample.mean()), float(sample.std(ddof=1))
    undefined = ChanceTest(auc, mean, sd, draws, *[float("nan")] * 5)
    if math.isnan(auc) or math.isnan(mean):
        return undefined
    p_monte_carlo = (1 + int((sample >= auc).sum())) / (draws + 1)
    if sd == 0:
        return replace(undefined, p_monte_carlo=p_monte_carlo)
    t = (auc - mean) / (sd / math.sqrt(draws))
    # The tail beyond |t| by its logarithm: exact on both sides of the null.
    log_tail = _log_t_tail(abs(t), draws - 1)
    log_p = log_tail if t >= 0 else math.log1p(-math.exp(log_tail))
    return replace(
        undefined,
        t=t,
        z_t=math.copysign(float(ndtri_exp(log_tail)), t),
        p_t=math.exp(log_p),
        log10_p_t=log_p / math.log(10),
        p_monte_carlo=p_monte_carlo,
    )


def combine_chance(tests: Iterable[ChanceTest]) -> ChanceOverDatasets:
    """Combine the datasets' tests by Fisher and by unweighted Stouffer; NaN left out, counted.

    A Monte-Carlo p of 1 enters Stouffer as N / (N + 1), the resolution of N draws: a z of minus
    infinity would outweigh all other datasets.
    """
    made = list(tests)
    p = np.array([test.p_monte_carlo for test in made])
    highest = np.array([test.draws / (test.draws + 1) for test in made])
    log_p = np.log(np.minimum(p, highest))
    return ChanceOverDatasets(
        fisher_t=fisher_log10([test.log10_p_t for test in made]),
        stouffer_t=stouffer_z([test.z_t for test in made]),
        fisher_monte_carlo=fisher(p),
        stouffer_monte_carlo=stouffer_z(-ndtri_exp(log_p)),
    )


def _log_t_tail(t: float, degrees: int) -> float:
    """Return the log of the upper tail of Student's t at t >= 0.

    scipy's is minus infinity where its probability underflows; the incomplete beta function
    behind it has a series that does not.
    """
    with np.errstate(divide="ignore"):
        log_tail = float(student.logsf(t, degrees))
    if math.isfinite(log_tail):
        return log_tail
    x, a = degrees / (degrees + t * t), degrees / 2
    series = float(hyp2f1(a + 0.5, 1, a + 1, x))
    log_beta = math.log(a) + float(betaln(a, 0.5))
    return a * math.log(x) + 0.5 * math.log1p(-x) - log_beta + math.log(series / 2)
