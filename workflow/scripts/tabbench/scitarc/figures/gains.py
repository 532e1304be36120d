"""Changes by a plan on SciTaRC, question by question: Figures 7, 8 and 9."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tabbench.reporting.style import PAGE, Figure, label_at_edge, panels, styled
from tabbench.scitarc.difficulty import difficulty
from tabbench.scitarc.figures.draw import (
    count_questions,
    divide,
    explain,
    judged_sentence,
    strip,
)
from tabbench.scitarc.gains import CHANGES, gain_map, gain_totals
from tabbench.scitarc.names import system_title
from tabbench.scitarc.scores import SYSTEM, each

_COLOURS = dict(zip(CHANGES, ("#009E73", "#CC3311", "#BBD6EC", "#E4E4E4"), strict=True))
_NOT_JUDGED = "#FFFFFF"
_FEW_QUESTIONS = 40
_MEANING = {
    "gain": "gain (wrong → right)",
    "regression": "regression (right → wrong)",
    "kept": "right in both",
    "failed": "wrong in both",
}
_STEPS = {
    "autonomous gain": "no plan → own plan",
    "plan correction": "own plan → gold plan",
    "total potential": "no plan → gold plan",
}


def figure7(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Figure:
    """Draw the changes from no plan to the model's own plan.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    models : display name by id

    Raises
    ------
    TabBenchError
        When no system was judged under all three plan modes.
    """
    return _map(scitarc_scores, models, "autonomous gain")


def figure8(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Figure:
    """Draw the changes from the model's own plan to the gold plan; parameters as in `figure7`."""
    return _map(scitarc_scores, models, "plan correction")


def figure9(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Figure:
    """Draw the changes from no plan to the gold plan; parameters as in `figure7`."""
    return _map(scitarc_scores, models, "total potential")


@styled
def _map(scores: pd.DataFrame, models: Mapping[str, str], step: str) -> Figure:
    changes = gain_map(scores)
    changes = changes[changes["step"] == step]
    totals = gain_totals(changes)
    codes = changes.assign(code=changes["change"].map(CHANGES.index)).pivot_table(
        index=SYSTEM, columns="row", values="code", aggfunc="first", fill_value=len(CHANGES)
    )
    easiest_first = [row for row in difficulty(scores).index if row in codes.columns]
    systems = [(one.model, one.execution) for one in each(totals)]
    figure, (axes,) = panels(1, width=PAGE, height=1.1 + 0.3 * max(len(systems), 2))
    cells = codes.loc[systems, easiest_first].to_numpy(np.int64)
    strip(axes, cells, [*_COLOURS.values(), _NOT_JUDGED])
    divide(axes, len(systems), horizontal=True)
    n = len(easiest_first)
    if n <= _FEW_QUESTIONS:
        divide(axes, n, horizontal=False)
    for place, total in enumerate(each(totals), start=1):
        net = f"{total.net:+d}".replace("-", "−") if total.net else "0"
        label_at_edge(axes, place, f"{net} ({total.gain} − {total.regression})", "#333333")
    axes.set_yticks(
        range(1, len(systems) + 1), [system_title(models, *system) for system in systems]
    )
    count_questions(axes.xaxis, n)
    axes.set_xlabel("Question, from the easiest to the hardest")
    explain(figure, {meaning: _COLOURS[change] for change, meaning in _MEANING.items()})
    least = int(totals["n"].min())
    white = "" if least == n else "; white: not judged under all three, so not counted"
    return Figure(
        figure,
        f"Changes from {_STEPS[step]}, zero-shot, question by question (n = {n} questions judged "
        f"under all three plan modes{white}). Difficulty: how many systems answer a question right "
        "without a plan; equally hard ones in the order of the file. At the right: net change "
        f"(gains − regressions); Table 4 tests it. {judged_sentence(scores, models)}",
    )
