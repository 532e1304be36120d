"""The seven complexity metrics of a question (second paper, section 3.4).

Plans are counted line by line, as the released counter does it, not as a tree: some published
plans indent a line below a step, and they have metrics all the same. ``plan_fault`` says which.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.latex import GRIDS, parse_grids
from tabbench.scitarc.plans import PlanError, parse_plan

METRICS = ("s_tab", "s_cell_released", "s_cell", "s_tok", "l_plan", "i_retr", "i_calc", "c_flow")
"""Columns of `complexity_frame`; ``s_cell`` is there twice, as released and of the set grid."""

PLAN_METRICS = ("l_plan", "i_retr", "i_calc", "c_flow")
CountTokens = Callable[[str], int]


@dataclass(frozen=True)
class PlanComplexity:
    """Counts of one plan.

    Attributes
    ----------
    l_plan : lines that are not blank
    i_retr : SELECT and IF lines; the paper's text names SELECT alone, its printed numbers need both
    i_calc : COMPUTE lines
    n_loop, n_if : LOOP and IF lines; ELSE and ELSE IF count in ``l_plan`` alone
    d_max : deepest indentation in units of the smallest one, rounded down
    """

    l_plan: int
    i_retr: int
    i_calc: int
    n_loop: int
    n_if: int
    d_max: int

    @property
    def c_flow(self) -> int:
        return self.n_loop + self.n_if + self.d_max


def plan_complexity(plan: str) -> PlanComplexity:
    """Count the lines of a plan with the conventions of the released counter.

    Parameters
    ----------
    plan : text; an empty one has only zeros

    Examples
    --------
    >>> plan_complexity("LOOP for each model\\n  SELECT its score\\nRETURN the best").c_flow
    2
    """
    lines = [line for line in plan.split("\n") if line.strip()]
    words = [line.strip().upper() for line in lines]
    selects, computes, loops, ifs = (
        sum(word.startswith(operation) for word in words)
        for operation in ("SELECT", "COMPUTE", "LOOP", "IF")
    )
    indents = [len(line) - len(line.lstrip()) for line in lines]
    unit = min((indent for indent in indents if indent), default=1)
    depth = max(indents, default=0) // unit
    return PlanComplexity(len(lines), selects + ifs, computes, loops, ifs, depth)


_RELEASED_RULES = re.compile(r"\\(?:toprule|midrule|bottomrule|hline|cmidrule|addlinespace)")


def released_cells(table: str) -> int:
    """S_cell of one table as the released counter has it, with its quirks.

    A row is what ends with two backslashes: so a last row without them counts nothing, the breaks
    of a ``\\makecell`` add rows, ``\\\\%`` merges two rows and ``\\tabularnewline`` ends none. Of a
    row count the ``&``, one, and what a ``\\multicolumn`` adds; caption and the like stand in the
    first row. `set_cells` counts what LaTeX sets.
    """
    text = table.replace(r"\%", "<percent>").replace(r"\&", "<and>")
    *ended, _ = re.sub(r"%.*", "", text).split(r"\\")
    rows = [row for row in (_RELEASED_RULES.sub("", row) for row in ended) if row.strip()]
    spans = (int(span) for row in rows for span in re.findall(r"\\multicolumn\{(\d+)\}", row))
    return sum(row.count("&") + 1 for row in rows) + sum(span - 1 for span in spans)


def set_cells(table: str) -> int:
    """S_cell of one table as LaTeX sets it: rows times columns of its grids.

    Raises
    ------
    TabBenchError
        When the LaTeX cannot be read, or holds no grid.
    """
    grids = parse_grids(table)
    if not grids:
        raise TabBenchError(f"LaTeX: no grid of cells; known are {', '.join(sorted(GRIDS))}")
    return sum(grid.size for grid in grids)


def complexity_frame(
    questions: Sequence[Question], count_tokens: CountTokens, tokenizer: str
) -> pd.DataFrame:
    """All metrics of all questions.

    Parameters
    ----------
    count_tokens : from a table's text to its number of tokens; the paper's is GPT-2's
    tokenizer : its name, which results carry with the numbers

    Returns
    -------
    DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``: a row per question; NaN in the
    plan's metrics where there is no plan, and in ``s_cell`` where ``latex_fault`` says why
    """
    return pd.DataFrame([_metrics(one, count_tokens, tokenizer) for one in questions])


def _metrics(question: Question, count_tokens: CountTokens, tokenizer: str) -> dict[str, Any]:
    tables = question.relevant_tables
    cells, fault = np.nan, ""
    try:
        cells = float(sum(map(set_cells, tables)))
    except TabBenchError as error:
        fault = str(error)
    plan = dict.fromkeys((*PLAN_METRICS, "n_loop", "n_if", "d_max"), np.nan)
    plan_fault = ""
    if question.plan is not None:
        counted = plan_complexity(question.plan)
        plan = {name: float(getattr(counted, name)) for name in plan}
        try:
            parse_plan(question.plan)
        except PlanError as error:
            plan_fault = str(error)
    return {
        "row": question.row,
        "s_tab": len(tables),
        "s_cell_released": sum(map(released_cells, tables)),
        "s_cell": cells,
        "latex_fault": fault,
        "s_tok": sum(map(count_tokens, tables)),
        "tokenizer": tokenizer,
        **plan,
        "plan_fault": plan_fault,
    }


def dataset_statistics(complexity: pd.DataFrame) -> pd.DataFrame:
    """Mean and maximum of each metric (Table 1).

    The released counter gives a question without a plan zeros, and the paper's means count them;
    ``mean_as_released`` does too, ``mean`` is over the ``n`` questions that have the metric.

    Returns
    -------
    DataFrame with a row per metric: metric, n, mean, mean_as_released, max
    """
    values = complexity.loc[:, list(METRICS)].astype(float)
    as_released = values.fillna(dict.fromkeys(PLAN_METRICS, 0.0))
    return pd.DataFrame(
        {
            "metric": METRICS,
            "n": values.notna().sum().tolist(),
            "mean": values.mean().tolist(),
            "mean_as_released": as_released.mean().tolist(),
            "max": values.max().tolist(),
        }
    )
