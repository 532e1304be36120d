"""RQ1: critical-difference diagram of zero-shot models and fitted baselines over datasets.

References
----------
Demšar (2006), Journal of Machine Learning Research 7, 1-30.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.figure
import pandas as pd
from matplotlib.axes import Axes

from tabbench.core.baseline_names import reference_shots
from tabbench.core.contexts import RICHEST
from tabbench.core.suites import GROUPS
from tabbench.reporting.remarks import not_fitted, rows_sentence
from tabbench.reporting.style import (
    BASELINE_COLOUR,
    PAGE,
    Figure,
    model_looks,
    panels,
    styled,
    with_data,
)
from tabbench.reporting.writer import DASH, p_value
from tabbench.scoring.aggregate import over_seeds
from tabbench.scoring.select import zero_shot_and_fitted
from tabbench.statistics.ranks import RankComparison, compare_ranks

_FEWEST_METHODS, _FEWEST_DATASETS = 3, 2
_ROW, _BAR = 0.2, 0.1
"""Inches between names, and between bars."""


@styled
def ranks(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    baseline_shots: int = 16,
) -> Figure:
    """Draw each method's mean rank on a line; bars join methods that do not differ.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    baselines : display name by id
    mode : generation or forward
    baseline_shots : training-set size of the baselines, where any was fitted on so many examples

    Returns
    -------
    Figure
        Where fewer than 3 methods or 2 datasets are left, it says so and shows no ranks.
    """
    in_suites = scores[scores["suite"].isin(GROUPS["All"])]
    shots = reference_shots(in_suites.loc[in_suites["mode"] == "fit", "k"], baseline_shots)
    used = zero_shot_and_fitted(in_suites, models, baselines, mode, shots)
    means = over_seeds(used)
    names = {model: f"{name} (0-shot)" for model, name in models.items()}
    names |= {model: f"{name} ({shots}-shot)" for model, name in baselines.items()}
    shown = with_data(names, means[means["mean"].notna()])
    values = means.pivot_table(index="dataset", columns="model", values="mean")
    values = values.reindex(index=sorted(means["dataset"].unique()), columns=shown)
    incomplete = sorted(values.index[values.isna().any(axis=1)])
    caption = (
        f"Mean ranks by ROC-AUC (1 is the best, ties share theirs) of zero-shot models ({mode} "
        f"mode, {RICHEST.prompt}, {RICHEST.serialization}) and baselines fitted on {shots} "
        f"examples, n = {len(values) - len(incomplete)} datasets on which all have a value"
        + (f" (without {', '.join(incomplete)})" if incomplete else "")
    )
    if len(shown) < _FEWEST_METHODS or len(values) - len(incomplete) < _FEWEST_DATASETS:
        return _nothing_to_rank(f"{caption}: too few to rank {len(shown)} methods.")
    found = compare_ranks(values)
    colours = dict.fromkeys(baselines, BASELINE_COLOUR)
    colours |= {model: str(look["color"]) for model, look in model_looks(models).items()}
    return Figure(
        _diagram(found, names, colours),
        f"{caption}. Friedman's test (no direction, corrected for ties): "
        f"{p_value(found.p, math.nan)}. Nemenyi's test, two-sided, all {_pairs(len(shown))} "
        f"pairs at once at {found.level}: mean ranks differ when they are further apart than CD "
        f"= {found.critical_difference:.2f}; bars join methods that do not. "
        f"{_differing(found, names)}{_absent(in_suites, baselines)}{rows_sentence(used)}",
    )


def _absent(scores: pd.DataFrame, baselines: Mapping[str, str]) -> str:
    remark = not_fitted(scores, baselines)
    return f" {remark[0].upper()}{remark[1:]}." if remark else ""


def _diagram(
    found: RankComparison, names: Mapping[str, str], colours: Mapping[str, str]
) -> matplotlib.figure.Figure:
    """Draw the axis of ranks, a line from each rank to its name, and the bars; y in inches."""
    count, cliques = len(found.mean_ranks), found.cliques()
    left = list(found.mean_ranks)[: -(-count // 2)]
    right = list(found.mean_ranks)[: len(left) - 1 : -1]
    first_row = 0.18 + _BAR * len(cliques)
    depth = first_row + _ROW * len(left)
    reach = max(count, 1 + found.critical_difference)
    figure, (axes,) = panels(1, width=PAGE, height=depth + 0.75)
    axes.set_xlim(1, reach)
    axes.set_ylim(depth, -0.5)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.xaxis.set_ticks_position("top")
    axes.spines["top"].set_visible(True)
    axes.spines["top"].set_position(("data", 0))
    axes.set_xticks(range(1, count + 1))
    axes.spines["top"].set_bounds(1, count)
    line: dict[str, Any] = {"linewidth": 0.9, "solid_capstyle": "butt", "clip_on": False}
    for members, edge, align in ((left, 1, "right"), (right, reach, "left")):
        for row, method in enumerate(members):
            rank, y = found.mean_ranks[method], first_row + _ROW * row
            axes.plot([rank, rank, edge], [0, y, y], color=colours[method], **line)
            title = [names[method], f"{rank:.2f}"][:: 1 if members is left else -1]
            _write(axes, "  ".join(title), (edge, y), align, colours[method])
    for row, clique in enumerate(cliques):
        ends = [found.mean_ranks[clique[0]] - 0.03, found.mean_ranks[clique[-1]] + 0.03]
        axes.plot(ends, [0.1 + _BAR * row] * 2, color="black", linewidth=2.4, clip_on=False)
    end = 1 + found.critical_difference
    axes.errorbar([1, end], [-0.34] * 2, yerr=0.04, color="black", linewidth=0.9, capsize=0)
    _write(axes, f"CD = {found.critical_difference:.2f}", ((1 + end) / 2, -0.44), "center")
    _write(axes, "mean rank, 1 is the best", (reach, 0), "left")
    return figure


def _write(
    axes: Axes, text: str, place: tuple[float, float], align: str, colour: str = "black"
) -> None:
    axes.annotate(
        text,
        place,
        xytext=({"left": 4, "center": 0, "right": -4}[align], 0),
        textcoords="offset points",
        ha=align,
        va="center",
        fontsize=7,
        color=colour,
        annotation_clip=False,
    )


def _pairs(methods: int) -> int:
    return methods * (methods - 1) // 2


def _differing(found: RankComparison, names: Mapping[str, str]) -> str:
    """Name the pairs that differ, the better one first."""
    better: dict[str, list[str]] = {}
    listed: Sequence[str] = list(found.mean_ranks)
    for place, one in enumerate(listed):
        for other in listed[place + 1 :]:
            if found.mean_ranks[other] - found.mean_ranks[one] > found.critical_difference:
                better.setdefault(names[one], []).append(names[other])
    if not better:
        return "No two of them differ."
    texts = (f"{one} from {', '.join(others)}" for one, others in better.items())
    return f"These differ, the better first: {'; '.join(texts)}."


def _nothing_to_rank(caption: str) -> Figure:
    figure, (axes,) = panels(1, width=PAGE, height=0.8)
    axes.set_axis_off()
    axes.text(0.5, 0.5, f"{DASH} too few methods or datasets to rank {DASH}", ha="center")
    return Figure(figure, caption, empty=True)
