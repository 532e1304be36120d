"""Names of systems, plan modes and complexity metrics in tables and figures."""

from collections.abc import Iterable, Mapping

from tabbench.scitarc.complexity import METRICS
from tabbench.scitarc.difficulty import LEVELS
from tabbench.scitarc.judge import is_combined, judging_model
from tabbench.scitarc.prompts import METHODS

METRIC_TITLES: Mapping[str, tuple[str, str]] = dict(
    zip(
        METRICS,
        (
            ("Input scope, S_tab", "tables"),
            ("Structural size, S_cell", "cells, released counter"),
            ("Structural size, S_cell", "cells as LaTeX sets them"),
            ("Context load, S_tok", "tokens"),
            ("Plan horizon, L_plan", "lines"),
            ("Retrieval demand, I_retr", "SELECT and IF lines"),
            ("Calculation intensity, I_calc", "COMPUTE lines"),
            ("Control flow, C_flow", "loops + ifs + depth"),
        ),
        strict=True,
    )
)
"""Name and unit of each metric of section 3.4."""

REASONING_METRICS = ("i_calc", "i_retr", "l_plan", "c_flow")
"""The panels of Figure 3."""
INPUT_METRICS = ("s_cell_released", "s_tok", "s_tab")
"""The panels of Figure 6."""


def metric_title(metric: str) -> str:
    """Return ``Context load, S_tok (tokens)``."""
    name, unit = METRIC_TITLES[metric]
    return f"{name} ({unit})"


def short_title(metric: str) -> str:
    """Return the symbol, ``S_tok``."""
    return METRIC_TITLES[metric][0].split(", ")[1]


def bin_title(lower: float, upper: float) -> str:
    """Return the counts that a bin holds, its upper edge left out.

    Examples
    --------
    >>> bin_title(3, 6), bin_title(3, 4), bin_title(3300, float("inf"))
    ('3–5', '3', '≥ 3,300')
    """
    if upper == float("inf"):
        return f"≥ {lower:,.0f}"
    return f"{lower:,.0f}" if upper - lower == 1 else f"{lower:,.0f}–{upper - 1:,.0f}"


def bins_sentence(metrics: Iterable[str]) -> str:
    """Say how the bins of `difficulty.metric_edges` are made."""
    shown = list(metrics)
    single = [short_title(one) for one in shown if one in LEVELS]
    text = (
        "quintiles of the questions asked, equal values together, so fewer and uneven bins where "
        "many are"
    )
    return text + "".join(f"; {name}: each value" for name in single)


def system_title(models: Mapping[str, str], model: str, execution: str) -> str:
    """Return a system's name: the model's and its method, CoT or PoT."""
    return f"{models[model]}, {METHODS[execution]}"  # type: ignore[index]


def judge_title(judge: str, models: Mapping[str, str]) -> str:
    """Return who judged: the matcher, a model's name, or both."""
    model = judging_model(judge)
    if model is None:
        return "the deterministic matcher"
    name = models.get(model, model)
    return f"the matcher ({name} where it is unsure)" if is_combined(judge) else name
