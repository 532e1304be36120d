"""Heat maps of gains: blue where examples help, red where they harm, white at none."""

from collections.abc import Sequence

import matplotlib as mpl
import matplotlib.figure
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

_UNDEFINED = "#ececec"
_DARK = 0.6
"""Share of the limit from which on a cell is so dark that its text is white."""


def heat_map(
    axes: Axes, cells: pd.DataFrame, rows: Sequence[str], shots: Sequence[int], limit: float
) -> None:
    """Draw a cell per row and number of shots, the first row on top; grey where there is none.

    Parameters
    ----------
    cells : DataFrame with ``row``, ``k``, ``value`` and ``text``, what is written into the cell
    rows, shots : the whole grid, in order; other panels may have more of it than ``cells``
    limit : absolute value of the darkest colours
    """
    values = np.full((len(rows), len(shots)), np.nan)
    for name, k, value, text in zip(
        cells["row"], cells["k"], cells["value"], cells["text"], strict=True
    ):
        row, column = rows.index(name), shots.index(k)
        values[row, column] = np.clip(value, -limit, limit)  # an infinite z has a colour too
        axes.text(
            column + 0.5,
            row + 0.5,
            text,
            ha="center",
            va="center_baseline",
            fontsize=7,
            color="white" if abs(value) > _DARK * limit else "black",
        )
    axes.pcolormesh(
        values,
        cmap=mpl.colormaps["RdBu"].with_extremes(bad=_UNDEFINED),
        norm=Normalize(-limit, limit),
        edgecolors="white",
        linewidth=0.8,
    )
    axes.set_facecolor(_UNDEFINED)
    axes.set_ylim(len(rows), 0)
    axes.set_xticks([place + 0.5 for place in range(len(shots))], [str(k) for k in shots])
    axes.set_yticks([place + 0.5 for place in range(len(rows))], list(rows))
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def colour_bar(
    figure: matplotlib.figure.Figure,
    every_axes: Sequence[Axes],
    limit: float,
    title: str,
    beyond: bool = False,
) -> None:
    """Explain the colours at the right of all panels; ``beyond``: some values exceed the limit."""
    colours = ScalarMappable(Normalize(-limit, limit), mpl.colormaps["RdBu"])
    bar = figure.colorbar(
        colours,
        ax=list(every_axes),
        label=title,
        pad=0.02,
        aspect=30,
        extend="both" if beyond else "neither",
    )
    bar.outline.set_visible(False)
    bar.ax.tick_params(width=0.6)
