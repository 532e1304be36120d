"""The four context configurations of a suite: bars at one k (RQ2), curves over shots (RQ4)."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from tabbench.core.contexts import POOREST, RICHEST, with_configuration
from tabbench.reporting.figures.draw import grouped_bars, model_curves
from tabbench.reporting.remarks import rows_sentence
from tabbench.reporting.style import (
    CHANCE,
    COLUMN,
    DELTA_COLOUR,
    PAGE,
    Figure,
    chance_line,
    context_looks,
    legend_above,
    panels,
    with_data,
)
from tabbench.reporting.titles import SUITE_TITLES, shots_title
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.select import select_configurations


def context_bars(
    scores: pd.DataFrame, models: Mapping[str, str], mode: str, suite: str, k: int
) -> Figure:
    """Draw four bars per model, poorest configuration first, and a line between the end points.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    mode : generation or forward
    suite : core or llm_synthetic
    k : number of examples
    """
    used = select_configurations(scores, models, mode, [k], suite)
    datasets = with_configuration(over_seeds(used))
    same = paired(datasets, across=["configuration"], within=["model"])
    cells = over_datasets(same, ["model", "configuration"])
    shown = with_data(models, cells)

    counts = cells.groupby("model")["n_datasets"].max()
    titles = {model: f"{models[model]}\n(n = {counts[model]})" for model in shown}
    figure, (axes,) = panels(1, width=COLUMN if len(shown) < 3 else PAGE, height=2.8)
    places = grouped_bars(axes, cells, "model", titles, "configuration", context_looks())
    ends = (places[0], places[-1])
    for position, model in enumerate(shown):
        _mark_delta(axes, position, ends, cells[cells["model"] == model])
    axes.margins(y=0.15)
    chance_line([axes])
    legend_above(figure, axes, columns=2 if len(shown) < 3 else 4)
    return Figure(
        figure,
        f"{_title(k)} ROC-AUC by context configuration ({SUITE_TITLES[suite]}, {mode} mode, n "
        f"datasets per model under its name; Cols: {RICHEST.serialization}, NoCols: "
        f"{POOREST.serialization}). Dashed line: Δ = {RICHEST.name} − {POOREST.name} on the same "
        "datasets; bars start at chance; whiskers: root mean square of the standard deviations "
        f"over seeds, none with a single seed.{rows_sentence(used)}",
    )


def context_curves(
    scores: pd.DataFrame, models: Mapping[str, str], mode: str, suite: str
) -> Figure:
    """Draw four lines of mean ROC-AUC against shots for each model.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    mode : generation or forward
    suite : core or llm_synthetic
    """
    used = select_configurations(scores, models, mode, suite=suite)
    datasets = with_configuration(over_seeds(used))
    same = paired(datasets, across=["configuration"], within=["model", "k"])
    cells = over_datasets(same, ["model", "k", "configuration"])
    return Figure(
        model_curves(cells, models, "configuration", context_looks(), columns=(2, 4)),
        f"ROC-AUC against shots under the four context configurations ({SUITE_TITLES[suite]}, "
        f"{mode} mode, n datasets below the shots; Cols: {RICHEST.serialization}, NoCols: "
        f"{POOREST.serialization}). At each number of shots the four cover the same datasets; "
        "whiskers: root mean square of the standard deviations over seeds."
        f"{rows_sentence(used)}",
    )


def _title(k: int) -> str:
    return shots_title(k) if k else "Zero-shot"


def _mark_delta(axes: Axes, position: int, ends: tuple[float, float], cells: pd.DataFrame) -> None:
    """Join the tops of a model's first and last bar, and write their difference above."""
    means = cells.set_index("configuration")["mean"]
    if not {POOREST.name, RICHEST.name} <= set(means.index):
        return
    tops = cells["mean"] + cells["std"].fillna(0)
    from_to = [means[POOREST.name], means[RICHEST.name]]
    axes.plot(
        [position + end for end in ends],
        from_to,
        color=DELTA_COLOUR,
        linewidth=1.0,
        linestyle=(0, (3, 2)),
        marker="o",
        markersize=2,
    )
    axes.annotate(
        f"Δ = {from_to[1] - from_to[0]:+.3f}".replace("-", "−"),
        (position, max(tops.max(), CHANCE)),
        xytext=(0, 5),
        textcoords="offset points",
        ha="center",
        fontsize=7,
        color=DELTA_COLOUR,
    )
