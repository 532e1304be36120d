"""Difficulty of questions, and accuracy by their metrics (Figures 2, 3 and 6)."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.scores import DIRECT, SYSTEM, every_seed, judged, of_condition
from tabbench.statistics.proportions import mean_share_change, share_interval

BINS = 5
"""Bins of a metric, at most: the edges that the paper's text names are rounded quintiles."""
LEVELS: Mapping[str, tuple[float, ...]] = {"s_tab": (1, 2, 3)}
"""Metrics of so few values that each is a bin of its own, the last with all above."""


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
    """Edges of bins with about as many questions each; fewer bins where values are tied.

    Equal values stay together, in the lower bin where a quantile falls among them, as in
    ``pandas.qcut``; a bin can then hold many more questions than another. Each edge is a value.

    Parameters
    ----------
    values : at least one that is not NaN

    Examples
    --------
    >>> quantile_edges(pd.Series([1, 1, 1, 1, 1, 2, 3, 3, 4, 9]), 5)
    (1.0, 2.0, 3.0, 4.0, inf)
    """
    kept = values.dropna().astype(float)
    quantiles = np.quantile(kept, np.linspace(0, 1, bins + 1)[1:-1])
    above = (kept[kept > quantile] for quantile in quantiles)
    return (float(kept.min()), *sorted({float(one.min()) for one in above if len(one)}), np.inf)


def metric_edges(metric: str, values: pd.Series) -> tuple[float, ...]:
    """Edges of a metric's bins: its `LEVELS` that questions have, or quintiles."""
    if metric not in LEVELS:
        return quantile_edges(values, BINS)
    low, high = values.min(), values.max()
    return (*(edge for edge in LEVELS[metric] if low <= edge <= high), np.inf)


def asked_questions(complexity: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Rows of the questions that models were asked."""
    return complexity[complexity["row"].isin(scores["row"])]


def accuracy_in_bins(
    scores: pd.DataFrame, complexity: pd.DataFrame, metrics: Sequence[str]
) -> pd.DataFrame:
    """Zero-shot direct accuracy in bins of several metrics, see `metric_edges`.

    Returns
    -------
    DataFrame of `accuracy_by_complexity`, one metric below the other; a metric that no question has
    is left out

    Raises
    ------
    TabBenchError
        When no answer was judged to a question that has one of the metrics.
    """
    asked = asked_questions(complexity, scores)
    parts = []
    for metric in metrics:
        values = asked[metric].dropna()
        if len(values):
            edges = metric_edges(metric, values)
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
    rows = []
    for system, group in _binned(scores, complexity, metric, edges).groupby(SYSTEM, sort=False):
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


def _binned(
    scores: pd.DataFrame, complexity: pd.DataFrame, metric: str, edges: Sequence[float]
) -> pd.DataFrame:
    """Judged zero-shot direct answers with the ``bin`` of their question; NaN outside of all."""
    direct = judged(of_condition(scores, DIRECT))
    values = direct["row"].map(complexity.set_index("row")[metric].astype(float))
    return direct.assign(bin=pd.cut(values, list(edges), right=False, labels=False))


def mean_changes(
    scores: pd.DataFrame, complexity: pd.DataFrame, metrics: Sequence[str]
) -> pd.DataFrame:
    """Mean change of accuracy from the lowest to the highest bin of each metric (section 4.3).

    Returns
    -------
    DataFrame with metric, execution, systems (whose mean it is), lowest_lower, lowest_upper and
    highest_lower (edges of the two bins), n_lowest, n_highest (questions), lowest, highest (mean
    accuracies), change, low, high (95 %, bootstrap of the questions within both bins); NaN where
    all questions are in one bin, or no system was judged in both; a metric that no question has is
    left out
    """
    asked = asked_questions(complexity, scores)
    rows = []
    for metric in metrics:
        values = asked[metric].dropna()
        if values.empty:
            continue
        edges = metric_edges(metric, values)
        binned = _binned(scores, complexity, metric, edges)
        ends = (0, len(edges) - 2)
        for execution, group in binned.groupby("execution", sort=False):
            wide = group.assign(correct=group["correct"].astype(float)).pivot_table(
                index=["bin", "row"], columns="model", values="correct"
            )
            lowest, highest = (wide[wide.index.get_level_values("bin") == end] for end in ends)
            both = (lowest.notna().any() & highest.notna().any()) & (ends[0] < ends[1])
            lowest, highest = (one.loc[:, both].dropna(how="all") for one in (lowest, highest))
            change = mean_share_change(lowest, highest)
            rows.append(
                {
                    "metric": metric,
                    "execution": execution,
                    "systems": int(both.sum()),
                    "lowest_lower": edges[0],
                    "lowest_upper": edges[1],
                    "highest_lower": edges[-2],
                    "n_lowest": len(lowest),
                    "n_highest": len(highest),
                    "lowest": lowest.mean().mean(),
                    "highest": highest.mean().mean(),
                    "change": change.estimate,
                    "low": change.low,
                    "high": change.high,
                }
            )
    return pd.DataFrame(rows)
