"""RQ1, Figures 1, 6 and 7: zero-shot models and a fitted baseline, by domain and by age."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tabbench.core.baseline_names import is_tabpfn
from tabbench.core.contexts import RICHEST
from tabbench.core.suites import GROUPS
from tabbench.reporting.figures.draw import grouped_bars
from tabbench.reporting.figures.radar import domain_radar
from tabbench.reporting.remarks import rows_sentence, tabpfn_absence
from tabbench.reporting.style import (
    BASELINE_COLOUR,
    COLUMN,
    PAGE,
    SUITE_LOOKS,
    Figure,
    chance_line,
    labelled_looks,
    legend_above,
    panels,
    styled,
    with_data,
)
from tabbench.reporting.titles import SUITE_TITLES, domain_title
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.reference_baseline import Baseline, tabpfn_or_strongest
from tabbench.scoring.select import select, select_main


@styled
def figure1(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    baseline_shots: int = 16,
) -> Figure:
    """Draw the classic suite's ROC-AUC by domain as a radar chart; parameters as in `figure6`."""
    shown = _zero_shot(scores, models, baselines, mode, baseline_shots, "Classic")
    datasets = paired(over_seeds(shown.rows), across=["model"], within=["domain"])
    cells = over_datasets(datasets, ["domain", "model"])
    counts = cells.groupby("domain")["n_datasets"].max()
    return Figure(
        domain_radar(cells, counts, _looks(models, cells, shown.baseline)),
        f"Mean zero-shot ROC-AUC by domain ({SUITE_TITLES['core']}, {mode} mode, "
        f"{RICHEST.serialization}, n = {counts.sum()} datasets{shown.beside}). "
        "In a domain all lines cover the same datasets, n in brackets; the dashed ring is chance; "
        f"Figure 6 shows the same means with their spread over seeds.{rows_sentence(shown.rows)}",
    )


@styled
def figure6(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    baseline_shots: int = 16,
) -> Figure:
    """Draw grouped bars of the classic suite's ROC-AUC by domain, starting at chance.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    baselines : display name by id; the figure has TabPFN, else the strongest that was fitted
    mode : generation or forward
    baseline_shots : training-set size of the baseline, where it was fitted on so many examples
    """
    shown = _zero_shot(scores, models, baselines, mode, baseline_shots, "Classic")
    datasets = paired(over_seeds(shown.rows), across=["model"], within=["domain"])
    cells = over_datasets(datasets, ["domain", "model"])
    looks = _looks(models, cells, shown.baseline)
    counts = cells.groupby("domain")["n_datasets"].max()
    # Two-word domains take two lines, so that eight of them fit next to each other.
    titles = {
        name: domain_title(name).replace(" ", "\n", 1) + f"\n(n = {counts[name]})"
        for name in sorted(counts.index)
    }
    figure, (axes,) = panels(1, width=PAGE, height=2.7)
    grouped_bars(axes, cells, "domain", titles, "model", looks)
    chance_line([axes])
    legend_above(figure, axes, columns=min(len(looks), 4))
    return Figure(
        figure,
        f"Zero-shot ROC-AUC by domain ({SUITE_TITLES['core']}, {mode} mode, "
        f"{RICHEST.serialization}, n = {counts.sum()} datasets{shown.beside}). "
        "Bars start at chance; within a domain all bars cover the same datasets; whiskers: root "
        f"mean square of the standard deviations over seeds.{rows_sentence(shown.rows)}",
    )


