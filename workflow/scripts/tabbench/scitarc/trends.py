"""Does accuracy fall with a complexity metric, alone and given the others (section 4.3).

The metrics are correlated: a panel of Figures 3 and 6 shows what any of its metric's companions
could have caused. So each is tested alone, and all in one logistic regression.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.difficulty import asked_questions
from tabbench.scitarc.names import INPUT_METRICS, REASONING_METRICS, short_title
from tabbench.scitarc.prompts import METHODS
from tabbench.scitarc.scores import DIRECT, SYSTEM, judged, of_condition
from tabbench.statistics.logistic import NotFitted, inflation, logistic_fit, trend_p
from tabbench.statistics.multiplicity import holm

SEVEN = (*REASONING_METRICS, *INPUT_METRICS)
"""The metrics of Figures 3 and 6."""
SKEWED = ("s_cell_released", "s_tok")
"""Metrics that enter as logarithms: their largest value is ten times their mean (Table 1)."""


def complete_questions(complexity: pd.DataFrame) -> pd.DataFrame:
    """The seven metrics, by ``row``, of the questions that have all; `SKEWED` ones as logarithms.

    A table without a cell or a token counts as one.
    """
    values = complexity.set_index("row")[list(SEVEN)].dropna().astype(float)
    values[list(SKEWED)] = np.log(values[list(SKEWED)].clip(lower=1))
    return values


def correlations(complexity: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of every two metrics over the questions that have all.

    Returns
    -------
    (7, 7) DataFrame; NaN where a metric does not vary
    """
    return complete_questions(complexity).corr(method="spearman")


def complexity_effects(scores: pd.DataFrame, complexity: pd.DataFrame) -> pd.DataFrame:
    """Effect of each metric on answering right, alone and together with the others, per method.

    Zero-shot direct answers to questions that have all metrics. Each metric is standardized over
    these questions; each system has its own intercept; intervals count a question once. Systems
    whose answers are all right or all wrong say nothing of a slope and are left out.

    Returns
    -------
    DataFrame with a row per execution and metric: execution, n (answers), questions_asked,
    questions (with an answer among n), systems, left_out (systems whose answers are all alike),
    metric, mean, sd (on the metric's scale, logarithmic for `SKEWED` ones), trend_p, trend_p_holm;
    for the regression on the metric alone (``alone_``) and on all (``joint_``): odds (ratio for one
    sd more), low, high (95 %), p, p_holm and why_not (why it is not fitted, or ""); vif (variance
    inflation). Holm's corrections are over all rows, NaN where there is no number

    Raises
    ------
    TabBenchError
        When no answer was judged to a question that has all metrics.
    """
    metrics = complete_questions(asked_questions(complexity, scores))
    direct = judged(of_condition(scores, DIRECT))
    direct = direct[direct["row"].isin(metrics.index)]
    if direct.empty:
        raise TabBenchError(
            "SciTaRC: nothing to show, no answer without a plan and demonstrations was judged to a "
            f"question that has all of the metrics {list(SEVEN)}; look at the judge's log"
        )
    rows = [
        row
        for execution, group in direct.groupby("execution", sort=False)
        for row in _effects(str(execution), group, metrics)
    ]
    table = pd.DataFrame(rows)
    for name in ("trend_p", "alone_p", "joint_p"):
        table[f"{name}_holm"] = holm(table[name])
    return table


def _effects(execution: str, answers: pd.DataFrame, metrics: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of one execution."""
    shares = answers.groupby(SYSTEM)["correct"].transform("mean")
    kept = answers[(shares > 0) & (shares < 1)]
    of_questions = metrics.loc[metrics.index.isin(answers["row"])]
    spread = of_questions.std(ddof=0)
    varying = [name for name in SEVEN if spread[name] > 0]
    scaled = ((of_questions - of_questions.mean()) / spread)[varying]
    key = {
        "execution": execution,
        "n": len(kept),
        "questions_asked": answers["row"].nunique(),
        "questions": kept["row"].nunique(),
        "systems": kept["model"].nunique(),
        "left_out": answers["model"].nunique() - kept["model"].nunique(),
    }
    factors = dict(zip(varying, inflation(scaled), strict=True))
    joint = _fitted(kept, scaled, varying)
    rows = []
    for name in SEVEN:
        alone = _fitted(kept, scaled, [name] if name in varying else [])
        trend = np.nan
        if name in varying and len(kept):
            trend = trend_p(
                kept["row"].map(scaled[name]), kept["correct"], kept["model"], kept["row"]
            )
        rows.append(
            {
                **key,
                "metric": name,
                "mean": of_questions[name].mean(),
                "sd": spread[name],
                "trend_p": trend,
                **{f"alone_{part}": value for part, value in alone[name].items()},
                **{f"joint_{part}": value for part, value in joint[name].items()},
                "vif": factors.get(name, np.nan),
            }
        )
    return rows


def _fitted(
    answers: pd.DataFrame, scaled: pd.DataFrame, names: Sequence[str]
) -> Mapping[str, dict[str, Any]]:
    """Odds ratios of the metrics ``names``, or why there are none, by metric."""
    lacking = dict.fromkeys(("odds", "low", "high", "p"), np.nan)
    found = {name: {**lacking, "why_not": "all questions have the same value"} for name in SEVEN}
    try:
        if answers.empty:
            raise NotFitted("the answers of each system are all right or all wrong")
        if not names:
            return found
        fit = logistic_fit(
            scaled.loc[answers["row"], list(names)],
            answers["correct"],
            answers["model"],
            answers["row"],
        )
    except NotFitted as error:
        return {name: {**lacking, "why_not": str(error)} for name in SEVEN}
    for name, *ends, p in zip(names, fit.slopes, fit.low, fit.high, fit.p, strict=True):
        odds, low, high = np.exp(ends).tolist()
        found[name] = {"odds": odds, "low": low, "high": high, "p": float(p), "why_not": ""}
    return found


def unfitted(effects: pd.DataFrame) -> tuple[str, ...]:
    """Say what of `complexity_effects` is not fitted, and why, a clause for each."""
    said = []
    for execution, group in effects.groupby("execution", sort=False):
        first = group.iloc[0]
        method = METHODS[execution]  # type: ignore[index]
        if group["trend_p"].isna().all():
            said.append(f"{method}: nothing fitted: {first['alone_why_not']}")
            continue
        if first["left_out"]:
            said.append(
                f"{method}: {first['left_out']} of {first['left_out'] + first['systems']} systems "
                "left out, whose answers are all right or all wrong and say nothing of a slope"
            )
        for part, title in (("alone", "alone"), ("joint", "together")):
            lacking = group[group[f"{part}_why_not"] != ""]
            for why, of in lacking.groupby(f"{part}_why_not", sort=False)["metric"]:
                which = "all metrics" if len(of) == len(SEVEN) else ", ".join(map(short_title, of))
                said.append(f"{method}, {which} {title}: not fitted: {why}")
    return tuple(dict.fromkeys(said))
