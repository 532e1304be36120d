"""How accuracy falls with complexity: changes, a model of all metrics, and their correlation."""

import math
from collections.abc import Mapping
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd

from tabbench.reporting.writer import DASH, Table, plural, plus_minus
from tabbench.scitarc.difficulty import mean_changes
from tabbench.scitarc.names import bin_title, bins_sentence, metric_title, short_title
from tabbench.scitarc.prompts import METHODS
from tabbench.scitarc.scores import each
from tabbench.scitarc.tables.text import (
    judged_note,
    p_cell,
    percent,
    percent_interval,
)
from tabbench.scitarc.trends import (
    SEVEN,
    SKEWED,
    complete_questions,
    complexity_effects,
    correlations,
    unfitted,
)
from tabbench.statistics.logistic import FEWEST
from tabbench.statistics.multiplicity import LEVEL

_LARGE_FACTOR = 5
"""Variance inflation from which a note warns."""
_STRONG = 0.7
"""Size of a correlation from which it is named."""


def complexity_changes(
    scitarc_scores: pd.DataFrame,
    scitarc_complexity: pd.DataFrame,
    scitarc_drops: pd.DataFrame,
    models: Mapping[str, str],
) -> Table:
    """Make the table of mean changes from the lowest to the highest bin of each metric.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    scitarc_complexity : DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``
    scitarc_drops : DataFrame with the columns of ``schemas.SCITARC_DROPS``
    models : display name by id
    """
    changes = mean_changes(scitarc_scores, scitarc_complexity, SEVEN)
    numbers = changes.assign(method=changes["execution"].map(METHODS)).merge(
        scitarc_drops.assign(published=-scitarc_drops["drop"] / 100).drop(columns="drop"),
        on=["metric", "method"],
        how="left",
    )
    flat = numbers[numbers["lowest"].isin([0, 1]) & (numbers["lowest"] == numbers["highest"])]
    return Table(
        caption="Change of the mean accuracy (%) from the lowest to the highest level, zero-shot "
        "without a plan",
        header=(
            *("Metric", "Method", "Systems", "Lowest", "n", "Accuracy", "Highest", "n"),
            *("Accuracy", "Change", "95 % interval", "Published"),
        ),
        rows=tuple(_change(row) for row in each(numbers)),
        numbers=numbers,
        notes=(
            judged_note(scitarc_scores, models),
            "accuracy: mean over the systems of the method; change: highest less lowest level, in "
            "percentage points; n: questions of the level",
            f"levels: the lowest and the highest bin of Figures 3 and 6; {bins_sentence(SEVEN)}",
            "[ ]: 95 % interval, percentiles of 2,000 resamples of the questions within both "
            "levels, each with the answers of all systems",
            *(
                (
                    "where all answers of both levels are the same, the interval has no width, "
                    "regardless of the number of questions; this is no evidence of equality",
                )
                if len(flat)
                else ()
            ),
            "published: what the paper's text says of its systems and questions; its levels are "
            "not printed",
            "the metrics are correlated, so these are no separate findings; the model of "
            "complexity tests them together",
        ),
    )


def _change(row: Any) -> tuple[str, ...]:
    single = math.isnan(row.change)
    return (
        *(metric_title(row.metric), row.method, str(row.systems)),
        bin_title(row.lowest_lower, row.lowest_upper),
        *(str(row.n_lowest), percent(row.lowest)),
        DASH if single else bin_title(row.highest_lower, math.inf),
        *((DASH, DASH) if single else (str(row.n_highest), percent(row.highest))),
        *(percent(row.change, signed=True), percent_interval(row.low, row.high, signed=True)),
        percent(row.published, signed=True),
    )


def complexity_model(
    scitarc_scores: pd.DataFrame, scitarc_complexity: pd.DataFrame, models: Mapping[str, str]
) -> Table:
    """Make the table of each metric's effect, alone and together with the other six.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    scitarc_complexity : DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``
    models : display name by id
    """
    numbers = complexity_effects(scitarc_scores, scitarc_complexity)
    shown = numbers[numbers["trend_p"].notna()].reset_index(drop=True)
    places = {5: "trend_p_holm", 7: "joint_p_holm"}
    return Table(
        caption="Effect of complexity on the odds of a correct answer: each metric alone, and all "
        "in one logistic regression, zero-shot without a plan",
        header=(
            *("Metric", "Method", "n", "Questions", "Odds ratio, alone", "Trend, p Holm"),
            *("Odds ratio, together", "Together, p Holm", "VIF"),
        ),
        rows=tuple(
            (
                *(metric_title(row.metric), METHODS[row.execution], str(row.n)),
                str(row.questions),
                _odds(row.alone_odds, row.alone_low, row.alone_high),
                p_cell(row.trend_p_holm),
                _odds(row.joint_odds, row.joint_low, row.joint_high),
                p_cell(row.joint_p_holm),
                plus_minus(row.vif, digits=1),
            )
            for row in each(shown)
        ),
        numbers=numbers,
        notes=(
            *unfitted(numbers),
            *((judged_note(scitarc_scores, models), *_model_notes(shown)) if len(shown) else ()),
        ),
        bold=frozenset(
            (at, column)
            for column, name in places.items()
            for at, p in enumerate(shown[name])
            if p < LEVEL
        ),
    )


