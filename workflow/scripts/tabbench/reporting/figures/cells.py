"""Released cells against ours, with intervals; a panel per model."""

import textwrap
from collections.abc import Mapping

import numpy as np
import pandas as pd

from tabbench.published.cells import (
    OVER,
    REPLICATED_NAMES,
    REPLICATED_TITLES,
    compare_cells,
    released_names,
)
from tabbench.reporting.style import COLUMN, PAGE, Figure, legend_above, model_looks, panels, styled

_PER_ROW = 3
_Z = 1.96
_PAD = 0.01
_NOTHING = "No released cell belongs to a model or baseline of this run."


@styled
def cells(
    scores: pd.DataFrame,
    released: pd.DataFrame,
    released_rows: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
) -> Figure:
    """Draw a point per released cell that this run has as well.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    released, released_rows : DataFrames with the columns of the schemas of these names
    models, baselines : display name by id, in the configured order
    """
    names = released_names(models, baselines)
    found = compare_cells(scores, released, released_rows, names)
    return _figure(found, {**models, **baselines})


@styled
def replicated_cells(
    scores: pd.DataFrame, released: pd.DataFrame, released_rows: pd.DataFrame
) -> Figure:
    """Draw a point per released cell that was fitted again; see `cells`.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.REPLICATION``
    released, released_rows : DataFrames with the columns of the schemas of these names
    """
    found = compare_cells(scores, released, released_rows, REPLICATED_NAMES, complete=True)
    return _figure(found, REPLICATED_TITLES)


def _figure(found: pd.DataFrame, titles: Mapping[str, str]) -> Figure:
    shown = [model for model in titles if model in set(found["model"])]
    if not shown:
        figure, (axes,) = panels(1, width=1.3 * COLUMN, height=1)
        axes.set_axis_off()
        axes.text(0.5, 0.5, textwrap.fill(_NOTHING, 70), ha="center", va="center")
        return Figure(figure, f"Released against here, n = 0 cells: {_NOTHING}")
    looks = model_looks(titles)
    width = COLUMN if len(shown) == 1 else PAGE / min(len(shown), _PER_ROW)
    figure, every_axes = panels(len(shown), width=width, height=width, per_row=_PER_ROW)
    values = found[["released", "ours"]].to_numpy(dtype=float)
    limits = (values.min() - _PAD, values.max() + _PAD)
    for axes, model in zip(every_axes, shown, strict=True):
        of_model = found[found["model"] == model]
        axes.axline((0.5, 0.5), slope=1, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)))
        for beyond, part in of_model.groupby(of_model["verdict"] == OVER):
            there = np.sqrt((part["error"] ** 2 - part["ours_error"] ** 2).clip(lower=0))
            color = looks[model]["color"]
            axes.errorbar(
                part["released"],
                part["ours"],
                xerr=_Z * there,
                yerr=_Z * part["ours_error"],
                color=color,
                linestyle="none",
                marker=looks[model]["marker"],
                markersize=3,
                markerfacecolor="white" if beyond else color,
                elinewidth=0.4,
                capsize=0,
            )
        outside = int((of_model["verdict"] == OVER).sum())
        axes.set_title(f"{titles[model]}\n{len(of_model)} cells, {outside} beyond noise")
        axes.set(xlim=limits, ylim=limits, aspect="equal")
        axes.grid(visible=True, axis="x")
    every_axes[0].plot([], [], "o", color="#777777", label="not beyond noise")
    every_axes[0].plot([], [], "o", color="#777777", markerfacecolor="white", label="beyond noise")
    figure.supxlabel("Released ROC-AUC, folded", fontsize=8)
    figure.supylabel("ROC-AUC here, folded", fontsize=8)
    legend_above(figure, every_axes[0], columns=2)
    return Figure(
        figure,
        f"Released ROC-AUC compared with ours, n = {len(found)} cells (dataset or MLP level, "
        "model, mode, serialization, number of examples). Values below 0.5 are folded on both "
        "sides, except where the released one is plain. Bars: 95 % intervals, ±1.96 standard "
        "errors over draws of examples, and over test rows as far as both sides do not share "
        "them. Dashed line: equality. Hollow: the difference is beyond noise (more than 2.5 "
        "standard errors); the table lists every cell.",
    )
