"""RQ6 in practice: each real dataset on the scale of the complexity grid, and its gain."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from tabbench.complexity.rank_agreement import compare_orders, gains_at
from tabbench.core.arrays import Floats
from tabbench.reporting.remarks import WHY_ABSENT, rows_sentence
from tabbench.reporting.style import (
    BASELINE_COLOUR,
    COLUMN,
    PAGE,
    Figure,
    model_looks,
    panels,
    styled,
)
from tabbench.reporting.writer import p_value, plus_minus
from tabbench.statistics.rank_correlation import FEWEST

_ROW = 0.24
"""Inches per dataset."""
_GUTTER = 0.26
"""Width of the strips beyond the scale, as a share of the scale."""
_MEASURES: dict[str, tuple[float, dict[str, Any]]] = {
    "level_auc": (-0.14, {"marker": "o"}),
    "level_dimension": (0.14, {"marker": "D", "markerfacecolor": "white"}),
}
"""Place within a dataset's row, and look, of both complexities."""


@styled
def placement(
    placement: pd.DataFrame,
    scale: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    tests: pd.DataFrame | None = None,
) -> Figure:
    """Draw a row per dataset, easiest on top: both levels (left) and each model's gain (right).

    Parameters
    ----------
    placement : DataFrame with the columns of ``schemas.PLACEMENT``
    scale : DataFrame with the columns of ``schemas.COMPLEXITY_SCALE``
    models, baselines : display name by id
    mode : of the gains, generation or forward
    tests : DataFrame with the columns of ``schemas.TESTS``; None where no gain was asked
    """
    # By ROC-AUC, not by level: datasets beyond the scale keep their order.
    shown = placement.sort_values("roc_auc", ascending=False, kind="stable", na_position="last")
    shown["level_auc"] = shown["level_auc"].where(shown["determined"])
    name, k = baselines[shown["model"].iloc[0]], int(shown["k"].iloc[0])
    gains = gains_at(tests, models, mode, k)
    beside = bool(gains.notna().to_numpy().any())
    height = _ROW * len(shown) + 1.1
    figure, axes = panels(
        1 + beside, width=PAGE / 2 if beside else 1.5 * COLUMN, height=height, per_row=2
    )
    titles = {
        "level_auc": f"by ROC-AUC of {name}, {k} examples",
        "level_dimension": "by intrinsic dimension",
    }
    _levels(axes[0], shown, scale["level"].tolist(), titles)
    if beside:
        _gains(axes[1], gains.reindex(shown["dataset"]), models, k)
    fitted = bool(scale["n_tables"].any())
    return Figure(figure, _caption(placement, gains, models, name, k, mode, beside, fitted))


def _levels(axes: Axes, shown: pd.DataFrame, levels: list[int], titles: Mapping[str, str]) -> None:
    low, high = min(levels), max(levels)
    strip = _GUTTER * max(high - low, 1)
    rows = np.arange(len(shown), dtype=np.float64)
    for measure, (shift, look) in _MEASURES.items():
        x, start, end = (
            _inside(shown[f"{measure}{part}"].to_numpy(np.float64), low, high, strip / 2)
            for part in ("", "_low", "_high")
        )
        shared: dict[str, Any] = {"color": BASELINE_COLOUR, "zorder": 2}
        axes.hlines(rows + shift, start, end, linewidth=0.9, **shared)
        axes.plot(x, rows + shift, linestyle="none", label=titles[measure], **shared | look)
    for edge, outer in ((low, low - strip), (high, high + strip)):
        axes.axvspan(edge, outer, color="#f0f0f0", linewidth=0, zorder=0)
    axes.set_xlim(low - strip, high + strip)
    axes.set_xticks(
        [low - strip / 2, *levels, high + strip / 2], ["easier", *map(str, levels), "harder"]
    )
    axes.set_yticks(rows, shown["dataset"])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("MLP difficulty level")
    _legend(axes, columns=1)


def _inside(levels: Floats, low: float, high: float, beyond: float) -> Floats:
    """Put what is beyond the scale into the strips next to it."""
    return np.nan_to_num(levels, nan=math.nan, neginf=low - beyond, posinf=high + beyond)


def _gains(axes: Axes, gains: pd.DataFrame, models: Mapping[str, str], k: int) -> None:
    rows = np.arange(len(gains), dtype=np.float64)
    looks = model_looks(models)
    step = 0.5 / max(len(gains.columns), 2)
    for index, model in enumerate(gains.columns):
        shift = (index - (len(gains.columns) - 1) / 2) * step
        axes.plot(
            gains[model],
            rows + shift,
            linestyle="none",
            label=models[str(model)],
            **looks[model],
        )
    axes.axvline(0, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.9)
    reach = max(0.1, 1.1 * float(np.nanmax(np.abs(gains.to_numpy(np.float64)))))
    axes.set_xlim(-reach, reach)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlabel(f"Gain in ROC-AUC, {k} examples over none")
    _legend(axes, columns=2)


def _legend(axes: Axes, columns: int) -> None:
    """Put the legends above their panels, as the two panels show different quantities."""
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, handlelength=1)


def _caption(
    placement: pd.DataFrame,
    gains: pd.DataFrame,
    models: Mapping[str, str],
    name: str,
    k: int,
    mode: str,
    beside: bool,
    fitted: bool,
) -> str:
    orders = compare_orders(placement, gains)
    both = orders.iloc[0]
    first = placement.iloc[0]
    text = (
        f"Real datasets (n = {len(placement)}) on the scale of the MLP grid, easiest for {name} on "
        f"top. Filled circles: the level on which {name} has the dataset's ROC-AUC with {k} "
        f"examples; lines: {first['coverage']:.0%} bootstrap intervals over test rows, draws of "
        "examples and MLP tables. Open diamonds: the level with the dataset's intrinsic dimension; "
        "lines: range over single estimators. Grey strips: easier or harder than the grid; "
        "a line from strip to strip without a circle: the level is undetermined."
    )
    if both["n"] < FEWEST:
        text += (
            f" Rank agreement of both measures: n = {both['n']}, too few for a rank correlation."
        )
    elif math.isnan(both["rho"]):
        text += f" Rank agreement of both measures: n = {both['n']}; one of them ties throughout."
    else:
        text += (
            f" Rank agreement of both measures: Spearman's ρ = {_signed(both['rho'])} "
            f"({p_value(both['p_rho'], math.nan)}), Kendall's τ = {_signed(both['tau'])} "
            f"({p_value(both['p_tau'], math.nan)}), n = {both['n']}, two-sided permutation tests."
        )
    if not fitted:
        text = (
            f"Real datasets (n = {len(placement)}) on the scale of the MLP grid by intrinsic "
            "dimension alone (open diamonds; lines: range over single estimators). No "
            f"placing baseline was fitted on {k} examples: {WHY_ABSENT}."
        )
    else:
        text += rows_sentence(placement)
    if not beside:
        return f"{text} No language model was run with {k} examples."
    counts = ", ".join(
        f"{models[model]} n = {gains[model].count()}" for model in models if model in gains
    )
    return f"{text} Right: the gain of {k} examples over none, {mode} mode ({counts})."


def _signed(value: float) -> str:
    return plus_minus(value, digits=2, signed=True)
