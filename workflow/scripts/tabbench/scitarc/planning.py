"""Effect of plans and demonstrations (Tables 4 and 11, Figure 4).

Each row of these tables is over the questions that its system was judged on under all conditions
of the row, so that conditions differ only in the plan.
"""

from typing import Any

import pandas as pd

from tabbench.scitarc.scores import (
    AUTONOMOUS,
    DIRECT,
    FEW_SHOT_DIRECT,
    FEW_SHOT_ORACLE,
    ORACLE,
    SYSTEM,
    side_by_side,
)
from tabbench.statistics.multiplicity import holm
from tabbench.statistics.proportions import mcnemar, share_difference_interval, share_interval

CONDITIONS = {"direct": DIRECT, "auto": AUTONOMOUS, "oracle": ORACLE}
CHANGES = {
    "delta_auto": ("direct", "auto"),
    "delta_max": ("direct", "oracle"),
    "delta_plan": ("auto", "oracle"),
}
"""The diagnostics of Table 4: from a condition to another."""


def planning_ablation(scores: pd.DataFrame) -> pd.DataFrame:
    """Accuracy under the three plan modes (Table 4), tidy.

    Returns
    -------
    DataFrame with a row per model, execution and quantity (direct, auto, oracle, delta_auto,
    delta_max, delta_plan): value, low, high (95 %, bootstrap, paired for differences), n; for
    differences gained, lost, p (exact McNemar, two-sided) and p_holm over all differences
    """
    rows = []
    for system, answers in side_by_side(scores, CONDITIONS):
        key = dict(zip(SYSTEM, system, strict=True))
        rows += [{**key, "quantity": name, **_share(answers[name])} for name in CONDITIONS]
        rows += [
            {**key, "quantity": name, **_change(answers[before], answers[after])}
            for name, (before, after) in CHANGES.items()
        ]
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p"]))


def failure_decomposition(scores: pd.DataFrame) -> pd.DataFrame:
    """Shares of failures with the model's own plan that the gold plan rescues (Figure 4).

    Returns
    -------
    DataFrame with model, execution, n and shares with their 95 % bootstrap bounds (``_low``,
    ``_high``): success (right with its own plan), plan_failure (wrong, but right with the gold
    plan), execution_failure (wrong with both)
    """
    rows = []
    conditions = {name: CONDITIONS[name] for name in ("auto", "oracle")}
    for system, answers in side_by_side(scores, conditions):
        auto, oracle = answers["auto"], answers["oracle"]
        outcomes = {
            "success": auto,
            "plan_failure": ~auto & oracle,
            "execution_failure": ~auto & ~oracle,
        }
        row: dict[str, Any] = {**dict(zip(SYSTEM, system, strict=True)), "n": len(answers)}
        for name, hits in outcomes.items():
            row |= _bounded(name, hits)
        rows.append(row)
    return pd.DataFrame(rows)


def few_shot_ablation(scores: pd.DataFrame) -> pd.DataFrame:
    """Two demonstrations, without and with the gold plan (Table 11).

    Returns
    -------
    DataFrame with model, execution, n, the accuracies zs_direct, fs_direct and fs_oracle with
    their 95 % bootstrap bounds (``_low``, ``_high``), fs_oracle_errors, regressions (right under
    zs_direct and wrong under fs_oracle), p_fs_direct and p_fs_oracle (exact McNemar against
    zs_direct, two-sided, not corrected)
    """
    conditions = {
        "zs_direct": DIRECT,
        "fs_direct": FEW_SHOT_DIRECT,
        "fs_oracle": FEW_SHOT_ORACLE,
    }
    rows = []
    for system, answers in side_by_side(scores, conditions):
        row: dict[str, Any] = {**dict(zip(SYSTEM, system, strict=True)), "n": len(answers)}
        for name in conditions:
            row |= _bounded(name, answers[name])
        base, oracle = answers["zs_direct"], answers["fs_oracle"]
        row |= {
            "fs_oracle_errors": int((~oracle).sum()),
            "regressions": mcnemar(base, oracle).lost,
            "p_fs_direct": mcnemar(base, answers["fs_direct"]).p,
            "p_fs_oracle": mcnemar(base, oracle).p,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _bounded(name: str, hits: pd.Series) -> dict[str, float]:
    interval = share_interval(hits)
    return {name: interval.estimate, f"{name}_low": interval.low, f"{name}_high": interval.high}


def _share(answers: pd.Series) -> dict[str, Any]:
    interval = share_interval(answers)
    return {
        "value": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "n": interval.n,
        "p": float("nan"),
    }


def _change(before: pd.Series, after: pd.Series) -> dict[str, Any]:
    interval, test = share_difference_interval(before, after), mcnemar(before, after)
    return {
        "value": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "n": test.n,
        "gained": test.gained,
        "lost": test.lost,
        "p": test.p,
    }
