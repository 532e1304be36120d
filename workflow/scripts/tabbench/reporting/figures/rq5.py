"""RQ5, Figures 19 to 29: context, models and domains on the LLM-synthetic suite."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes

from tabbench.core.baseline_names import FIT_FULL, is_tabpfn
from tabbench.core.contexts import RICHEST
from tabbench.core.suites import generator_of
from tabbench.reporting.figures.contexts import context_bars, context_curves
from tabbench.reporting.figures.draw import Looks, count_axis, shot_lines
from tabbench.reporting.figures.radar import domain_radar
from tabbench.reporting.remarks import rows_sentence, tabpfn_absence
from tabbench.reporting.style import (
    BASELINE_COLOUR,
    CHANCE,
    COLUMN,
    FULL_LOOK,
    FULL_NOTE,
    SHOTS_LABEL,
    Figure,
    chance_line,
    labelled_looks,
    legend_above,
    panels,
    shot_positions,
    styled,
    with_data,
)
from tabbench.reporting.titles import full_title, shots_title
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.reference_baseline import Baseline, tabpfn_or_strongest
from tabbench.scoring.select import select, select_main

SUITE = "llm_synthetic"


@styled
def figure19(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    generators: Mapping[str, str],
    mode: str = "generation",
) -> Figure:
    """Draw the four context configurations against shots, a panel per model."""
    return _with_authors(context_curves(scores, models, mode, SUITE), scores, generators)


@styled
def figure20(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    generators: Mapping[str, str],
    mode: str = "generation",
) -> Figure:
    """Draw mean ROC-AUC against shots, a line per model and for TabPFN or the strongest baseline.

    The baseline has a line for each set of datasets that models were asked on.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models, baselines : display name by id, in the configured order
    generators : generator to who wrote its dialogues
    mode : generation or forward
    """
    used = _richest(scores, models, mode)
    datasets = over_seeds(used)
    same = paired(datasets, across=["k"], within=["model"])
    cells = over_datasets(same, ["model", "k"])
    on_suite = scores[scores["suite"] == SUITE]
    baseline = tabpfn_or_strongest(on_suite, baselines)
    shots = sorted(int(k) for k in cells["k"].unique())
    shown = with_data(models, cells)
    figure, (axes,) = panels(1, width=1.3 * COLUMN, height=2.6)
    looks = labelled_looks(models, shown)
    shot_lines(axes, cells, "model", looks, shots)
    if baseline:
        fitted = select(on_suite, models=[baseline.model], suites=[SUITE], modes=["fit"])
        kept = over_seeds(fitted[fitted["k"].isin([k for k in shots if k])])
        _baseline_lines(axes, kept, same, baseline, looks, shots)
    full = on_suite[on_suite["mode"] == FIT_FULL]
    full = full[full["dataset"].isin(same["dataset"])]
    if baseline:
        full = full[full["model"] == baseline.model]
        for level in over_datasets(over_seeds(full), ["model"])["mean"]:
            ends = [shot_positions(shots)[k] for k in (min(shots), max(shots))]
            label = f"{baseline.name}, {full_title()}"
            axes.plot(ends, [level, level], label=label, **FULL_LOOK | {"marker": ""})
    count_axis(axes, cells, shots)
    axes.set_ylabel("ROC-AUC")
    axes.set_xlabel(SHOTS_LABEL)
    chance_line([axes])
    legend_above(figure, axes, columns=2)
    remark = tabpfn_absence(on_suite, baselines)
    beside = covered = ""
    if baseline:
        covered = (
            f", and {baseline.name} those of the models; where these differ it has a line for each "
            "set of datasets, in the colour of the first model with them"
        )
    if baseline and not is_tabpfn(baseline.model):
        beside = f"; {baseline.name} is the strongest fitted baseline at {baseline.k} shots"
    drawn = Figure(
        figure,
        f"ROC-AUC of the models against shots (LLM-synthetic suite, {mode} mode, "
        f"{RICHEST.serialization}, {RICHEST.name}, n datasets below the shots"
        f"{beside}{'; ' + remark if remark else ''}). The points of a model's line cover the same "
        f"datasets{covered}. Whiskers: root mean square of the standard deviations over seeds"
        f"{FULL_NOTE if baseline and len(full) else ''}.{rows_sentence(used)}",
    )
    return _with_authors(drawn, scores, generators)


@styled
def figure21(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    generators: Mapping[str, str],
    mode: str = "generation",
) -> Figure:
    """Draw zero-shot ROC-AUC by domain as a radar chart."""
    return _with_authors(_by_domain(scores, models, mode, 0), scores, generators)


@styled
def figure22(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    generators: Mapping[str, str],
    mode: str = "generation",
    few_shots: int = 16,
) -> Figure:
    """Draw few-shot ROC-AUC by domain as a radar chart."""
    return _with_authors(_by_domain(scores, models, mode, few_shots), scores, generators)


@styled
def figure23(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    generators: Mapping[str, str],
    mode: str = "generation",
) -> Figure:
    """Draw ROC-AUC by domain, averaged over all numbers of shots, as a radar chart."""
    return _with_authors(_by_domain(scores, models, mode, None), scores, generators)


@styled
def figure_of_contexts(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    generators: Mapping[str, str],
    mode: str = "generation",
    k: int = 0,
) -> Figure:
    """Draw Figures 24 to 29: the four context configurations at ``k`` examples."""
    return _with_authors(context_bars(scores, models, mode, SUITE, k), scores, generators)


def _baseline_lines(
    axes: Axes,
    fitted: pd.DataFrame,
    same: pd.DataFrame,
    baseline: Baseline,
    looks: Looks,
    shots: Sequence[int],
) -> None:
    """Draw a baseline on the datasets of each model, once for models that share them all.

    Parameters
    ----------
    fitted, same : DataFrame from ``aggregate.over_seeds``: the baseline's, the models'
    looks : of the models' lines
    """
    sharing: dict[frozenset[str], list[str]] = {}
    for model in looks:
        datasets = frozenset(same.loc[same["model"] == model, "dataset"])
        sharing.setdefault(datasets, []).append(model)
    for datasets, models in sharing.items():
        part = fitted[fitted["dataset"].isin(datasets)]
        if part.empty:
            continue
        authors = ", ".join(sorted({generator_of(dataset) for dataset in datasets}))
        alone = len(sharing) == 1
        look = {
            "color": BASELINE_COLOUR if alone else looks[models[0]]["color"],
            "marker": "x",
            "linestyle": (0, (4, 1.5)),
            "label": baseline.name if alone else f"{baseline.name} on {authors}",
        }
        line = over_datasets(part, ["model", "k"])
        shot_lines(axes, line, "model", {baseline.model: look}, shots)


def _richest(
    scores: pd.DataFrame, models: Mapping[str, str], mode: str, k: int | None = None
) -> pd.DataFrame:
    return select_main(
        scores,
        models=models,
        suites=[SUITE],
        modes=[mode],
        shots=None if k is None else [k],
    )


def _by_domain(scores: pd.DataFrame, models: Mapping[str, str], mode: str, k: int | None) -> Figure:
    """A radar chart, an axis per domain and a line per model; at ``k`` or averaged over all."""
    used = _richest(scores, models, mode, k)
    datasets = over_seeds(used)
    same = paired(datasets, across=["k"], within=["model"])
    shots = sorted(int(one) for one in same["k"].unique())
    # Every number of shots has the same datasets, so the mean over both is the mean of means.
    cells = over_datasets(same, ["domain", "model"])
    shown = with_data(models, cells)
    counts = same.groupby("domain")["dataset"].nunique()
    figure = domain_radar(cells, counts, labelled_looks(models, shown))
    at = shots_title(shots[0]) if len(shots) == 1 else f"mean over k = {', '.join(map(str, shots))}"
    return Figure(
        figure,
        f"ROC-AUC by domain, {at} (LLM-synthetic suite, {mode} mode, {RICHEST.serialization}, "
        f"{RICHEST.name}, n datasets per domain in brackets). The dashed ring is chance, "
        f"{CHANCE}; a model's line is open where it has no dataset of a domain."
        f"{rows_sentence(used)}",
    )


def _with_authors(drawn: Figure, scores: pd.DataFrame, generators: Mapping[str, str]) -> Figure:
    """Add to the caption who wrote the dialogues behind the tables."""
    names = scores.loc[scores["suite"] == SUITE, "dataset"].map(generator_of)
    used = [f"{one} ({generators[one]})" for one in generators if one in set(names)]
    return replace(drawn, caption=f"{drawn.caption} Dialogues: {'; '.join(used)}.")
