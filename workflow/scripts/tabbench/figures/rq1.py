"""RQ1, Figure 6: zero-shot models and the strongest fitted baseline, by domain."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tabbench.aggregate import over_datasets, over_seeds, paired
from tabbench.figures.style import (
    BASELINE_COLOUR,
    CHANCE,
    PAGE,
    Figure,
    chance_line,
    legend_above,
    model_looks,
    panels,
    styled,
    with_data,
)
from tabbench.names import GROUPS, RICHEST, domain_title
from tabbench.selection import rows_sentence, select, strongest_baseline, tabpfn_absence


@styled
def figure6(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    baseline_shots: int = 16,
) -> Figure:
    """Draw grouped bars of ROC-AUC by domain, starting at chance.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    baselines : display name by id; the strongest one that was fitted is shown
    mode : generation or forward
    baseline_shots : examples of the baseline, where it was fitted on so many
    """
    suites = GROUPS["All"]
    used = select(
        scores,
        models=models,
        suites=suites,
        modes=[mode],
        prompts=[RICHEST.prompt],
        serializations=[RICHEST.serialization],
        shots=[0],
    )
    in_suites = scores[scores["suite"].isin(suites)]
    baseline = strongest_baseline(in_suites, baselines, baseline_shots)
    if baseline:
        fitted = select(
            scores, models=[baseline.model], suites=suites, modes=["fit"], shots=[baseline.k]
        )
        used = pd.concat([used, fitted])
    datasets = paired(over_seeds(used), across=["model"], within=["domain"])
    cells = over_datasets(datasets, ["domain", "model"])
    of_model = model_looks(models)
    looks: dict[str, dict[str, Any]] = {
        model: {"color": of_model[model]["color"], "label": f"{models[model]} (0-shot)"}
        for model in with_data(models, cells)
    }
    if baseline:
        looks[baseline.model] = {"color": BASELINE_COLOUR, "label": baseline.title}

    domains = sorted(cells["domain"].unique())
    figure, (axes,) = panels(1, width=PAGE, height=2.7)
    width = min(0.8 / len(looks), 0.25)
    for index, (model, look) in enumerate(looks.items()):
        bars = cells[cells["model"] == model].set_index("domain").reindex(domains)
        x = np.arange(len(domains)) + (index - (len(looks) - 1) / 2) * width
        axes.bar(x, bars["mean"] - CHANCE, 0.92 * width, bottom=CHANCE, **look)
        axes.errorbar(x, bars["mean"], bars["std"], fmt="none", ecolor="black", elinewidth=0.7)
    counts = cells.groupby("domain")["n_datasets"].max()
    # Two-word domains take two lines, so that eight of them fit beside each other.
    titles = [
        domain_title(name).replace(" ", "\n", 1) + f"\n(n = {counts[name]})" for name in domains
    ]
    axes.set_xticks(range(len(domains)), titles)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("ROC-AUC")
    chance_line([axes])
    legend_above(figure, axes, columns=min(len(looks), 4))
    remark = tabpfn_absence(in_suites)
    beside = (
        f"; {baseline.title}, the strongest fitted baseline, stands beside"
        if baseline
        else "; no baseline was fitted"
    )
    return Figure(
        figure,
        f"Zero-shot ROC-AUC by domain ({mode} mode, {RICHEST.serialization}, "
        f"n = {counts.sum()} datasets{beside}"
        f"{'; ' + remark if remark else ''}). Bars start at chance; within a domain all bars "
        "cover the same datasets; whiskers: root mean square of the standard deviations over "
        f"seeds.{rows_sentence(used)}",
    )
