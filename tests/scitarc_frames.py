"""Synthetic SCITARC_SCORES and SCITARC_COMPLEXITY frames of any size."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tabbench.scitarc.judge import NO_ANSWER, Verdict
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.verdicts import scored_row

RIGHT, WRONG = Verdict("correct", 1.0, asked=1), Verdict("wrong", 0.0, asked=1)
FAILED = Verdict("judge failed", None, asked=2)
ALL = (("none", 0), ("self", 0), ("gold", 0), ("none", 2), ("gold", 2))


def scored(
    n: int,
    abilities: Sequence[tuple[str, str, float]],
    conditions: Sequence[tuple[str, int]] = ALL,
    judge: str = "matcher",
    seed: int = 0,
) -> pd.DataFrame:
    """Return scores of systems (model, execution, share right) on n questions, some hard."""
    rng = np.random.default_rng(seed)
    hard = rng.uniform(-0.35, 0.35, n)
    rows = []
    for model, execution, ability in abilities:
        for plan_mode, shots in conditions:
            asked = Condition(plan_mode, execution, shots)  # type: ignore[arg-type]
            drawn = rng.uniform(size=n)
            for row in range(n):
                right = drawn[row] < ability + hard[row] * (0 < ability < 1)
                lost = not right and drawn[row] > 0.97
                verdict = RIGHT if right else NO_ANSWER if lost else WRONG
                if ability and drawn[row] > 0.995:
                    verdict = FAILED
                found = "line" if execution == "language" else "ok"
                missed = "not found" if execution == "language" else "exception"
                answer = None if lost else "7" if right else "8"
                rows.append(
                    scored_row(
                        model,
                        asked,
                        row,
                        "7",
                        answer,
                        answer,
                        missed if lost else found,
                        verdict,
                        judge,
                        id=f"{model}-{plan_mode}-{execution}-{shots}-{row}",
                    )
                )
    return pd.DataFrame(rows)


def complexities(n: int, seed: int = 1) -> pd.DataFrame:
    """Return metrics of n questions, the first without a plan where there are several."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "row": range(n),
            "s_tab": rng.integers(1, 4, n),
            "s_cell_released": rng.integers(20, 900, n),
            "s_cell": rng.integers(20, 900, n).astype(float),
            "latex_fault": "",
            "s_tok": rng.integers(200, 6000, n),
            "tokenizer": "gpt2",
            "l_plan": rng.integers(2, 20, n).astype(float),
            "i_retr": rng.integers(0, 10, n).astype(float),
            "i_calc": rng.integers(0, 10, n).astype(float),
            "c_flow": rng.integers(0, 10, n).astype(float),
            "n_loop": rng.integers(0, 4, n).astype(float),
            "n_if": rng.integers(0, 4, n).astype(float),
            "d_max": rng.integers(0, 3, n).astype(float),
            "plan_fault": "",
        }
    )
    plan = ["l_plan", "i_retr", "i_calc", "c_flow", "n_loop", "n_if", "d_max"]
    if n > 1:
        frame.loc[0, plan] = np.nan
    return frame
