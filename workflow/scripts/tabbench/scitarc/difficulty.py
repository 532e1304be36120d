"""Difficulty of questions, and accuracy by their metrics (Figures 2, 3 and 6)."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.scores import DIRECT, SYSTEM, every_seed, judged, of_condition
from tabbench.statistics.proportions import share_interval

PAPER_EDGES: Mapping[str, tuple[float, ...]] = {
    "s_tab": (1, 2, 3, np.inf),
    "s_cell_released": (0, 400, np.inf),
    "s_tok": (0, 1000, 3300, np.inf),
}
"""Edges that the paper's text names; those of its other figures are not printed."""
BINS = 4
"""Bins of the metrics without such edges, at most."""


def difficulty(scores: pd.DataFrame) -> pd.Series:
    """How many systems answered each question right, zero-shot direct.

    Returns
    -------
    Series of counts by ``row``, the easiest first; equally hard questions in the order of rows
    """
    direct = judged(of_condition(scores, DIRECT))
    counts = direct.groupby("row")["correct"].sum().astype(int).sort_index()
    return counts.sort_values(ascending=False, kind="stable").rename("n_correct")


def difficulty_for_others(scores: pd.DataFrame, system: tuple[str, str]) -> pd.Series:
    """Share of right answers to each question that are not the system's own, zero-shot direct.

    Ranked by its own answers, a system's lucky ones are among the easy questions and its unlucky
    ones among the hard, so that any second answer seems to lose the former and to gain the latter.
    Its answers with other seeds than the first are draws of their own, and do rank questions. Each
    system counts once a question, by the share of its seeds that are right.

    Parameters
    ----------
    system : model and execution whose answers of the first seed are left out

    Returns
    -------
    Series of shares by ``row``, the easiest first; equally hard questions in the order of rows;
    without the questions that have no other answer
    """
    direct = judged(every_seed(scores, DIRECT))
    own = direct[SYSTEM].eq(list(system)).all(axis=1) & direct["seed"].eq(scores["seed"].iloc[0])
    by_system = direct[~own].groupby(["row", *SYSTEM])["correct"].mean()
    shares = by_system.groupby("row").mean().astype(float).sort_index()
    return shares.sort_values(ascending=False, kind="stable").rename("others_right")


def agreement_matrix(scores: pd.DataFrame) -> pd.DataFrame:
    """Correct answers by question and system (Figure 2).

    Returns
    -------
    DataFrame of "boolean" with NA where a question was not judged; a row per question, the easiest
    first; a column per (model, execution), the most accurate first
    """
    direct = judged(of_condition(scores, DIRECT))
    matrix = direct.pivot_table(index="row", columns=SYSTEM, values="correct", aggfunc="max")
    matrix = matrix.astype("boolean")
    columns = matrix.mean().sort_values(ascending=False, kind="stable").index
    return matrix.loc[difficulty(scores).index, columns]


def quantile_edges(values: pd.Series, bins: int) -> tuple[float, ...]:
    """Edges of bins with about as many questions each; fewer bins where values are tied."""
    kept = values.dropna().astype(float)
    inner = np.quantile(kept, np.linspace(0, 1, bins + 1)[1:-1], method="higher")
    low = float(kept.min())
    return (low, *sorted({float(edge) for edge in inner if edge > low}), np.inf)


def accuracy_in_bins(
    scores: pd.DataFrame, complexity: pd.DataFrame, metrics: Sequence[str]
) -> pd.DataFrame:
    """Zero-shot direct accuracy in bins of several metrics, with the paper's edges or quantiles.

    Returns
    -------
    DataFrame of `accuracy_by_complexity`, one metric below the other; a metric that no question has
    is left out

    Raises
    ------
    TabBenchError
        When no answer was judged to a question that has one of the metrics.
    """
    asked = complexity[complexity["row"].isin(scores["row"])]
    parts = []
    for metric in metrics:
        values = asked[metric].dropna()
        if len(values):
            edges = PAPER_EDGES.get(metric) or quantile_edges(values, BINS)
            parts.append(accuracy_by_complexity(scores, complexity, metric, edges))
    bins = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if bins.empty:
        raise TabBenchError(
            "SciTaRC: nothing to show, no answer without a plan and demonstrations was judged to a "
            f"question that has one of the metrics {list(metrics)}; look at the judge's log"
        )
    return bins


def accuracy_by_complexity(
    scores: pd.DataFrame, complexity: pd.DataFrame, metric: str, edges: Sequence[float]
) -> pd.DataFrame:
    """Zero-shot direct accuracy of each system in bins of a metric (Figures 3 and 6).

    Parameters
    ----------
    complexity : DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``
    metric : one of its columns
    edges : increasing; a bin holds its lower edge and not its upper one

    Returns
    -------
    DataFrame with model, execution, metric, bin (its place from 0), lower, upper, n, accuracy, low,
    high (95 %, bootstrap), change (accuracy minus that of the system's first bin) and n_unbinned
    (questions of the system without the metric, or outside of the edges)
    """
    if list(edges) != sorted(set(edges)) or len(edges) < 2:
        raise TabBenchError(f"{metric}: the edges of bins must increase: {list(edges)}")
    direct = judged(of_condition(scores, DIRECT))
    values = direct["row"].map(complexity.set_index("row")[metric].astype(float))
    bins = pd.cut(values, list(edges), right=False, labels=False)
    rows = []
    for system, group in direct.assign(bin=bins).groupby(SYSTEM, sort=False):
        found: list[dict[str, Any]] = []
        for number, (lower, upper) in enumerate(pairwise(edges)):
            interval = share_interval(group.loc[group["bin"] == number, "correct"])
            found.append(
                {
                    **dict(zip(SYSTEM, system, strict=True)),
                    "metric": metric,
                    "bin": number,
                    "lower": lower,
                    "upper": upper,
                    "n": interval.n,
                    "accuracy": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "n_unbinned": int(group["bin"].isna().sum()),
                }
            )
        rows += [{**one, "change": one["accuracy"] - found[0]["accuracy"]} for one in found]
    return pd.DataFrame(rows)
