"""A radar chart of ROC-AUC by domain."""

import math
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tabbench.reporting.figures.draw import Looks
from tabbench.reporting.style import CHANCE, COLUMN, legend_above
from tabbench.reporting.titles import domain_title


def domain_radar(
    cells: pd.DataFrame, counts: "pd.Series[int]", looks: Looks
) -> matplotlib.figure.Figure:
    """Return a radar chart of ROC-AUC: an axis per domain, a closed line per model.

    Parameters
    ----------
    cells : DataFrame with ``domain``, ``model`` and ``mean``, one row per pair
    counts : number of datasets by domain
    looks : of the models that are drawn; the mean of a model may be undefined in a domain
    """
    domains = sorted(cells["domain"].unique())
    means = cells.pivot(index="domain", columns="model", values="mean")[list(looks)]  # noqa: PD010
    titles = [f"{domain_title(name)}\n(n = {counts[name]})" for name in domains]
    figure = matplotlib.figure.Figure(figsize=(1.3 * COLUMN, 3.4))
    FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot(projection="polar")
    angles = np.linspace(0, 2 * np.pi, len(titles), endpoint=False)
    around = np.append(angles, angles[:1])
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    for model, look in looks.items():
        closed = np.append(means[model], means[model].iloc[:1])
        axes.plot(around, closed, **look)
    ring = np.linspace(0, 2 * np.pi, 181)
    axes.plot(
        ring, np.full_like(ring, CHANCE), color="#777777", linewidth=0.8, linestyle=(0, (4, 3))
    )
    low = min(0.3, math.floor(10 * np.nanmin(means)) / 10)
    axes.set_ylim(low, 1)
    levels = np.arange(round(low + 0.1, 1), 0.95, 0.2).round(1)
    axes.set_yticks(levels, [])
    for level in levels:
        axes.text(
            np.pi / max(len(titles), 1),
            level,
            f"{level}",
            ha="center",
            va="center",
            fontsize=7,
            zorder=4,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
        )
    axes.grid(visible=True, color="#e3e3e3", linewidth=0.5)
    axes.spines["polar"].set_color("#bdbdbd")
    axes.set_xticks(angles, titles)
    axes.tick_params(axis="x", pad=2)
    for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
        side = round(float(np.sin(angle)), 6)
        label.set_horizontalalignment("center" if not side else "left" if side > 0 else "right")
        if not side:
            label.set_verticalalignment("bottom" if angle == 0 else "top")
    legend_above(figure, axes, columns=min(len(looks), 2))
    return figure
