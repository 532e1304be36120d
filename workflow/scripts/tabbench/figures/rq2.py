"""RQ2, Figure 9: zero-shot ROC-AUC under the four context configurations."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tabbench.aggregate import over_datasets, over_seeds, paired
from tabbench.figures.style import (
    CHANCE,
    COLUMN,
    PAGE,
    Figure,
    chance_line,
    configuration_looks,
    legend_above,
    panels,
    styled,
    with_data,
)
from tabbench.names import POOREST, RICHEST
from tabbench.selection import rows_sentence, select_configurations, with_configuration

_WIDTH = 0.2


@styled
def figure9(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw four bars per model, poorest configuration first, and Δ between the end points.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    mode : generation or forward
    """
    used = select_configurations(scores, models, mode, shots=[0])
    datasets = with_configuration(over_seeds(used))
    same = paired(datasets, across=["configuration"], within=["model"])
    cells = over_datasets(same, ["model", "configuration"])
    shown = with_data(models, cells)

    figure, (axes,) = panels(1, width=COLUMN if len(shown) < 3 else PAGE, height=2.8)
    for index, (name, look) in enumerate(configuration_looks().items()):
        bars = cells[cells["configuration"] == name].set_index("model").reindex(shown)
        x = np.arange(len(shown)) + (index - 1.5) * _WIDTH
        axes.bar(
            x, bars["mean"] - CHANCE, 0.92 * _WIDTH, bottom=CHANCE, color=look["color"], label=name
        )
        axes.errorbar(x, bars["mean"], bars["std"], fmt="none", ecolor="black", elinewidth=0.7)
    for position, model in enumerate(shown):
        _mark_delta(axes, position, cells[cells["model"] == model])
    counts = cells.groupby("model")["n_datasets"].max()
    axes.set_xticks(
        range(len(shown)), [f"{models[model]}\n(n = {counts[model]})" for model in shown]
    )
    axes.set_xlim(-0.6, len(shown) - 0.4)
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("ROC-AUC")
    axes.margins(y=0.15)
    chance_line([axes])
    legend_above(figure, axes, columns=2 if len(shown) < 3 else 4)
    return Figure(
        figure,
        f"Zero-shot ROC-AUC by context configuration (classic suite, {mode} mode, "
        f"n datasets per model under its name; Cols: {RICHEST.serialization}, NoCols: "
        f"{POOREST.serialization}). Δ = {RICHEST.name} − {POOREST.name} on the same datasets; "
        "bars start at chance; whiskers: root mean square of the standard deviations over "
        f"seeds, none where there is one seed.{rows_sentence(used)}",
    )


def _mark_delta(axes: Axes, position: int, cells: pd.DataFrame) -> None:
    """Write the difference between the end points above a model's bars."""
    means = cells.set_index("configuration")["mean"]
    if not {POOREST.name, RICHEST.name} <= set(means.index):
        return
    tops = cells["mean"] + cells["std"].fillna(0)
    delta = means[RICHEST.name] - means[POOREST.name]
    axes.annotate(
        f"Δ = {delta:+.3f}".replace("-", "−"),
        (position, max(tops.max(), CHANCE)),
        xytext=(0, 5),
        textcoords="offset points",
        ha="center",
        fontsize=7,
    )
