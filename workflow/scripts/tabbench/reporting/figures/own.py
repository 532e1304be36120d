"""The decision page's figures: learning curves, differences, reliability and contexts."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tabbench.core.contexts import CONTEXTS
from tabbench.core.schemas import decision as schema
from tabbench.decision.sentences import EQUAL, each, outcome
from tabbench.reporting.style import (
    CHANCE,
    PAGE,
    Figure,
    baseline_looks,
    context_looks,
    model_looks,
    panels,
    sequence_colours,
    styled,
    widen,
)
from tabbench.reporting.writer import plural
from tabbench.statistics.multiplicity import LEVEL

_BAND = 0.13
_WHISKER = 0.7
_DODGE = 0.05
"""Sideways step between lines, so that whiskers do not cover each other."""
_ROOM_FOR_A_TICK = 0.07
"""Share of the axis that the label of a number of examples needs."""
_PER_ROW = 3
_MOST_COLUMNS = 4
"""Panels of a row of differences, besides the one of all labels."""


@styled
def learning_curves(
    curves: pd.DataFrame, models: Mapping[str, str], baselines: Mapping[str, str]
) -> Figure:
    """Draw ROC-AUC and PR-AUC against the number of labels, a line per model and baseline.

    Parameters
    ----------
    curves : DataFrame with the columns of ``schemas.CURVES``, with a ROC-AUC in some row
    models, baselines : display name by id, in the configured order
    """
    ranked = curves[curves["roc_auc"].notna()]
    flat = ranked["status"].eq(schema.CONSTANT).groupby(ranked["model"]).transform("all")
    drawn = ranked if flat.all() else ranked[~flat]
    names = {**models, **baselines}
    looks = _looks(models, baselines)
    last = drawn.sort_values("k").groupby("model")["roc_auc"].last()
    order = sorted(last.index, key=lambda one: -float(last[one]))
    places = _places(sorted({int(k) for k in drawn["k"]}))
    figure = matplotlib.figure.Figure(figsize=(PAGE, 6.2))
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, sharex=True)
    for axes, metric, guess in (
        (above, "roc_auc", CHANCE),
        (below, "pr_auc", float(drawn["base_rate"].median())),
    ):
        for index, one in enumerate(order):
            shift = (index - (len(order) - 1) / 2) * _DODGE
            line = drawn[drawn["model"] == one].sort_values("k")
            _curve(axes, line, metric, places, shift, looks[one] | {"label": names[one]})
        axes.axhline(guess, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.9)
        axes.annotate(
            "guessing", (0, guess), xycoords=("axes fraction", "data"), xytext=(3, 2),
            textcoords="offset points", fontsize=7, color="#595959",
        )  # fmt: skip
        widen(axes)
    above.set_ylabel("ROC-AUC")
    below.set_ylabel("PR-AUC (average precision)")
    _label_axis(below, drawn, places)
    handles, labels = above.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside right upper", title="With most labels,\nbest first",
        handlelength=3.2, labelspacing=0.7, alignment="left", title_fontsize=7,
    )  # fmt: skip
    return Figure(figure, _curves_caption(drawn))


def _looks(models: Mapping[str, str], baselines: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    return model_looks(models) | baseline_looks(baselines)


def _places(shots: Sequence[int]) -> dict[int, float]:
    """Where numbers of labels stand on a log axis; 0 one step of four left of the smallest."""
    smallest = min((k for k in shots if k), default=1)
    return {k: math.log2(k / smallest) + 2 if k else 0.0 for k in shots}


def _curve(
    axes: Axes,
    line: pd.DataFrame,
    metric: str,
    places: Mapping[int, float],
    shift: float,
    look: Mapping[str, Any],
) -> None:
    """Draw a line with whiskers, and a band where it is a language model's."""
    x = line["k"].map(places).to_numpy(np.float64)
    y, low, high = (line[f"{metric}{end}"].to_numpy(np.float64) for end in ("", "_low", "_high"))
    if (line["kind"] == "model").all() and len(line) > 1:
        axes.fill_between(x + shift, low, high, color=look["color"], alpha=_BAND, linewidth=0)
    axes.errorbar(x + shift, y, _whiskers(y, low, high), elinewidth=_WHISKER, capsize=0, **look)


def _whiskers(y: Any, low: Any, high: Any) -> Any:
    """Lengths downwards and upwards; none where there is no interval."""
    return np.maximum(np.nan_to_num([y - low, high - y]), 0)


