"""Changes by a plan on SciTaRC, question by question: Figures 7, 8 and 9."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tabbench.reporting.style import PAGE, Figure, label_at_edge, panels, styled
from tabbench.scitarc.figures.draw import (
    NULL_BAND,
    count_questions,
    divide,
    explain,
    judged_sentence,
    ranking_sentence,
    strip,
    unranked_sentence,
    write_instead,
)
from tabbench.scitarc.figures.nothing import empty_if_all_wrong
from tabbench.scitarc.gains import CHANGES, WINDOW, gain_bands, gain_map, gain_totals
from tabbench.scitarc.names import system_title
from tabbench.scitarc.scores import SYSTEM, each

_COLOURS = dict(zip(CHANGES, ("#009E73", "#CC3311", "#BBD6EC", "#E4E4E4"), strict=True))
_NOT_JUDGED = "#FFFFFF"
_FEW_QUESTIONS = 40
_BAND = "#D9D9D9"
_HALF_LANE = 0.45
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


@empty_if_all_wrong
@styled
def _map(scores: pd.DataFrame, models: Mapping[str, str], step: str) -> Figure:
    changes = gain_map(scores)
    if changes.empty:
        figure, (axes,) = panels(1, width=PAGE, height=1.5)
        write_instead(axes, unranked_sentence("map"))
        axes.set_yticks([])
        caption = f"{unranked_sentence('map')} {judged_sentence(scores, models)}"
        return Figure(figure, caption, empty=True)
    changes = changes[changes["step"] == step]
    totals = gain_totals(changes)
    codes = changes.assign(code=changes["change"].map(CHANGES.index)).pivot_table(
        index=SYSTEM, columns="position", values="code", aggfunc="first", fill_value=len(CHANGES)
    )
    systems = [(one.model, one.execution) for one in each(totals)]
    figure, (axes, lanes) = panels(
        2, width=PAGE, height=0.8 + 0.3 * max(len(systems), 2), per_row=1
    )
    cells = codes.loc[systems].to_numpy(np.int64)
    strip(axes, cells, [*_COLOURS.values(), _NOT_JUDGED])
    divide(axes, len(systems), horizontal=True)
    n = cells.shape[1]
    if n <= _FEW_QUESTIONS:
        divide(axes, n, horizontal=False)
    for place, total in enumerate(each(totals), start=1):
        net = f"{total.net:+d}".replace("-", "−") if total.net else "0"
        label_at_edge(axes, place, f"{net} ({total.gain} − {total.regression})", "#333333")
    scale = _draw_lanes(lanes, gain_bands(scores, step), systems)
    names = [system_title(models, *system) for system in systems]
    axes.set_yticks(range(1, len(systems) + 1), names)
    for one in (axes, lanes):
        count_questions(one.xaxis, n)
        one.set_xlim(0.5, n + 0.5)
    lanes.set_title("Net change in the window, and its band without an effect", fontsize=8)
    lanes.set_xlabel("Question, from the easiest to the hardest")
    explain(figure, {meaning: _COLOURS[change] for change, meaning in _MEANING.items()})
    least = int(totals["n"].min())
    white = "" if least == n else "; white: fewer were judged"
    return Figure(
        figure,
        f"Changes from {_STEPS[step]}, zero-shot, question by question (n = {n} questions judged "
        f"under all three plan modes, and ranked by further answers{white}). "
        f"{ranking_sentence(scores)} At the right: net change (gains − regressions); Table 4 tests "
        f"it. Below: mean change over {WINDOW // 2} questions to each side, a lane from "
        f"−{100 * scale:.0f} to +{100 * scale:.0f} percentage points; grey: "
        f"{NULL_BAND}. {judged_sentence(scores, models)}",
    )


def _draw_lanes(axes: Axes, bands: pd.DataFrame, systems: list[tuple[str, str]]) -> float:
    """Draw each system's net change with its band, and return the change at a lane's edge."""
    scale = max(float(bands["change"].abs().max()), float(bands["band"].max())) or 1.0
    for place, system in enumerate(systems, start=1):
        mine = bands[bands[SYSTEM].eq(list(system)).all(axis=1)]
        x = mine["position"].to_numpy()
        # the axis of the strips, which this one shares, points down
        change, band = (_HALF_LANE / scale * mine[name].to_numpy() for name in ("change", "band"))
        axes.fill_between(x, place - band, place + band, color=_BAND, linewidth=0)
        for name, side in (("gain", 1), ("regression", -1)):
            axes.fill_between(
                x,
                place - side * band,
                place - change,
                where=side * change >= band,
                interpolate=True,
                color=_COLOURS[name],
                alpha=0.6,
                linewidth=0,
            )
        axes.axhline(place, color="#8c8c8c", linewidth=0.5)
        marker = "o" if len(mine) == 1 else None
        axes.plot(x, place - change, color="#333333", linewidth=1, marker=marker)
        verdict = "leaves the band" if mine["outside"].any() else "inside the band"
        label_at_edge(axes, place, verdict, "#333333")
    axes.grid(visible=False)
    axes.tick_params(length=0)
    return scale
