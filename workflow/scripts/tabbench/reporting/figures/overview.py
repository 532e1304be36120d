"""Small figures on the first screen of the page of results: a few values, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.figure
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tabbench.reporting.style import Figure, styled

_WIDTH, _AXIS, _ROW, _LOWEST = 2.4, 0.45, 0.125, 0.8
"""Inches: width; height of the axis below, of a row, and of a figure at least."""
_LABEL = 28
"""Characters of a label, at most."""
MOST_ROWS = 8
"""Rows that can be read at this size."""


@dataclass(frozen=True)
class Value:
    """A value with the ends of its whisker; NaN where it has none."""

    value: float
    low: float
    high: float
    colour: str


@dataclass(frozen=True)
class Row:
    label: str
    values: tuple[Value, ...]


@styled
def dots(rows: Sequence[Row], unit: str, reference: float | None) -> Figure:
    """Draw values as dots, a row for each label, the first on top.

    Parameters
    ----------
    rows : at most `MOST_ROWS`
    unit : what the values are
    reference : value of no effect, drawn as a line
    """
    figure = matplotlib.figure.Figure(figsize=(_WIDTH, max(_AXIS + _ROW * len(rows), _LOWEST)))
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    if reference is not None:
        axes.axvline(reference, color="#8c8c8c", linewidth=0.8, linestyle=(0, (4, 2)))
    for place, row in enumerate(rows):
        for at, one in enumerate(row.values):
            # Several models in a row stand a little apart, so that none covers another.
            y = place + 0.5 * ((at + 0.5) / len(row.values) - 0.5)
            axes.plot([one.low, one.high], [y, y], color=one.colour, linewidth=1)
            axes.plot(one.value, y, "o", color=one.colour, markersize=3.5)
    axes.set_yticks(range(len(rows)), [_short(row.label) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x")
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=4)
    axes.set_xlabel(unit)
    return Figure(figure, f"{unit}: {'; '.join(map(_said, rows))}.")


def _short(label: str) -> str:
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"


def _said(row: Row) -> str:
    shown = [f"{one.value:.3f}".replace("-", "−") for one in row.values]
    return f"{row.label} {', '.join(shown)}"
