"""Shared drawing: bars that start at chance, and lines over shots."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tabbench.reporting.style import CHANCE, COLUMN, PAGE, panels, shot_axis, shot_positions

Looks = Mapping[str, Mapping[str, Any]]
"""Colour, marker and so on of each item, in drawing order, with a ``label`` where it has one."""

_WIDEST_BAR = 0.25
_WHISKER = 0.7


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


def count_axis(axes: Axes, cells: pd.DataFrame, shots: Sequence[int]) -> None:
    """Label the axis of shots with the largest number of datasets that ``cells`` has at each."""
    largest = cells.groupby("k")["n_datasets"].max()
    shot_axis(axes, shots, dict(zip(largest.index, largest, strict=True)))
