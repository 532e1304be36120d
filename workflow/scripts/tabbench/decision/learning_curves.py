"""Learning curves: ROC-AUC and PR-AUC of every model and baseline against the number of labels."""

from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.core.arrays import Floats
from tabbench.core.schemas.decision import CURVES, NO_ANSWERS, OK, ONE_CLASS
from tabbench.decision.sides import (
    LEVEL,
    RESAMPLES,
    SEED,
    Answers,
    all_seeds,
    mean_and_bounds,
    ranking_status,
)
from tabbench.statistics.bootstrap import (
    average_precision,
    resampled_aucs,
    resampled_precisions,
)
from tabbench.statistics.chance import chance_test, null_aucs
from tabbench.statistics.draws import DrawnResamples
from tabbench.statistics.multiplicity import holm
from tabbench.statistics.roc_auc import roc_auc

RANDOM_RANKINGS = 10_000


def each_auc(y: npt.NDArray[np.int64], p: Floats) -> Floats:
    """ROC-AUC of each draw."""
    return np.array([roc_auc(y, curve) for curve in p])


def learning_curves(answers: Answers) -> pd.DataFrame:
    """Return ROC-AUC and PR-AUC of every side, with intervals over test rows and draws.

    Rows are resampled within each class, so that PR-AUC keeps its base rate. Whether ROC-AUC is
    above chance is tested against random rankings of the same rows; a mean over draws varies no
    more than one ranking, so the test is never too lenient.

    Returns
    -------
    DataFrame with the columns of ``schemas.decision.CURVES``
    """
    draws = DrawnResamples(all_seeds(answers), RESAMPLES, SEED)
    aucs = partial(resampled_aucs, resamples=RESAMPLES, seed=SEED)
    precisions = partial(resampled_precisions, resamples=RESAMPLES, seed=SEED)
    rows = []
    for side, curves in answers.curves.items():
        usable = answers.usable(side)
        y, p = answers.y[usable], curves.p[:, usable]
        status = ranking_status(y, p)
        row: dict[str, Any] = side.named() | answers.counts(side) | {"status": status}
        if status == OK:
            shared = (answers.y, curves, usable)
            found = mean_and_bounds(*shared, each_auc, aucs, draws)
            row |= dict(zip(("roc_auc", "roc_auc_low", "roc_auc_high"), found, strict=True))
            found = mean_and_bounds(*shared, average_precision, precisions, draws)
            row |= dict(zip(("pr_auc", "pr_auc_low", "pr_auc_high"), found, strict=True))
        elif status not in (NO_ANSWERS, ONE_CLASS):
            row["roc_auc"] = float(each_auc(y, p).mean())
            row["pr_auc"] = float(average_precision(y, p).mean())
        if status not in (NO_ANSWERS, ONE_CLASS):
            row["base_rate"] = float(y.mean())
            null = _null(len(y), int(y.sum()))
            row["p_chance"] = chance_test(row["roc_auc"], null).p_monte_carlo
        rows.append(row)
    found_curves = pd.DataFrame(rows).reindex(columns=CURVES.names).assign(level=LEVEL)
    found_curves["p_chance_holm"] = holm(found_curves["p_chance"].astype(float))
    return found_curves


@lru_cache
def _null(n: int, positives: int) -> Floats:
    """ROC-AUCs of random rankings of so many rows; they do not depend on the rows' order."""
    return null_aucs(np.arange(n) < positives, RANDOM_RANKINGS, SEED)
