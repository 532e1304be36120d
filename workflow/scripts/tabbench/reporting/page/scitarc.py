"""SciTaRC's answer on the page: accuracy, and the effect of plans."""

from typing import Any

import pandas as pd

from tabbench.reporting.page.phrases import low_to_high
from tabbench.reporting.writer import plural
from tabbench.scitarc.tables.text import percent
from tabbench.statistics.multiplicity import LEVEL
from tabbench.statistics.proportions import wilson_interval

NOTHING_ASKED = "Not answered: no question was run without a plan and without demonstrations."


def scitarc_answer(board: pd.DataFrame | None, plans: pd.DataFrame | None) -> str:
    """Return the answer in a sentence or two.

    Parameters
    ----------
    board : Table 2's .csv; None when it was not made
    plans : Table 4's .csv; None when it was not made
    """
    judged = board[board["n"] > 0] if board is not None else None
    if judged is None or judged.empty:
        return NOTHING_ASKED
    judged = judged.sort_values("accuracy", ascending=False, kind="stable")
    best, worst = judged.iloc[0], judged.iloc[-1]
    text = f"Zero-shot and without a plan, {system(best)} answers {right(best)}"
    if len(judged) > 1 and best["accuracy"] == worst["accuracy"]:
        everyone = "both" if len(judged) == 2 else f"all {len(judged)}"
        text += f"; the share is the same for {everyone} systems"
    elif len(judged) > 1:
        text += (
            f", the best of {len(judged)} systems; the lowest, {system(worst)}, answers "
            f"{right(worst)}"
        )
    lost, failed = int(judged["n_no_answer"].sum()), int(judged["n_judge_failed"].sum())
    asked = int(judged["n_answers"].sum()) + failed
    text += f". In {lost:,} of {plural(asked, 'response')} no answer was found"
    text += f", and for {failed:,} the judge gave no verdict." if failed else "."
    return text if plans is None else f"{text} {_plans(plans)}"


def system(row: "pd.Series[Any]") -> str:
    """Return ``Qwen3-14B (CoT)``."""
    return f"{row['name']} ({row['method']})"


def ends(row: "pd.Series[Any]") -> tuple[float, float]:
    """Return the bounds of a share; where all answers are alike, of an interval with a width."""
    n, share = int(row["n"]), float(row["accuracy"])
    low, high = (row["low"], row["high"]) if 0 < share < 1 else wilson_interval(share, n)
    return float(low), float(high)


def right(row: "pd.Series[Any]") -> str:
    """Return count and share of right answers with its interval."""
    n, share = int(row["n"]), float(row["accuracy"])
    low, high = map(percent, ends(row))
    if row["n_seeds"] > 1:
        return (
            f"{percent(share)} % of {plural(n, 'question')} right, on average over "
            f"{row['n_seeds']:.0f} seeds (95 % interval {low} to {high})"
        )
    return (
        f"{round(share * n):,} of {plural(n, 'question')} right ({percent(share)} %, 95 % interval "
        f"{low} to {high})"
    )


def _plans(plans: pd.DataFrame) -> str:
    """Effect of the model's own plan and of the gold plan, compared with no plan."""
    changes = {
        name: plans[plans["quantity"] == quantity]
        for name, quantity in (("own", "delta_auto"), ("gold", "delta_max"))
    }
    own, gold = (
        low_to_high(part["value"], lambda value: percent(value, signed=True))
        for part in changes.values()
    )
    systems = len(changes["own"])
    whose = system(changes["own"].iloc[0]) if systems == 1 else f"{systems} systems"
    tested = pd.concat(changes.values())
    found = int((tested["p_holm"] < LEVEL).sum())
    counts = low_to_high(tested["n"], lambda n: f"{n:.0f}")
    return (
        f"Writing a plan first changes the accuracy of {whose} by {own} percentage points, the "
        f"gold plan by {gold} (n = {counts} questions); {found} of these {len(tested)} changes are "
        f"significant at {LEVEL} (exact McNemar tests, corrected by Holm's method over all of "
        "Table 4)."
    )
