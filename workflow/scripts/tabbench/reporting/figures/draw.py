"""Shared drawing: bars that start at chance, and lines over shots."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tabbench.reporting.style import (
    CHANCE,
    COLUMN,
    PAGE,
    SHOTS_LABEL,
    chance_line,
    legend_above,
    panels,
    shot_axis,
    shot_positions,
    with_data,
)

Looks = Mapping[str, Mapping[str, Any]]
"""Colour, marker and so on of each item, in drawing order, with a ``label`` where it has one."""

_WIDEST_BAR = 0.25
_WHISKER = 0.7
_DODGE = 0.07
"""Sideways step between the lines of a panel, so that whiskers do not cover each other."""


def model_panels(count: int, height: float = 2.5) -> tuple[matplotlib.figure.Figure, list[Axes]]:
    """Return a panel per model: a lone one is wider than a column, several share the page."""
    width = 1.3 * COLUMN if count == 1 else PAGE / min(count, 3)
    return panels(count, width=width, height=height)


def grouped_bars(
    axes: Axes, cells: pd.DataFrame, group: str, titles: Mapping[str, str], bar: str, looks: Looks
) -> list[float]:
    """Draw bars of ROC-AUC that start at chance, with their whiskers.

    Parameters
    ----------
    cells : DataFrame from ``aggregate.over_datasets``
    group, bar : columns of ``cells`` that tell the groups apart, and the bars of a group
    titles : name below each group, in order
    looks : of the bars of a group, in order

    Returns
    -------
    list of float
        Offsets of the bars from the middle of their group, in the order of ``looks``.
    """
    width = min(0.8 / len(looks), _WIDEST_BAR)
    places = [(index - (len(looks) - 1) / 2) * width for index in range(len(looks))]
    for place, (name, look) in zip(places, looks.items(), strict=True):
        bars = cells[cells[bar] == name].set_index(group).reindex(list(titles))
        x = np.arange(len(titles)) + place
        axes.bar(
            x,
            bars["mean"] - CHANCE,
            0.92 * width,
            bottom=CHANCE,
            color=look["color"],
            label=look.get("label", name),
        )
        axes.errorbar(x, bars["mean"], bars["std"], fmt="none", ecolor="black", elinewidth=_WHISKER)
    axes.set_xticks(range(len(titles)), list(titles.values()))
    axes.set_xlim(-0.6, len(titles) - 0.4)
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("ROC-AUC")
    return places


def shot_lines(
    axes: Axes,
    cells: pd.DataFrame,
    line: str,
    looks: Looks,
    shots: Sequence[int],
    dodge: float = 0.0,
) -> None:
    """Draw lines with whiskers over shots.

    Parameters
    ----------
    cells : DataFrame from ``aggregate.over_datasets``, one row per line and ``k``
    line : column of ``cells`` that tells the lines apart
    looks : of the lines, in order
    shots : of the whole axis; other panels may have more than ``cells``
    dodge : sideways step between lines, so that whiskers do not cover each other
    """
    x = shot_positions(shots)
    for index, (name, look) in enumerate(looks.items()):
        points = cells[cells[line] == name]
        axes.errorbar(
            points["k"].map(x) + (index - (len(looks) - 1) / 2) * dodge,
            points["mean"],
            points["std"],
            elinewidth=_WHISKER,
            **{"label": name} | dict(look),
        )


def model_curves(
    cells: pd.DataFrame,
    models: Mapping[str, str],
    line: str,
    looks: Looks,
    columns: tuple[int, int],
) -> matplotlib.figure.Figure:
    """Draw lines of ROC-AUC over shots, a panel per model, the legend above.

    Parameters
    ----------
    cells : DataFrame from ``aggregate.over_datasets``, one row per model, line and ``k``
    models : display name by id, in order
    line : column of ``cells`` that tells the lines apart
    looks : of the lines, in order
    columns : of the legend, with one panel and with several

    Raises
    ------
    TabBenchError
        When no model has a value.
    """
    shots = sorted(int(k) for k in cells["k"].unique())
    shown = with_data(models, cells)
    figure, every_axes = model_panels(len(shown))
    for axes, model in zip(every_axes, shown, strict=True):
        of_model = cells[cells["model"] == model]
        shot_lines(axes, of_model, line, looks, shots, _DODGE)
        count_axis(axes, of_model, shots)
        axes.set_title(models[model])
    chance_line(every_axes)
    figure.supylabel("ROC-AUC", fontsize=8)
    figure.supxlabel(SHOTS_LABEL, fontsize=8)
    legend_above(figure, every_axes[0], columns=columns[len(shown) > 1])
    return figure


def count_axis(axes: Axes, cells: pd.DataFrame, shots: Sequence[int]) -> None:
    """Label the axis of shots with the largest number of datasets that ``cells`` has at each."""
    largest = cells.groupby("k")["n_datasets"].max()
    shot_axis(axes, shots, dict(zip(largest.index, largest, strict=True)))
