"""RQ3, Figure 10: ROC-AUC against the number of examples, a panel per model."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from tabbench.core.contexts import RICHEST
from tabbench.reporting.figures.draw import count_axis, model_panels, shot_lines
from tabbench.reporting.remarks import rows_sentence
from tabbench.reporting.style import (
    CHANCE,
    SHOTS_LABEL,
    Figure,
    chance_line,
    label_at_edge,
    model_looks,
    shot_positions,
    spread,
    styled,
    widen,
    with_data,
)
from tabbench.scoring.aggregate import over_datasets, over_seeds
from tabbench.scoring.select import select_main

_LABELLED_DATASETS = 8
"""Largest number of thin lines that carry their dataset's name, in a single panel."""


@styled
def figure10(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw the mean over datasets with its ±, each dataset as a thin line behind it.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    mode : generation or forward
    """
    used = select_main(
        scores,
        models=models,
        suites=["core"],
        modes=[mode],
    )
    datasets = over_seeds(used)
    cells = over_datasets(datasets[datasets["mean"].notna()], ["model", "k"])
    shots = sorted(int(k) for k in cells["k"].unique())
    shown = with_data(models, cells)
    figure, every_axes = model_panels(len(shown), height=2.6)
    x = shot_positions(shots)
    looks = model_looks(models)
    ends: dict[str, tuple[float, float]] = {}
    for axes, model in zip(every_axes, shown, strict=True):
        of_model = datasets[datasets["model"] == model]
        for name, line in of_model.groupby("dataset"):
            axes.plot(line["k"].map(x), line["mean"], color="#bdbdbd", linewidth=0.6, zorder=1)
            ends[str(name)] = (x[line["k"].iloc[-1]], line["mean"].iloc[-1])
        mean = cells[cells["model"] == model]
        shot_lines(axes, mean, "model", {model: looks[model] | {"zorder": 3}}, shots)
        count_axis(axes, mean, shots)
        axes.set_title(models[model])
    if len(shown) == 1 and len(ends) <= _LABELLED_DATASETS:
        _name_lines(every_axes[0], ends, last=x[shots[-1]])
    else:
        chance_line(every_axes)
    figure.supylabel("ROC-AUC", fontsize=8)
    figure.supxlabel(SHOTS_LABEL, fontsize=8)
    return Figure(
        figure,
        f"ROC-AUC against the number of labelled examples (classic suite, {mode} mode, "
        f"{RICHEST.serialization}, Cols-Context): mean over the n datasets available at each "
        "number (n in brackets; where n changes, so does the set of datasets); thin lines: "
        "single datasets. Whiskers: root mean square of the standard deviations over seeds, "
        f"none with a single seed.{rows_sentence(used)}",
    )


def _name_lines(axes: Axes, ends: Mapping[str, tuple[float, float]], last: float) -> None:
    """Name the datasets' lines at the right edge, chance among them, without overlaps.

    Lines that stop before the ``last`` position are named where they stop.
    """
    axes.axhline(CHANCE, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.9)
    widen(axes)
    at_edge = {"chance": CHANCE}
    for name, (x, y) in ends.items():
        if x == last:
            at_edge[name] = y
        else:
            axes.annotate(
                name, (x, y), xytext=(2, 2), textcoords="offset points", fontsize=7, color="#777777"
            )
    low, high = axes.get_ylim()
    heights = spread(list(at_edge.values()), gap=0.065 * (high - low))
    for name, height in zip(at_edge, heights, strict=True):
        label_at_edge(axes, height, name, "#777777")