def _odds(odds: float, low: float, high: float) -> str:
    if math.isnan(odds):
        return DASH
    return f"{odds:.2f} [{low:.2f}, {high:.2f}]"


def _model_notes(shown: pd.DataFrame) -> tuple[str, ...]:
    logs = " and ".join(map(short_title, SKEWED))
    systems = ", ".join(
        f"{METHODS[execution]}: {plural(int(row['systems']), 'system')}"  # type: ignore[index]
        for execution, row in shown.groupby("execution", sort=False).first().iterrows()
    )
    inflated = shown.loc[shown["vif"] > _LARGE_FACTOR, "metric"].unique()
    return (
        f"odds ratio: by how much the odds of a right answer are multiplied for one standard "
        f"deviation more of the metric ({logs}: of its logarithm), below 1: fewer right; [ ]: its "
        "95 % interval, which counts a question once however many systems answer it (cluster-"
        "robust)",
        "alone: the metric and an intercept for each system; together: all metrics in one "
        f"regression; {systems}; n: their answers to questions that have all metrics",
        "trend: Cochran-Armitage statistic, p from 9,999 permutations of the questions; together: "
        f"Wald tests; Holm: corrected over the {plural(len(shown), 'row')} of this table; bold: "
        f"corrected p < {LEVEL}",
        f"fitted from {FEWEST} questions, and right and wrong answers, for each metric on",
        "VIF: variance inflation, by how much a metric's correlation with the others inflates the "
        "variance of its effect together; metrics that rise together share their effect, so a "
        "metric without one of its own is not shown to be harmless"
        + (
            f"; above {_LARGE_FACTOR} here: {', '.join(map(short_title, inflated))}"
            if len(inflated)
            else ""
        ),
    )


def complexity_correlations(
    scitarc_complexity: pd.DataFrame, scitarc_correlations: pd.DataFrame
) -> Table:
    """Make the table of the rank correlations between the metrics of the file's questions.

    Parameters
    ----------
    scitarc_complexity : DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``
    scitarc_correlations : DataFrame with the columns of ``schemas.SCITARC_CORRELATIONS``
    """
    numbers = correlations(scitarc_complexity)
    n = len(complete_questions(scitarc_complexity))
    titles = [short_title(metric) for metric in SEVEN]
    matrix = numbers.to_numpy()
    strong = [
        f"{short_title(SEVEN[one])} and {short_title(SEVEN[other])} {_rho(matrix[one, other])}"
        for one, other in combinations(range(len(SEVEN)), 2)
        if abs(matrix[one, other]) >= _STRONG
    ]
    published = [
        f"{short_title(row.metric)} and {short_title(row.other)} {_rho(row.rho)}"
        for row in each(scitarc_correlations)
    ]
    return Table(
        caption=f"Rank correlation (Spearman) of the complexity metrics over the file's {n:,} "
        "questions that have all",
        header=("Metric", *titles),
        rows=tuple(
            (metric_title(metric), *map(_rho, row))
            for metric, row in zip(SEVEN, matrix.tolist(), strict=True)
        ),
        numbers=numbers.rename_axis("metric").reset_index(),
        notes=(
            f"{_STRONG} or more here: {', '.join(strong) or 'none'}",
            f"the largest of the published questions: {', '.join(published)}",
            "separate panels cannot distinguish correlated metrics: an effect of one in Figures "
            "3 and 6 may be due to another",
            *((f"{DASH}: a metric does not vary",) * bool(np.isnan(matrix).any())),
        ),
        bold=frozenset(
            (at, 1 + place)
            for at, place in permutations(range(len(SEVEN)), 2)
            if abs(matrix[at, place]) >= _STRONG
        ),
    )


def _rho(rho: float) -> str:
    return plus_minus(rho, digits=2)