@styled
def figure7(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    baseline_shots: int = 16,
) -> Figure:
    """Draw classic and new datasets for each model and the baseline, each dataset as a dot.

    A baseline has no prior knowledge of any dataset. When its ROC-AUC drops on the new datasets as
    much as the models' does, the new datasets are harder, and the drop is no sign that the models
    know the classic ones. Parameters as in `figure6`.
    """
    shown = _zero_shot(scores, models, baselines, mode, baseline_shots, "All")
    datasets = paired(over_seeds(shown.rows), across=["model"], within=["suite"])
    cells = over_datasets(datasets, ["model", "suite"])
    columns = _looks(models, cells, shown.baseline)
    counts = cells.groupby("suite")["n_datasets"].max()
    looks = {
        suite: look | {"label": f"{look['label']} (n = {counts[suite]})"}
        for suite, look in SUITE_LOOKS.items()
        if suite in counts.index
    }
    titles = {model: look["label"].replace(" (", "\n(") for model, look in columns.items()}
    figure, (axes,) = panels(1, width=COLUMN if len(titles) < 3 else PAGE, height=2.8)
    places = grouped_bars(axes, cells, "model", titles, "suite", looks)
    for suite, place in zip(looks, places, strict=True):
        for index, model in enumerate(titles):
            bar = (datasets["suite"] == suite) & (datasets["model"] == model)
            _dots(axes, index + place, datasets.loc[bar, "mean"])
    chance_line([axes])
    legend_above(figure, axes, columns=2)
    return Figure(
        figure,
        "Zero-shot ROC-AUC on the classic datasets and on the new ones, released after October "
        f"2024 ({mode} mode, {RICHEST.serialization}, n datasets in the legend{shown.beside}). "
        "Dots: single datasets; bars: their means, from chance; whiskers: root mean square of the "
        "standard deviations over seeds. Classic and new are different datasets: where the "
        "baseline differs as well, so does their difficulty."
        f"{rows_sentence(shown.rows)}",
    )


@dataclass(frozen=True)
class _Shown:
    """Scores of a figure of RQ1, baseline included, and what captions say of the baseline."""

    rows: pd.DataFrame
    baseline: Baseline | None
    beside: str


def _zero_shot(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str,
    baseline_shots: int,
    group: str,
) -> _Shown:
    suites = GROUPS[group]
    rows = select_main(
        scores,
        models=models,
        suites=suites,
        modes=[mode],
        shots=[0],
    )
    in_suites = scores[scores["suite"].isin(suites)]
    baseline = tabpfn_or_strongest(in_suites, baselines, baseline_shots)
    remark = tabpfn_absence(in_suites, baselines)
    absence = f"; {remark}" if remark else ""
    if baseline is None:
        return _Shown(rows, None, f"; no baseline was fitted{absence}")
    fitted = select(
        scores, models=[baseline.model], suites=suites, modes=["fit"], shots=[baseline.k]
    )
    which = "" if is_tabpfn(baseline.model) else ", the strongest fitted baseline"
    return _Shown(
        pd.concat([rows, fitted]), baseline, f"; reference: {baseline.title}{which}{absence}"
    )


def _looks(
    models: Mapping[str, str], cells: pd.DataFrame, baseline: Baseline | None
) -> dict[str, dict[str, Any]]:
    """Looks of the models with data and of the baseline; labels state the numbers of examples."""
    looks = labelled_looks(
        {model: f"{title} (0-shot)" for model, title in models.items()}, with_data(models, cells)
    )
    if baseline and (cells["model"] == baseline.model).any():
        looks[baseline.model] = {
            "color": BASELINE_COLOUR,
            "marker": "x",
            "linestyle": (0, (4, 1.5)),
            "label": baseline.title,
        }
    return looks


def _dots(axes: Axes, x: float, values: "pd.Series[float]") -> None:
    """Draw values as dots around ``x``; dots of similar height are moved sideways."""
    ordered = np.sort(values.to_numpy(np.float64))
    sideways = np.array([(0.0, 0.05, -0.05)[index % 3] for index in range(len(ordered))])
    axes.plot(
        x + sideways,
        ordered,
        linestyle="none",
        marker="o",
        markersize=2.5,
        markerfacecolor="white",
        markeredgecolor="black",
        markeredgewidth=0.5,
        zorder=3,
    )
