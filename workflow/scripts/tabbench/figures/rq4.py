"""RQ4, Figure 2: the four context configurations against shots, a panel per model."""

from collections.abc import Mapping

import pandas as pd

from tabbench.aggregate import over_datasets, over_seeds, paired
from tabbench.figures.style import (
    COLUMN,
    PAGE,
    SHOTS_LABEL,
    Figure,
    chance_line,
    configuration_looks,
    legend_above,
    panels,
    shot_axis,
    shot_positions,
    styled,
    with_data,
)
from tabbench.names import POOREST, RICHEST
from tabbench.selection import rows_sentence, select_configurations, with_configuration

_DODGE = 0.07
"""Sideways step between configurations, so that whiskers do not cover each other."""


@styled
def figure2(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw four lines of mean ROC-AUC against shots for each model.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    mode : generation or forward
    """
    used = select_configurations(scores, models, mode)
    datasets = with_configuration(over_seeds(used))
    same = paired(datasets, across=["configuration"], within=["model", "k"])
    cells = over_datasets(same, ["model", "k", "configuration"])
    shots = sorted(int(k) for k in cells["k"].unique())
    x = shot_positions(shots)
    shown = with_data(models, cells)
    lone = len(shown) == 1
    figure, every_axes = panels(
        len(shown), width=1.3 * COLUMN if lone else PAGE / min(len(shown), 3), height=2.5
    )
    for axes, model in zip(every_axes, shown, strict=True):
        of_model = cells[cells["model"] == model]
        for index, (name, look) in enumerate(configuration_looks().items()):
            line = of_model[of_model["configuration"] == name]
            axes.errorbar(
                line["k"].map(x) + (index - 1.5) * _DODGE,
                line["mean"],
                line["std"],
                label=name,
                elinewidth=0.7,
                **look,
            )
        counts = of_model.groupby("k")["n_datasets"].max()
        axes.set_title(models[model])
        shot_axis(axes, shots, {int(k): int(n) for k, n in zip(counts.index, counts, strict=True)})
    chance_line(every_axes)
    figure.supylabel("ROC-AUC", fontsize=8)
    figure.supxlabel(SHOTS_LABEL, fontsize=8)
    legend_above(figure, every_axes[0], columns=2 if lone else 4)
    return Figure(
        figure,
        f"ROC-AUC against shots under the four context configurations (classic suite, {mode} "
        f"mode, n datasets below the shots; Cols: {RICHEST.serialization}, NoCols: "
        f"{POOREST.serialization}). At each number of shots the four cover the same datasets; "
        "whiskers: root mean square of the standard deviations over seeds."
        f"{rows_sentence(used)}",
    )
