"""A radar chart of ROC-AUC."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.figure
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy.typing import NDArray

from tabbench.figures.style import CHANCE, COLUMN, legend_above


def radar(
    titles: Sequence[str], lines: Mapping[str, tuple[NDArray[np.float64], Mapping[str, Any]]]
) -> matplotlib.figure.Figure:
    """Return a radar chart of ROC-AUC: an axis per title, a closed line per entry.

    Parameters
    ----------
    titles : names of the axes, clockwise from the top
    lines : name to its values, shape (axes,), NaN where there is none, and its look
    """
    figure = matplotlib.figure.Figure(figsize=(1.3 * COLUMN, 3.4))
    FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot(projection="polar")
    angles = np.linspace(0, 2 * np.pi, len(titles), endpoint=False)
    around = np.append(angles, angles[:1])
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    for name, (values, look) in lines.items():
        closed = np.append(values, values[:1])
        axes.plot(around, closed, label=name, **look)
    ring = np.linspace(0, 2 * np.pi, 181)
    axes.plot(
        ring, np.full_like(ring, CHANCE), color="#777777", linewidth=0.8, linestyle=(0, (4, 3))
    )
    drawn = [value for values, _ in lines.values() for value in values if not np.isnan(value)]
    low = min(0.3, math.floor(10 * min(drawn, default=CHANCE)) / 10)
    axes.set_ylim(low, 1)
    axes.set_yticks(np.arange(round(low + 0.1, 1), 0.95, 0.2).round(1))
    axes.set_rlabel_position(180 / max(len(titles), 1))
    axes.grid(visible=True, color="#e3e3e3", linewidth=0.5)
    axes.spines["polar"].set_color("#bdbdbd")
    axes.set_xticks(angles, titles)
    axes.tick_params(axis="x", pad=2)
    for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
        side = round(float(np.sin(angle)), 6)
        label.set_horizontalalignment("center" if not side else "left" if side > 0 else "right")
        if not side:
            label.set_verticalalignment("bottom" if angle == 0 else "top")
    legend_above(figure, axes, columns=min(len(lines), 3))
    return figure