def _label_axis(axes: Axes, drawn: pd.DataFrame, places: Mapping[int, float]) -> None:
    """Name the numbers of labels that have room, the largest and none always."""
    full = {int(k) for k in drawn.loc[drawn["full"], "k"]}
    ends = (min(places.values()), max(places.values()))
    room = _ROOM_FOR_A_TICK * max(ends[1] - ends[0], 1)
    named: list[int] = []
    for k in sorted(places, reverse=True):
        if not named or places[named[-1]] - places[k] > room:
            named.append(k)
    texts = [f"all\n{k:,}" if k in full else f"{k:,}" for k in named]
    axes.set_xticks([places[k] for k in named], texts)
    axes.set_xlim(ends[0] - 0.35, ends[1] + 0.35)
    axes.set_xlabel("Labelled rows in the prompt or the fit, log axis")


def _curves_caption(drawn: pd.DataFrame) -> str:
    rows = sorted({int(n) for n in drawn["n"]})
    on = (
        plural(rows[-1], "test row") if len(rows) == 1 else f"{rows[0]:,} to {rows[-1]:,} test rows"
    )
    shots = drawn[(drawn["k"] > 0) & ~drawn["full"]]
    draws = f", {_range(shots['draws'])} draws of labelled rows" if len(shots) else ""
    return (
        f"ROC-AUC above, PR-AUC below, against the number of labelled rows ({on}{draws}). Solid "
        "lines and bands: language models; dashes: baselines. Bands and whiskers: 95 % intervals "
        "over test rows and draws. Points are moved sideways so that whiskers do not cover each "
        "other; what gives every row the same probability is guessing and not drawn."
    )


def _range(numbers: "pd.Series[Any]") -> str:
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low}" if low == high else f"{low} to {high}"


@styled
def differences(
    pairs: pd.DataFrame, models: Mapping[str, str], baselines: Mapping[str, str]
) -> Figure:
    """Draw each model's difference to the baselines: a row of panels per model.

    A panel per number of labels that both had, and one for the baselines on all labels, against
    the model at its best.

    Parameters
    ----------
    pairs : DataFrame with the columns of ``schemas.DIFFERENCES``, some to a baseline
    models, baselines : display name by id, in the configured order
    """
    drawn = pairs[pairs["reference_kind"].eq("baseline") & pairs["difference"].notna()]
    same = drawn[drawn["comparison"] == schema.SAME_LABELS]
    in_full = drawn[drawn["comparison"] == schema.ALL_LABELS]
    shown = [model for model in models if (drawn["model"] == model).any()]
    fitted = [one for one in baselines if (drawn["reference"] == one).any()]
    shots = _some(sorted({int(k) for k in same["k"]}))
    columns = len(shots) + (not in_full.empty)
    figure = matplotlib.figure.Figure(
        figsize=(PAGE, len(shown) * (0.19 * len(fitted) + 0.55) + 0.4)
    )
    FigureCanvasAgg(figure)
    grid = figure.subplots(len(shown), columns, sharex=True, sharey=True, squeeze=False)
    colours = {one: look["color"] for one, look in baseline_looks(baselines).items()}
    for line, model in zip(grid, shown, strict=True):
        for axes, k in zip(line, shots, strict=False):
            _forest(axes, same[(same["model"] == model) & (same["k"] == k)], fitted, colours)
            axes.set_title(f"{k:,} labels")
        mine = in_full[in_full["model"] == model]
        if len(mine):
            best = max(each(mine), key=lambda row: float(row.roc_auc))
            _forest(line[-1], mine[mine["k"] == best.k], fitted, colours)
            line[-1].set_title(f"{best.k:,} against all {best.reference_k:,}")
        line[0].set_yticks(range(len(fitted)), [baselines[one] for one in fitted])
        line[0].set_ylim(len(fitted) - 0.4, -0.6)
        if len(shown) > 1:
            line[0].set_ylabel(models[model].replace("-", "-\n", 1))
    figure.supxlabel("← baseline better     Difference of ROC-AUC     model better →", fontsize=8)
    return Figure(
        figure,
        "ROC-AUC of a model less that of a baseline on the same test rows, by the number of labels "
        "that both had; on the right the model at its best against baselines on all labels. "
        f"Filled: p < {LEVEL} by DeLong's test, corrected by Holm; hollow: not told apart. "
        "Whiskers: intervals over test rows and draws at the level of that correction, 95 % or "
        "more, so that they cross 0 where a point is hollow.",
    )


def _some(shots: Sequence[int]) -> list[int]:
    """As many numbers of labels as have room, the fewest and the most among them."""
    if len(shots) <= _MOST_COLUMNS:
        return list(shots)
    at = np.linspace(0, len(shots) - 1, _MOST_COLUMNS).round().astype(int)
    return [shots[place] for place in at]


