"""Quality of the plans that models write: whether they parse, and their operations against gold.

Operations are counted line by line, as the complexity metrics count them, so a plan that leaves the
plan language somewhere has counts too; one in prose has none.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import bootstrap

from tabbench.scitarc.complexity import plan_complexity
from tabbench.scitarc.plans import PlanError, parse_plan
from tabbench.statistics.rank_correlation import FEWEST

OPERATIONS = {
    "select": "SELECT",
    "compute": "COMPUTE",
    "loop": "LOOP",
    "if": "IF",
    "lines": "all lines",
}
_RESAMPLES = 2000


def plan_counts(plan: str) -> dict[str, int]:
    """Number of lines of each of `OPERATIONS`; IF lines are no SELECT lines here.

    Examples
    --------
    >>> plan_counts("LOOP for each model\\n  SELECT its score\\nRETURN the best")
    {'select': 1, 'compute': 0, 'loop': 1, 'if': 0, 'lines': 3}
    """
    found = plan_complexity(plan)
    return {
        "select": found.i_retr - found.n_if,
        "compute": found.i_calc,
        "loop": found.n_loop,
        "if": found.n_if,
        "lines": found.l_plan,
    }


def parses(plan: str) -> bool:
    """Whether a text is a plan of the plan language."""
    try:
        parse_plan(plan)
    except PlanError:
        return False
    return True


def written_plans(responses: pd.DataFrame, questions: pd.DataFrame) -> pd.DataFrame:
    """Each plan that a model wrote, with the gold one, which may be null.

    Parameters
    ----------
    responses : DataFrame with the columns of ``schemas.SCITARC_RESPONSES``; conditions that carry
        out the same plan repeat it
    questions : DataFrame with the columns of ``schemas.SCITARC_QUESTIONS``

    Returns
    -------
    DataFrame with model, seed, row, plan, plan_status and gold
    """
    own = responses[responses["plan_mode"] == "self"].drop_duplicates(["model", "seed", "row"])
    gold = questions.set_index("row")["plan"]
    kept = own[["model", "seed", "row", "plan", "plan_status"]]
    return kept.assign(plan=kept["plan"].fillna(""), gold=kept["row"].map(gold))


def plan_quality(plans: pd.DataFrame) -> pd.DataFrame:
    """Parse rate and operation counts of each model's plans against the gold ones.

    Parameters
    ----------
    plans : of `written_plans`, of one seed

    Returns
    -------
    DataFrame with a row per model and operation: model, operation (a key of `OPERATIONS`),
    n_plans, n_parsed, n_empty, n_cut (of all its plans); over the n plans whose question has a gold
    one: n, n_gold_parsed, own, gold (mean counts), bias (own less gold) with low and high (95 %,
    percentiles of a bootstrap of the questions), absolute_error (mean) and rho (Spearman; NaN where
    one side does not vary)
    """
    rows = []
    for model, group in plans.groupby("model", sort=False):
        paired = group[group["gold"].notna()]
        key = {
            "model": model,
            "n_plans": len(group),
            "n_parsed": int(group["plan"].map(parses).sum()),
            "n_empty": int((group["plan_status"] == "empty").sum()),
            "n_cut": int((group["plan_status"] == "cut").sum()),
            "n": len(paired),
            "n_gold_parsed": int(paired["gold"].map(parses).sum()),
        }
        own, gold = (
            pd.DataFrame([*map(plan_counts, paired[side])], columns=list(OPERATIONS))
            for side in ("plan", "gold")
        )
        rows += [{**key, "operation": name, **_compared(own[name], gold[name])} for name in own]
    return pd.DataFrame(rows)


def _compared(own: pd.Series, gold: pd.Series) -> dict[str, Any]:
    differences = (own - gold).astype(float)
    low, high = np.nan, np.nan
    if len(differences) > 1:
        low, high = bootstrap(
            (differences,), np.mean, method="percentile", n_resamples=_RESAMPLES, rng=0
        ).confidence_interval
    return {
        "own": own.mean(),
        "gold": gold.mean(),
        "bias": differences.mean(),
        "low": float(low),
        "high": float(high),
        "absolute_error": differences.abs().mean(),
        "rho": own.corr(gold, method="spearman") if _vary(own, gold) else np.nan,
    }


def _vary(own: pd.Series, gold: pd.Series) -> bool:
    return len(own) >= FEWEST and bool(np.ptp(own) > 0 and np.ptp(gold) > 0)
