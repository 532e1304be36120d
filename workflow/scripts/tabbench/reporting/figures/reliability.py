"""RQ7, beyond the paper: reliability diagrams of both modes."""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tabbench.core.contexts import RICHEST
from tabbench.reporting.style import (
    COLUMN,
    PAGE,
    Figure,
    sequence_colours,
    styled,
    with_data,
)
from tabbench.reporting.titles import shots_title
from tabbench.scoring.calibration import BINS
from tabbench.statistics.proportions import wilson_interval

_MODES = ("generation", "forward")
_PER_ROW = 4
_MARKERS = "osD^vPX"
_ROOM = 0.018
"""Sideways step between numbers of shots, so that intervals do not cover each other."""


@styled
def reliability(bins: pd.DataFrame, models: Mapping[str, str]) -> Figure:
    """Draw observed against predicted rate, a panel per model and mode, the counts below.

    Parameters
    ----------
    bins : DataFrame with the columns of ``schemas.RELIABILITY``
    models : display name by id, in the configured order

    Raises
    ------
    TabBenchError
        When there is no answer of any model.
    """
    shown = with_data(models, bins)
    made = set(bins[["model", "mode"]].itertuples(index=False, name=None))
    pairs = [pair for pair in product(shown, _MODES) if pair in made]
    shots = sorted(int(k) for k in bins["k"].unique())
    colours = dict(zip(shots, sequence_colours(len(shots)), strict=True))
    figure, places = _panels(len(pairs), highest=1.05 * float(bins["n"].max()))
    for (above, below), (model, mode) in zip(places, pairs, strict=True):
        of_pair = bins[(bins["model"] == model) & (bins["mode"] == mode)]
        above.set_title(f"{models[model]}, {mode}")
        above.plot([0, 1], [0, 1], color="#777777", linewidth=0.8, linestyle=(0, (4, 3)))
        for index, k in enumerate(shots):
            curve = of_pair[of_pair["k"] == k]
            if len(curve):
                shift = (index - (len(shots) - 1) / 2) * _ROOM
                _draw(above, below, curve, shift, colours[k], _MARKERS[index % len(_MARKERS)])
        for axes in (above, below):
            axes.set_xlim(-0.03, 1.03)
    handles = {
        label: handle
        for above, _ in places
        for handle, label in zip(*above.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=min(len(handles), 5)
    )
    figure.supxlabel("Predicted probability of class 1", fontsize=8)
    return Figure(figure, _caption(bins))


def _panels(count: int, highest: float) -> tuple[matplotlib.figure.Figure, list[tuple[Axes, Axes]]]:
    """Return a diagram above its counts for each panel; diagrams and counts share their y."""
    columns = min(count, _PER_ROW)
    rows = math.ceil(count / columns)
    width = COLUMN * 1.5 if columns <= 2 else PAGE
    height = rows * (1.35 * width / columns + 0.3) + 0.3
    figure = matplotlib.figure.Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    grid = figure.subplots(
        2 * rows, columns, squeeze=False, sharex=True, height_ratios=[3, 1] * rows
    )
    places = []
    for place in range(rows * columns):
        row, column = divmod(place, columns)
        above, below = grid[2 * row][column], grid[2 * row + 1][column]
        if place >= count:
            above.set_axis_off()
            below.set_axis_off()
            continue
        above.set_ylim(-0.03, 1.03)
        below.set_ylim(0, highest)
        if column == 0:
            above.set_ylabel("Observed share\nof class 1")
            below.set_ylabel("Answers")
        else:
            above.tick_params(labelleft=False)
            below.tick_params(labelleft=False)
        places.append((above, below))
    return figure, places


def _draw(
    above: Axes, below: Axes, curve: pd.DataFrame, shift: float, colour: Any, marker: str
) -> None:
    """Draw one number of shots, bins in order; ``shift`` moves its bars sideways."""
    x = curve["mean_predicted"].to_numpy(np.float64)
    rate = curve["observed"].to_numpy(np.float64)
    low, high = wilson_interval(rate, curve["n_rows"].to_numpy(np.float64))
    above.errorbar(
        x,
        rate,
        # Rounding must not make a whisker of negative length.
        np.maximum([rate - low, high - rate], 0),
        color=colour,
        marker=marker,
        linewidth=1,
        elinewidth=0.7,
        label=shots_title(int(curve["k"].iloc[0])),
    )
    below.bar(curve["low"] + 0.5 / BINS + shift, curve["n"], _ROOM, color=colour)


def _caption(bins: pd.DataFrame) -> str:
    counts = bins.groupby(["k", "mode"]).agg(n=("n", "sum"), datasets=("n_datasets", "max"))
    pooled = "; ".join(
        f"{shots_title(k)} {mode}: {row.n:,} answers, datasets: {row.datasets}"
        for (k, mode), row in zip(counts.index, counts.itertuples(), strict=True)
    )
    return (
        "Reliability of the predicted probabilities by model and mode "
        f"({RICHEST.name}, {RICHEST.serialization}, classic and new suites): share of class 1 "
        "among the answers against their mean predicted probability, in 10 bins of equal width; "
        "dashed line: perfect calibration. Answers of all datasets and draws are pooled "
        f"({pooled}). Whiskers: 95% Wilson intervals, from the number of distinct test rows in "
        "the bin, since draws repeat rows. Below: answers in each bin."
    )