def _forest(
    axes: Axes, pairs: pd.DataFrame, fitted: Sequence[str], colours: Mapping[str, str]
) -> None:
    """Draw a panel of differences, a row per baseline."""
    for row in each(pairs):
        colour = colours[str(row.reference)]
        ends = np.array([[row.difference], [row.low], [row.high]], dtype=np.float64)
        axes.errorbar(
            [row.difference], [fitted.index(str(row.reference))], xerr=_whiskers(*ends),
            color=colour, marker="o", markersize=4.5, elinewidth=1, capsize=0, linestyle="none",
            markerfacecolor=colour if outcome(row) != EQUAL else "white",
        )  # fmt: skip
    axes.axvline(0, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.9)
    axes.grid(axis="x")


@styled
def reliability(
    bins: pd.DataFrame, models: Mapping[str, str], baselines: Mapping[str, str]
) -> Figure:
    """Draw observed against predicted rates, a panel per model, a line per number of labels.

    Parameters
    ----------
    bins : DataFrame with the columns of ``schemas.RELIABILITY_BINS``, some of a model as answered
    models, baselines : display name by id, in the configured order
    """
    del baselines
    drawn = bins[(bins["kind"] == "model") & (bins["method"] == schema.AS_ANSWERED)]
    shown = [model for model in models if (drawn["model"] == model).any()]
    shots = sorted({int(k) for k in drawn["k"]})
    colours = sequence_colours(len(shots))
    per_row = min(len(shown), _PER_ROW)
    figure, every_axes = panels(
        len(shown), width=3.6 if per_row == 1 else PAGE / per_row, height=3, per_row=_PER_ROW
    )
    for axes, model in zip(every_axes, shown, strict=True):
        axes.plot([0, 1], [0, 1], color="#777777", linewidth=0.8, linestyle=(0, (4, 3)))
        for index, (k, colour) in enumerate(zip(shots, colours, strict=True)):
            curve = drawn[(drawn["model"] == model) & (drawn["k"] == k)].sort_values("bin")
            x, y, low, high = (
                curve[name].to_numpy(np.float64)
                for name in ("mean_predicted", "observed", "observed_low", "observed_high")
            )
            axes.errorbar(
                x, y, _whiskers(y, low, high), color=colour, marker="osD^vPX"[index % 7],
                linewidth=1, elinewidth=_WHISKER, capsize=0, label=f"{k:,} labels",
            )  # fmt: skip
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), title=models[model])
    figure.supxlabel("Predicted probability of class 1", fontsize=8)
    figure.supylabel("Observed share of class 1", fontsize=8)
    handles, labels = every_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    return Figure(
        figure,
        "Share of class 1 among the test rows against their mean predicted probability, as "
        "answered, in 10 bins of equal width; on the dashed line probabilities mean what they "
        "say. Whiskers: 95 % Wilson intervals over the rows of a bin.",
    )


@styled
def contexts(
    effects: pd.DataFrame, models: Mapping[str, str], baselines: Mapping[str, str]
) -> Figure:
    """Draw ROC-AUC with and without column names and task text, a panel per number of labels.

    Parameters
    ----------
    effects : DataFrame with the columns of ``schemas.CONTEXT_EFFECTS``, some with a ROC-AUC
    models, baselines : display name by id, in the configured order
    """
    del baselines
    drawn = effects[effects["roc_auc"].notna() & effects["configuration"].isin(_CONTEXT_NAMES)]
    shots = sorted({int(k) for k in drawn["k"]})
    shown = [model for model in models if (drawn["model"] == model).any()]
    looks = context_looks()
    per_row = min(len(shots), 2 if len(shown) < 3 else 1)
    figure, every_axes = panels(len(shots), width=PAGE / per_row, height=2.8, per_row=per_row)
    for axes, k in zip(every_axes, shots, strict=True):
        for index, context in enumerate(CONTEXTS):
            part = drawn[(drawn["k"] == k) & (drawn["configuration"] == context.name)]
            of_model = part.set_index("model")["roc_auc"].reindex(shown)
            axes.plot(
                np.arange(len(shown)) + (index - 1.5) * 0.15, of_model, markersize=6,
                **looks[context.name] | {"linestyle": "none"}, label=_CONTEXT_NAMES[context.name],
            )  # fmt: skip
        axes.set_xticks(range(len(shown)), [models[model] for model in shown])
        axes.set_xlim(-0.6, len(shown) - 0.4)
        axes.set_title(f"{k:,} labels")
    for axes in every_axes:
        axes.axhline(CHANCE, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.9)
    widen(every_axes[0])
    every_axes[0].set_ylabel("ROC-AUC")
    handles, labels = every_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return Figure(
        figure,
        "ROC-AUC with column names and task text, and without one or both. On the rows that are "
        "valid under all of them; the table has the differences with their intervals. Dashed line: "
        "guessing.",
    )


_CONTEXT_NAMES = {
    "Cols-Context": "names and task text",
    "NoCols-Context": "task text alone",
    "Cols-NoContext": "names alone",
    "NoCols-NoContext": "neither",
}
