"""RQ3, Figures 11 to 13: the gain of examples over none, by model, domain and dataset."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tabbench.core.contexts import RICHEST
from tabbench.core.errors import TabBenchError
from tabbench.reporting.figures.draw import count_axis, shot_lines
from tabbench.reporting.figures.heat import colour_bar, heat_map
from tabbench.reporting.remarks import rows_sentence
from tabbench.reporting.style import (
    COLUMN,
    PAGE,
    SHOTS_LABEL,
    Figure,
    labelled_looks,
    legend_above,
    panels,
    reference_line,
    styled,
    with_data,
)
from tabbench.reporting.titles import domain_title
from tabbench.scoring.aggregate import difference, over_datasets, over_seeds, paired
from tabbench.scoring.select import select_main
from tabbench.statistics.gains import combine_gains
from tabbench.statistics.multiplicity import LEVEL, holm

_SMALLEST_GAIN = 0.1
"""Smallest gain that may have the darkest colour, so that noise does not look like an effect."""
_LARGEST_Z = 6.0
_LOWEST = 1.9
"""Smallest height of a heat map in inches, so that its colour bar has room for a name."""
_DODGE = 0.1


@styled
def figure11(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw the gain over zero-shot against shots (left), and what each step of shots adds (right).

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    mode : generation or forward

    Raises
    ------
    TabBenchError
        When no dataset has both a zero-shot and a k-shot value.
    """
    used = select_main(scores, models=models, suites=["core"], modes=[mode])
    datasets = paired(over_seeds(used), across=["k"], within=["model"])
    shots = sorted(int(k) for k in datasets["k"].unique())
    gains = _over_datasets(_gains(datasets, dict.fromkeys(shots, 0)), ["model", "k"])
    before = dict(zip(shots[1:], shots, strict=False))
    steps = _over_datasets(_gains(datasets, before), ["model", "k"])
    looks = labelled_looks(models, with_data(models, gains))
    figure, every_axes = panels(2, width=PAGE / 2, height=2.6)
    titles = ("Gain over zero-shot", "Gain over the next smaller number")
    for axes, cells, title in zip(every_axes, (gains, steps), titles, strict=True):
        shot_lines(axes, cells, "model", looks, shots[1:], _DODGE)
        count_axis(axes, cells, shots[1:])
        axes.set_title(title)
    reference_line(every_axes, 0, "no gain")
    figure.supylabel("Difference in ROC-AUC", fontsize=8)
    figure.supxlabel(SHOTS_LABEL, fontsize=8)
    legend_above(figure, every_axes[0], columns=min(len(looks), 4))
    return Figure(
        figure,
        f"Gain in ROC-AUC by number of examples (classic suite, {mode} mode, "
        f"{RICHEST.serialization}, {RICHEST.name}): mean difference to zero-shot (left) and to the "
        "next smaller number of shots (right) over n datasets. The points of a model's line cover "
        "the same datasets; whiskers: root mean square over datasets of sqrt(s² + s²), s the "
        "standard deviations over seeds of the two sides, none where a side has one "
        f"seed.{rows_sentence(used)}",
    )


