"""Our ROC-AUC against the published, a panel per table of the paper."""

import textwrap
from collections.abc import Mapping

import pandas as pd

from tabbench.published.published import nothing_to_compare
from tabbench.published.published_comparison import compare
from tabbench.reporting.style import (
    COLUMN,
    PAGE,
    Figure,
    legend_above,
    model_looks,
    panels,
    styled,
)

_PER_ROW = 3
_MARGIN = 0.02
_LINE = 70
"""Characters per line of the message of an empty figure."""


@styled
def comparison(scores: pd.DataFrame, published: pd.DataFrame, models: Mapping[str, str]) -> Figure:
    """Draw a point per published ROC-AUC for which a model of the same name has a value.

    Filled points are folded, like the published; a line leads from each to the plain value.
    Where there is nothing to compare the figure says so.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    published : DataFrame with the columns of ``schemas.PUBLISHED``
    models : display name by id, in the configured order
    """
    rows = compare(scores, published, models)
    rows = rows[~rows["is_difference"].astype(bool) & rows["folded"].notna()]
    if rows.empty:
        return _nothing(models)
    tables = list(rows["table"].unique())
    looks = model_looks(models)
    shown = [model for model in models if model in set(rows["model"])]
    width = COLUMN if len(tables) == 1 else PAGE / min(len(tables), _PER_ROW)
    figure, every_axes = panels(len(tables), width=width, height=2.4, per_row=_PER_ROW)
    values = rows[["published", "plain", "folded"]].to_numpy(dtype=float)
    limits = (values.min() - _MARGIN, values.max() + _MARGIN)
    for axes, table in zip(every_axes, tables, strict=True):
        of_table = rows[rows["table"] == table]
        axes.axline((0.5, 0.5), slope=1, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)))
        for model in shown:
            points = of_table[of_table["model"] == model]
            look = looks[model] | {"linestyle": "none"}
            x = points["published"]
            axes.vlines(x, points["plain"], points["folded"], colors=look["color"], linewidth=0.7)
            axes.plot(x, points["plain"], **look, markerfacecolor="white", label="_plain")
            axes.plot(x, points["folded"], **look, label=models[model])
        axes.set_title(f"Table {table} ({len(of_table)} values)")
        axes.set(xlim=limits, ylim=limits, aspect="equal")
        axes.grid(visible=True, axis="x")
    figure.supxlabel("Published ROC-AUC", fontsize=8)
    figure.supylabel("ROC-AUC here", fontsize=8)
    if (rows["plain"] != rows["folded"]).any():
        every_axes[0].plot([], [], "o", color="#777777", markerfacecolor="white", label="plain")
    legend_above(figure, every_axes[0], columns=5)
    counts = rows["n_datasets"]
    return Figure(
        figure,
        "ROC-AUC here against the published ROC-AUC, for each model that ran under a name of the "
        f"paper; dashed line: both agree. n = {len(rows)} published values; ours are means "
        f"over n = {counts.min()} to {counts.max()} datasets, the paper's over 1 to 32 (the "
        "table lists both for each value, and the test rows). Filled: values below 0.5 folded "
        "upwards, as the paper's released code does; hollow: plain. Differences (Table VIII, Δ "
        "of Table XI) are in the table only; nothing here is tested.",
    )


def _nothing(models: Mapping[str, str]) -> Figure:
    sentence = nothing_to_compare(models)
    sentence = f"{sentence[0].upper()}{sentence[1:]}."
    figure, (axes,) = panels(1, width=1.3 * COLUMN, height=1)
    axes.set_axis_off()
    axes.text(0.5, 0.5, textwrap.fill(sentence, _LINE), ha="center", va="center")
    return Figure(figure, f"Published against here, n = 0 values: {sentence}", empty=True)
