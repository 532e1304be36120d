"""The leaderboard (Table 2) and tests between its rows."""

from collections.abc import Sequence

import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.scores import (
    DIRECT,
    SYSTEM,
    accuracies,
    every_seed,
    judged,
    of_condition,
)
from tabbench.statistics.multiplicity import holm
from tabbench.statistics.proportions import mcnemar, share_difference_interval


def leaderboard(scores: pd.DataFrame) -> pd.DataFrame:
    """Zero-shot direct accuracy of each model and method over all seeds, the best first.

    Returns
    -------
    DataFrame with model, execution and the columns of `scores.accuracies`
    """
    direct = every_seed(scores, DIRECT)
    if direct.empty:
        raise TabBenchError("leaderboard: no zero-shot answers without a plan are scored")
    table = accuracies(direct, SYSTEM)
    return table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def of_best_system(scores: pd.DataFrame) -> pd.DataFrame:
    """Zero-shot direct rows of the system that leads the leaderboard, of the first seed."""
    model, execution = leaderboard(scores).loc[0, SYSTEM]
    direct = of_condition(scores, DIRECT)
    return direct[(direct["model"] == model) & (direct["execution"] == execution)]


def compare(
    scores: pd.DataFrame, pairs: Sequence[tuple[tuple[str, str], tuple[str, str]]]
) -> pd.DataFrame:
    """Compare systems two by two on the questions that both were judged on, zero-shot direct.

    Parameters
    ----------
    pairs : pairs of (model, execution); the second is compared with the first

    Returns
    -------
    DataFrame with model, execution, model_2, execution_2, n, accuracy, accuracy_2, difference, low,
    high (95 %, paired bootstrap), gained, lost, p (exact McNemar, two-sided) and p_holm over all
    pairs
    """
    direct = judged(of_condition(scores, DIRECT))
    rows = []
    for first, second in pairs:
        before, after = (
            direct[(direct["model"] == model) & (direct["execution"] == execution)].set_index(
                "row"
            )["correct"]
            for model, execution in (first, second)
        )
        both = pd.concat([before, after], axis=1, keys=["before", "after"]).dropna().astype(bool)
        test = mcnemar(both["before"], both["after"])
        interval = share_difference_interval(both["before"], both["after"])
        rows.append(
            {
                **dict(zip(SYSTEM, first, strict=True)),
                "model_2": second[0],
                "execution_2": second[1],
                "n": test.n,
                "accuracy": both["before"].mean(),
                "accuracy_2": both["after"].mean(),
                "difference": interval.estimate,
                "low": interval.low,
                "high": interval.high,
                "gained": test.gained,
                "lost": test.lost,
                "p": test.p,
            }
        )
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p"])) if rows else table
