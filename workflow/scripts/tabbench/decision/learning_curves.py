"""Learning curves: ROC-AUC and PR-AUC of every model and baseline against the number of labels."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import t as student

from tabbench.core.arrays import Floats
from tabbench.core.schemas.decision import CURVES, NO_ANSWERS, OK, ONE_CLASS
from tabbench.decision.sides import (
    LEVEL,
    RESAMPLES,
    SEED,
    Answers,
    Codes,
    mean_and_bounds,
    ranking_status,
)
from tabbench.statistics.bootstrap import (
    average_precision,
    resampled_aucs,
    resampled_precisions,
)
from tabbench.statistics.chance import chance_test, null_aucs
from tabbench.statistics.delong import contrast_test, groups_behind
from tabbench.statistics.multiplicity import holm
from tabbench.statistics.roc_auc import roc_auc

RANDOM_RANKINGS = 10_000
CHANCE = 0.5


def each_auc(y: npt.NDArray[np.int64], p: Floats) -> Floats:
    """ROC-AUC of each draw."""
    return np.array([roc_auc(y, curve) for curve in p])


def learning_curves(answers: Answers) -> pd.DataFrame:
    """Return ROC-AUC and PR-AUC of every side, with intervals over test rows and draws.

    Rows are resampled within each class, so that PR-AUC keeps its base rate. Whether ROC-AUC is
    above chance is tested against random rankings of the same rows; a mean over draws varies no
    more than one ranking, so the test is never too lenient. Where rows come in groups, whole groups
    are resampled, and the test rests on the variance of groups.

    Returns
    -------
    DataFrame with the columns of ``schemas.decision.CURVES``
    """
    draws = answers.resamples(RESAMPLES)
    rows = []
    for side, curves in answers.curves.items():
        usable = answers.usable(side)
        y, p, groups = answers.y[usable], curves.p[:, usable], answers.groups_of(usable)
        status = ranking_status(y, p, groups)
        row: dict[str, Any] = side.named() | answers.counts(side) | {"status": status}
        if status == OK:
            found = mean_and_bounds(answers, side, each_auc, _aucs, draws)
            row |= dict(zip(("roc_auc", "roc_auc_low", "roc_auc_high"), found, strict=True))
            found = mean_and_bounds(answers, side, average_precision, _precisions, draws)
            row |= dict(zip(("pr_auc", "pr_auc_low", "pr_auc_high"), found, strict=True))
        elif status not in (NO_ANSWERS, ONE_CLASS):
            row["roc_auc"] = float(each_auc(y, p).mean())
            row["pr_auc"] = float(average_precision(y, p).mean())
        if status not in (NO_ANSWERS, ONE_CLASS):
            row["base_rate"] = float(y.mean())
            row["p_chance"] = _p_chance(y, p, groups)
        rows.append(row)
    found_curves = pd.DataFrame(rows).reindex(columns=CURVES.names).assign(level=LEVEL)
    found_curves["p_chance_holm"] = holm(found_curves["p_chance"].astype(float))
    return found_curves


def _aucs(y: npt.NDArray[np.int64], p: Floats, groups: Codes | None) -> Floats:
    return resampled_aucs(y, p, resamples=RESAMPLES, seed=SEED, groups=groups)


def _precisions(y: npt.NDArray[np.int64], p: Floats, groups: Codes | None) -> Floats:
    return resampled_precisions(y, p, resamples=RESAMPLES, seed=SEED, groups=groups)


def _p_chance(y: npt.NDArray[np.int64], p: Floats, groups: Codes | None) -> float:
    """One-sided p of a random ranking; of groups by their variance, or their number without any."""
    auc = float(each_auc(y, p).mean())
    if groups is None:
        return chance_test(auc, _null(len(y), int(y.sum()))).p_monte_carlo
    se = contrast_test(y, p, np.full(len(p), 1 / len(p)), groups).se
    if se > 0:
        return float(student.sf((auc - CHANCE) / se, groups_behind(y, groups) - 1))
    positive, negative = (len(np.unique(groups[y == label])) for label in (1, 0))
    return chance_test(auc, _null(positive + negative, positive)).p_monte_carlo


@lru_cache
def _null(n: int, positives: int) -> Floats:
    """ROC-AUCs of random rankings of so many rows; they do not depend on the rows' order."""
    return null_aucs(np.arange(n) < positives, RANDOM_RANKINGS, SEED)