@styled
def figure12(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw the mean gain over zero-shot by domain and shots, a heat map per model.

    Parameters and errors as in `figure11`.
    """
    used = select_main(scores, models=models, suites=["core"], modes=[mode])
    datasets = paired(over_seeds(used), across=["k"], within=["model", "domain"])
    shots = sorted(int(k) for k in datasets["k"].unique())
    cells = _over_datasets(_gains(datasets, dict.fromkeys(shots, 0)), ["model", "domain", "k"])
    shown = with_data(models, cells)
    counts = cells.groupby("domain")["n_datasets"].max()
    titles = {name: f"{domain_title(name)} ({counts[name]})" for name in sorted(counts.index)}
    rows = list(titles.values())
    cells = cells.assign(
        row=cells["domain"].map(titles), value=cells["mean"], text=cells["mean"].map(_signed)
    )
    limit = max(_SMALLEST_GAIN, cells["mean"].abs().max())
    figure, every_axes = panels(
        len(shown),
        width=1.3 * COLUMN if len(shown) == 1 else PAGE / 2,
        height=max(0.6 + 0.22 * len(rows), _LOWEST),
        per_row=2,
    )
    for axes, model in zip(every_axes, shown, strict=True):
        heat_map(axes, cells[cells["model"] == model], rows, shots[1:], limit)
        axes.set_title(models[model])
    figure.supxlabel("Labelled examples in the prompt", fontsize=8)
    colour_bar(figure, every_axes, limit, "Gain in ROC-AUC")
    return Figure(
        figure,
        f"Gain of k examples over none in ROC-AUC by domain (classic suite, {mode} mode, "
        f"{RICHEST.serialization}, {RICHEST.name}): mean over n datasets, n in brackets after "
        "the domain. The cells of a row cover the same datasets; grey: not run or undefined. "
        f"Differences of means without a test; Figure 13 tests them.{rows_sentence(used)}",
    )


@styled
def figure13(tests: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw the z of each gain over zero-shot, a row per dataset and per combined domain.

    Parameters
    ----------
    tests : DataFrame with the columns of ``schemas.TESTS``
    models : display name by id, in the configured order
    mode : generation or forward

    Raises
    ------
    TabBenchError
        When no test matches.
    """
    used = select_main(tests, models=models, suites=["core"], modes=[mode])
    cells = _tested(used)
    shown = with_data(models, cells[cells["value"].notna()])
    shots = sorted(int(k) for k in cells["k"].unique())
    rows = cells.sort_values(["domain", "dataset"])["row"].unique().tolist()
    limit = float(np.clip(cells["value"].abs().max(), 3, _LARGEST_Z))
    figure, every_axes = panels(
        len(shown),
        width=1.3 * COLUMN if len(shown) == 1 else PAGE / min(len(shown), 4),
        height=max(0.7 + 0.165 * len(rows), _LOWEST),
        per_row=4,
    )
    for axes, model in zip(every_axes, shown, strict=True):
        heat_map(axes, cells[cells["model"] == model], rows, shots, limit)
        axes.set_title(models[model])
    figure.supxlabel("Labelled examples in the prompt", fontsize=8)
    beyond = bool((cells["value"].abs() > limit).any())
    colour_bar(figure, every_axes, limit, "z of the gain", beyond)
    return Figure(
        figure,
        f"Significance of the gain of k examples over none (classic suite, {mode} mode, "
        f"{RICHEST.serialization}, {RICHEST.name}; n = {used['dataset'].nunique()} datasets). "
        "One-sided DeLong test per dataset (draws averaged; positive z where examples help), "
        "rows in capitals: combined over a domain or all by Stouffer's method, unweighted (in "
        "brackets the number of datasets; those that are grey at a number of shots are left "
        f"out). ○: p < {LEVEL}, not corrected; ●: p < {LEVEL} after Holm's correction over a "
        "model's tests of one kind (single datasets, domains, all). Grey: not run or "
        f"undefined.{rows_sentence(used)}",
    )


def _gains(datasets: pd.DataFrame, over: Mapping[int, int]) -> pd.DataFrame:
    """Subtract from each number of shots k of a dataset its value at ``over[k]``, if not k."""
    compared = datasets[datasets["k"].map(lambda k: over.get(k, k) != k)]
    references = pd.concat(
        datasets[datasets["k"] == reference].assign(k=k) for k, reference in over.items()
    )
    return difference(compared, references, ["model", "k"])


def _over_datasets(gains: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    if gains.empty:
        raise TabBenchError(
            "nothing to draw: no dataset has a defined ROC-AUC at k = 0 and at k > 0"
        )
    return over_datasets(gains, by)


def _tested(tests: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of Figure 13: each dataset, each domain of more than one, and all."""
    sizes = tests.groupby("domain")["dataset"].nunique()
    several = tests[tests["domain"].map(sizes) > 1]
    single = combine_gains(tests, ["model", "k", "domain", "dataset"])
    alone = single["domain"].map(sizes) == 1
    title = single["domain"].map(domain_title)
    single["row"] = single["dataset"].where(~alone, title + ": " + single["dataset"])
    domains = combine_gains(several, ["model", "k", "domain"]).assign(dataset="")
    domains["row"] = domains["domain"].map(
        lambda one: f"{domain_title(one)} ({sizes[one]})".upper()
    )
    whole = combine_gains(tests, ["model", "k"]).assign(dataset="", domain="~")
    whole["row"] = f"ALL ({sizes.sum()})"
    kinds = [kind for kind in (single, domains, whole) if len(kind)]
    for kind in kinds:
        corrected = kind.groupby("model")["p"].transform(lambda p: holm(p))
        kind["text"] = np.select([corrected < LEVEL, kind["p"] < LEVEL], ["●", "○"], "")
    return pd.concat(kinds, ignore_index=True).rename(columns={"z": "value"})


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
