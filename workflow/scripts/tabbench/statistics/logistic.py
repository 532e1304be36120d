"""Logistic regression of yes-no answers, several of them to the same question.

Each system has an intercept of its own. Standard errors are robust to correlated answers of a
cluster, a question (Liang and Zeger's sandwich with the factors G/(G-1) and (N-1)/(N-K)); tests
and intervals use Student's t with G-1 degrees of freedom, for G clusters.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linprog
from scipy.stats import PermutationMethod, pearsonr, t
from sklearn.linear_model import LogisticRegression

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError

FEWEST = 15
"""Clusters, and answers of the rarer kind, for each slope; with fewer, errors are too small."""


class NotFitted(TabBenchError):
    """The data do not determine a regression; the message says why, without a full stop."""


@dataclass(frozen=True)
class LogisticFit:
    """Slopes on the scale of log odds, with 95 % intervals and two-sided p-values, all (k,)."""

    slopes: Floats
    low: Floats
    high: Floats
    p: Floats


def logistic_fit(
    x: npt.ArrayLike, y: npt.ArrayLike, systems: npt.ArrayLike, clusters: npt.ArrayLike
) -> LogisticFit:
    """Fit slopes common to all systems by maximum likelihood, without a penalty.

    Parameters
    ----------
    x : (n, k) array
    y : (n,) array of 0 and 1, both of them in each system
    systems, clusters : (n,) labels

    Raises
    ------
    NotFitted
        When there are too few clusters or answers of a kind, columns depend on each other, or a
        combination of the columns separates right from wrong.
    """
    design, outcome = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    k = design.shape[1]
    groups = pd.factorize(np.asarray(clusters))[0]
    count = int(groups.max()) + 1
    rarer = int(min(outcome.sum(), (1 - outcome).sum()))
    if min(count, rarer) < FEWEST * k:
        kind = "right" if outcome.mean() < 0.5 else "wrong"
        raise NotFitted(
            f"{count} questions with {rarer} {kind} answers; {FEWEST * k} of each are the fewest "
            f"for {k} metric{'s' * (k > 1)}"
        )
    full = np.column_stack([pd.get_dummies(np.asarray(systems)).to_numpy(np.float64), design])
    if np.linalg.matrix_rank(full) < full.shape[1]:
        raise NotFitted("a metric follows from the others")
    if _separates(full, outcome):
        raise NotFitted("a combination of metrics separates right answers from wrong ones")
    # C = inf: no penalty. The intercepts are the columns of the systems.
    model = LogisticRegression(
        C=np.inf, solver="newton-cholesky", fit_intercept=False, tol=1e-10, max_iter=1000
    ).fit(full, outcome)
    fitted = model.predict_proba(full)[:, 1]
    bread = np.linalg.inv(full.T @ (full * (fitted * (1 - fitted))[:, None]))
    scores = np.zeros((count, full.shape[1]))
    np.add.at(scores, groups, full * (outcome - fitted)[:, None])
    n = len(outcome)
    factor = count / (count - 1) * (n - 1) / (n - full.shape[1])
    errors = np.sqrt(factor * np.diag(bread @ (scores.T @ scores) @ bread))[-k:]
    slopes = model.coef_[0][-k:]
    width = t.isf(0.025, count - 1) * errors
    p = 2 * t.sf(np.abs(slopes / errors), count - 1)
    return LogisticFit(slopes, slopes - width, slopes + width, p)


def _separates(design: Floats, y: Floats) -> bool:
    """Whether some slopes put no answer on the wrong side and one on the right side (Konis 2007).

    Then the likelihood has no largest value.
    """
    sides = np.unique(design * (2 * y - 1)[:, None], axis=0)
    found = linprog(-sides.sum(axis=0), A_ub=-sides, b_ub=np.zeros(len(sides)), bounds=(-1, 1))
    return bool(-found.fun > 1e-6)


def trend_p(
    values: npt.ArrayLike,
    y: npt.ArrayLike,
    systems: npt.ArrayLike,
    clusters: npt.ArrayLike,
    permutations: int = 9999,
) -> float:
    """Test for a trend of right answers along a measure of the clusters, two-sided.

    The Cochran-Armitage statistic, each system's answers centred on its own share, summed over a
    cluster's answers; its distribution comes from random permutations of the clusters' values, so
    correlated answers to a question do not count as several.

    Parameters
    ----------
    values : (n,) array, the same for all answers of a cluster
    y : (n,) array of 0 and 1
    systems, clusters : (n,) labels

    Returns
    -------
    p-value; NaN where the values or the answers do not vary, or with fewer than 3 clusters
    """
    frame = pd.DataFrame(
        {"value": values, "y": np.asarray(y, dtype=np.float64), "system": systems, "of": clusters}
    )
    frame["y"] -= frame.groupby("system")["y"].transform("mean")
    summed = frame.groupby("of").agg(value=("value", "first"), y=("y", "sum"))
    if len(summed) < 3 or np.ptp(summed["value"]) == 0 or np.abs(summed["y"]).max() < 1e-9:
        return np.nan
    method = PermutationMethod(n_resamples=permutations, rng=np.random.default_rng(0))
    return float(pearsonr(summed["value"], summed["y"], method=method).pvalue)


def inflation(x: npt.ArrayLike) -> Floats:
    """Variance inflation factors: by how much its correlation with the others inflates a variance.

    Parameters
    ----------
    x : (n, k) array

    Returns
    -------
    (k,) array; all NaN where a column follows from the others, or does not vary
    """
    values = np.asarray(x, dtype=np.float64)
    centred = values - values.mean(axis=0)
    if np.linalg.matrix_rank(centred) < values.shape[1]:
        return np.full(values.shape[1], np.nan)
    return np.asarray(np.diag(np.linalg.inv(np.atleast_2d(np.corrcoef(values, rowvar=False)))))
