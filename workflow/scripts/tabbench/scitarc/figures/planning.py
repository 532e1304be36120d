"""Effect of plans on SciTaRC: failures by kind (Figure 4) and gain curves (Figure 5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from tabbench.reporting.style import COLUMN, PAGE, Figure, label_at_edge, panels, styled
from tabbench.scitarc.figures.draw import (
    NULL_BAND,
    count_questions,
    explain,
    judged_sentence,
    ranking_sentence,
    unranked_sentence,
    write_instead,
)
from tabbench.scitarc.figures.nothing import empty_if_all_wrong
from tabbench.scitarc.gains import WINDOW, gain_bands, gain_curves, ranked_answers
from tabbench.scitarc.names import system_title
from tabbench.scitarc.planning import failure_decomposition
from tabbench.scitarc.prompts import METHODS
from tabbench.scitarc.scores import SYSTEM, each

_OUTCOMES = {
    "success": ("right with its own plan", "#56B4E9"),
    "plan_failure": ("plan failure", "#F0C63C"),
    "execution_failure": ("execution failure", "#C8553D"),
}
_ROOM_FOR_TEXT = 0.06
"""Smallest share whose number fits into its bar."""

_CURVES: Mapping[str, tuple[str, str, Any]] = {
    "direct": ("no plan", "#4d4d4d", "-"),
    "auto": ("own plan", "#E69F00", "--"),
    "oracle": ("gold plan", "#0072B2", "-."),
}
_SHADES = {"own plan loses": "#CC3311", "own plan gains": "#009E73"}
"""Only where the own plan's curve is outside of the band."""
_BAND = "#D9D9D9"
_PER_ROW = 3


