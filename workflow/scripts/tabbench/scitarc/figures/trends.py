"""What complexity does to the odds of a right answer, each metric alone and all together."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from tabbench.reporting.style import PAGE, Figure, panels, styled
from tabbench.scitarc.figures.draw import count_text, judged_sentence, write_instead
from tabbench.scitarc.names import METRIC_TITLES
from tabbench.scitarc.prompts import METHODS
from tabbench.scitarc.trends import SEVEN, complexity_effects, unfitted

_LOOKS: Mapping[str, tuple[float, dict[str, Any]]] = {
    "alone": (-0.14, {"color": "#8c8c8c", "marker": "o", "markerfacecolor": "white"}),
    "joint": (0.14, {"color": "#0072B2", "marker": "D"}),
}
"""Place within a metric's row, and look, of both regressions."""
_LABELS = {"alone": "the metric alone", "joint": "all metrics together"}
_LEAST_RANGE = 1.5
"""The axis reaches from the inverse of these odds to them, or further."""


@styled
def complexity_model(
    scitarc_scores: pd.DataFrame, scitarc_complexity: pd.DataFrame, models: Mapping[str, str]
) -> Figure:
    """Draw the odds ratio of each metric, alone and together with the others, per method.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    scitarc_complexity : DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``
    models : display name by id
    """
    effects = complexity_effects(scitarc_scores, scitarc_complexity)
    methods = list(effects["execution"].unique())
    fitted = effects[["alone_odds", "joint_odds"]].notna().to_numpy().any()
    figure, every_axes = panels(
        len(methods), width=PAGE / 2, height=2.6 if fitted else 1.1, per_row=2
    )
    for axes, execution in zip(every_axes, methods, strict=True):
        _panel(axes, effects[effects["execution"] == execution].reset_index(drop=True))
    left = every_axes[0]
    if fitted:
        titles = [METRIC_TITLES[metric][0].replace(", ", "\n") for metric in SEVEN]
        left.set_yticks(range(len(SEVEN)), titles)
        left.set_ylim(len(SEVEN) - 0.5, -0.5)
        handles = {
            label: handle
            for axes in every_axes
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=2)
    else:
        left.set_yticks([])
    lacking = "; ".join(unfitted(effects))
    asked = f"zero-shot, no plan; {count_text(effects['questions_asked'].max(), 'question')}"
    explained = (
        f"Odds ratio of a right answer for one standard deviation more of a complexity metric "
        f"({asked}), of the metric alone and of all seven in one logistic regression, with an "
        "intercept for each system; S_cell and S_tok as logarithms. Bars: 95% intervals that count "
        "a question once however many systems answer it. The metrics are correlated: an effect "
        "together is what a metric adds to the others. " + (f"{lacking}. " if lacking else "")
        if fitted
        else f"No model of complexity ({asked}). {lacking}. "
    )
    return Figure(figure, explained + judged_sentence(scitarc_scores, models))


def _panel(axes: Axes, effects: pd.DataFrame) -> None:
    first = effects.iloc[0]
    method = METHODS[first["execution"]]
    if effects[["alone_odds", "joint_odds"]].isna().to_numpy().all():
        axes.set_title(method)
        write_instead(axes, f"Not fitted: {first['alone_why_not']}.")
        return
    axes.set_title(
        f"{method}, {count_text(first['systems'], 'system')}, {first['n']:,} answers to "
        f"{count_text(first['questions'], 'question')}"
    )
    for part, (shift, look) in _LOOKS.items():
        rows = effects[effects[f"{part}_odds"].notna()]
        if rows.empty:
            continue
        odds, low, high = (rows[f"{part}_{name}"] for name in ("odds", "low", "high"))
        # Rounding must not make a bar of negative length.
        ends = np.maximum([odds - low, high - odds], 0)
        axes.errorbar(
            odds,
            rows.index + shift,
            xerr=ends,
            linestyle="",
            elinewidth=0.9,
            label=_LABELS[part],
            **look,
        )
    axes.axvline(1, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.9)
    axes.set_xscale("log")
    lower, upper = axes.get_xlim()
    lower, upper = min(lower, 1 / _LEAST_RANGE), max(upper, _LEAST_RANGE)
    axes.set_xlim(lower, upper)
    steps = [0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 5, 10]
    axes.set_xticks([step for step in steps if lower <= step <= upper])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda odds, _: f"{odds:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="x")
    axes.set_xlabel("Odds ratio of a right answer (log axis)")