@empty_if_all_wrong
@styled
def figure4(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Figure:
    """Draw the shares of failures that the gold plan rescues, a bar per system.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    models : display name by id

    Raises
    ------
    TabBenchError
        When no system was judged with its own plan and with the gold one.
    """
    shares = failure_decomposition(scitarc_scores)
    names = [system_title(models, row.model, row.execution) for row in each(shares)]
    width = min(PAGE, 1.75 * COLUMN)
    figure, (axes,) = panels(1, width=width, height=0.9 + 0.26 * max(len(shares), 2))
    left = np.zeros(len(shares))
    for outcome, (_, colour) in _OUTCOMES.items():
        values = shares[outcome].to_numpy()
        axes.barh(range(len(shares)), 100 * values, 0.7, left=100 * left, color=colour)
        for place, (value, start) in enumerate(zip(values, left, strict=True)):
            if value >= _ROOM_FOR_TEXT:
                middle = 100 * (start + value / 2)
                white = outcome == "execution_failure"
                axes.text(
                    middle,
                    place,
                    f"{100 * value:.1f}",
                    ha="center",
                    va="center_baseline",
                    fontsize=7,
                    color="white" if white else "black",
                )
        left = left + values
    for place, n in enumerate(shares["n"]):
        label_at_edge(axes, place, f"n = {n}", "#4d4d4d")
    axes.set_yticks(range(len(shares)), names)
    axes.set_ylim(len(shares) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("Share of the questions (%)")
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False)
    explain(figure, dict(_OUTCOMES.values()))
    return Figure(
        figure,
        "Share of questions by outcome with the model's own and the gold plan, zero-shot. Plan "
        "failure: wrong with the model's own plan and right with the gold one; execution failure: "
        f"wrong with both. n: questions judged under both; shares below {_ROOM_FOR_TEXT:.0%} are "
        "drawn without their number. No interval is drawn; the table of failures has them. "
        f"{judged_sentence(scitarc_scores, models)}",
    )


@empty_if_all_wrong
@styled
def figure5(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Figure:
    """Draw success along the difficulty under the three plan modes, a panel per system.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    models : display name by id

    Raises
    ------
    TabBenchError
        When no system was judged under all three plan modes.
    """
    curves = gain_curves(scitarc_scores)
    bands = gain_bands(scitarc_scores, "autonomous gain")
    answers = ranked_answers(scitarc_scores)
    systems = sorted(answers, key=lambda one: one[1] != "code")  # code first, as in the paper
    columns = min(len(systems), _PER_ROW)
    width = 1.3 * COLUMN if len(systems) == 1 else PAGE / max(columns, 2)
    figure, every_axes = panels(len(systems), width=width, height=2.3, per_row=_PER_ROW)
    for axes, (model, execution) in zip(every_axes, systems, strict=True):
        of_system, band = (
            frame[frame[SYSTEM].eq([model, execution]).all(axis=1)] for frame in (curves, bands)
        )
        n = len(answers[model, execution])
        if n:
            _panel(axes, of_system, band, n)
        else:
            write_instead(axes, unranked_sentence("curve"))
        count = f", n = {n}" if n else ""
        method = METHODS[execution]  # type: ignore[index]
        axes.set_title(f"{models[model]}\n{method}{count}")
    every_axes[0].set_ylim(-4, 104)
    if curves.empty:
        every_axes[0].set_yticks([])
        sentence = unranked_sentence("gain curve")
        return Figure(figure, f"{sentence} {judged_sentence(scitarc_scores, models)}")
    figure.supylabel("Success (%)", fontsize=8)
    figure.supxlabel("Question, from the easiest to the hardest", fontsize=8)
    handles = [
        *(
            Line2D([], [], color=colour, linestyle=style, label=label)
            for label, colour, style in _CURVES.values()
        ),
        Patch(color=_BAND, label="own plan without effect"),
        *(Patch(color=colour, alpha=0.4, label=label) for label, colour in _SHADES.items()),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=6 if columns > 2 else 3)
    return Figure(
        figure,
        "Success along the difficulty, zero-shot: mean over a centred window of "
        f"{WINDOW // 2} questions to each side (the question itself included, fewer at both ends). "
        f"{ranking_sentence(scitarc_scores)} Grey, around the curve without a plan: {NULL_BAND}; "
        "red and green: where the own plan's curve leaves it. The gold plan has bands of its own, "
        "in Figures 8 and 9. "
        "n: questions judged under all three, and ranked by further answers."
        f"{_short_sentence(curves['n'])} {judged_sentence(scitarc_scores, models)}",
    )


def _panel(axes: Axes, curves: pd.DataFrame, bands: pd.DataFrame, n: int) -> None:
    lines = {name: curves[curves["condition"] == name] for name in _CURVES}
    for name, (_, colour, style) in _CURVES.items():
        line = lines[name]
        marker = "o" if n == 1 else None
        axes.plot(
            line["position"], 100 * line["p_success"], color=colour, linestyle=style, marker=marker
        )
    direct, auto = (100 * lines[name]["p_success"].to_numpy() for name in ("direct", "auto"))
    x = lines["direct"]["position"].to_numpy()
    band = 100 * bands["band"].to_numpy()
    axes.fill_between(x, direct - band, direct + band, color=_BAND, linewidth=0, zorder=0)
    loses, gains = _SHADES.values()
    for colour, edge, where in (
        (loses, direct - band, auto <= direct - band),
        (gains, direct + band, auto >= direct + band),
    ):
        axes.fill_between(
            x, edge, auto, where=where, interpolate=True, color=colour, alpha=0.4, linewidth=0
        )
    count_questions(axes.xaxis, n)
    axes.set_xlim(1 - 0.02 * n, n + 0.02 * n)


def _short_sentence(counts: pd.Series) -> str:
    """Say how to read the curve where there are fewer questions than the window has."""
    least, half = int(counts.min()), WINDOW // 2
    if least <= half + 1:
        return (
            f" With {least} questions every window holds all of them: the lines are flat, at the "
            "accuracies, and show nothing of the difficulty."
        )
    if least <= WINDOW:
        return (
            f" With {least} questions no window is whole, and all overlap: the lines are smoother "
            "than the paper's and say less of the difficulty."
        )
    return ""
