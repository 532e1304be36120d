"""RQ6, Figures 30 and 31: the MLP grid, TabPFN's ROC-AUC and the gain's significance."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import norm

from tabbench.core.baseline_names import FIT_FULL, is_tabpfn
from tabbench.core.contexts import MASKED
from tabbench.core.suites import level_number
from tabbench.reporting.figures.draw import model_panels
from tabbench.reporting.remarks import WHY_ABSENT, rows_sentence, tabpfn_absence
from tabbench.reporting.style import (
    COLUMN,
    FULL_LOOK,
    FULL_NOTE,
    Figure,
    chance_line,
    legend_above,
    panels,
    reference_line,
    sequence_colours,
    styled,
    with_data,
)
from tabbench.reporting.titles import full_title, shots_title
from tabbench.scoring.aggregate import over_datasets, over_seeds
from tabbench.scoring.reference_baseline import tabpfn_or_strongest
from tabbench.scoring.select import select
from tabbench.statistics.gains import combine_gains
from tabbench.statistics.multiplicity import LEVEL

_MARKERS = "osD^vPX"


@styled
def figure30(scores: pd.DataFrame, baselines: Mapping[str, str], choose_at: int = 16) -> Figure:
    """Draw TabPFN's ROC-AUC against the MLP level, a line per number of shots.

    Where TabPFN was not fitted, the strongest baseline replaces it.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    baselines : display name by id
    choose_at : shots at which the strongest is chosen, where fitted on so many

    Returns
    -------
    Figure
        An empty panel that says so where no baseline was fitted on the MLP grid.
    """
    on_grid = scores[scores["suite"] == "mlp"]
    baseline = tabpfn_or_strongest(on_grid, baselines, choose_at)
    if baseline is None:
        return _nothing_fitted()
    used = select(scores, models=[baseline.model], suites=["mlp"], modes=["fit"])
    cells = over_datasets(over_seeds(used[used["k"] > 0]), ["domain", "k"])
    levels = sorted(cells["domain"].unique(), key=level_number)
    shots = sorted(int(k) for k in cells["k"].unique())

    figure, (axes,) = panels(1, width=1.3 * COLUMN, height=2.8)
    x = np.arange(len(levels))
    for index, (k, colour) in enumerate(zip(shots, sequence_colours(len(shots)), strict=True)):
        line = cells[cells["k"] == k].set_index("domain").reindex(levels)
        axes.errorbar(
            x + (index - (len(shots) - 1) / 2) * 0.06,
            line["mean"],
            line["std"],
            color=colour,
            marker=_MARKERS[index % len(_MARKERS)],
            elinewidth=0.7,
            label=shots_title(k),
        )
    whole = on_grid[(on_grid["model"] == baseline.model) & (on_grid["mode"] == FIT_FULL)]
    if len(whole):
        line = over_datasets(over_seeds(whole), ["domain"]).set_index("domain").reindex(levels)
        axes.plot(x, line["mean"], label=full_title(), **FULL_LOOK)
    counts = cells.groupby("domain")["n_datasets"].max()
    axes.set_xticks(x, [f"{level}\n(n = {counts[level]})" for level in levels])
    axes.set_xlabel("Difficulty level (n tables)")
    axes.set_ylabel("ROC-AUC")
    axes.set_title(baseline.name)
    chance_line([axes])
    legend_above(figure, axes, columns=min(len(shots), 5))
    absence = tabpfn_absence(on_grid, baselines)
    strongest = f", the strongest fitted baseline at {baseline.k} shots,"
    which = "" if is_tabpfn(baseline.model) else strongest
    stands = f" {absence}, and {baseline.name} is shown instead." if absence else ""
    return Figure(
        figure,
        f"ROC-AUC of {baseline.name}{which} on the MLP grid by level and shots (mean over n tables "
        f"per level; whiskers: root mean square of the standard deviations over "
        f"seeds{FULL_NOTE if len(whole) else ''}).{stands}{rows_sentence(used)}",
    )


def _nothing_fitted() -> Figure:
    text = "No baseline was fitted on the MLP grid"
    figure, (axes,) = panels(1, width=1.3 * COLUMN, height=1)
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")
    return Figure(figure, f"{text}: {WHY_ABSENT}.", empty=True)


@styled
def figure31(tests: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw the combined z of the gain over zero-shot against the MLP level, by shots.

    Parameters
    ----------
    tests : DataFrame with the columns of ``schemas.TESTS``
    models : display name by id, in the configured order
    mode : generation or forward

    Raises
    ------
    TabBenchError
        When no test of the MLP grid matches.
    """
    used = select(
        tests,
        models=models,
        suites=["mlp"],
        modes=[mode],
        prompts=[MASKED.prompt],
        serializations=[MASKED.serialization],
    )
    cells = combine_gains(used, ["model", "domain", "k"])
    levels = sorted(cells["domain"].unique(), key=level_number)
    shots = sorted(int(k) for k in cells["k"].unique())
    shown = with_data(models, cells)
    figure, every_axes = model_panels(len(shown))
    x = np.arange(len(levels))
    threshold = norm.isf(LEVEL)
    for axes, model in zip(every_axes, shown, strict=True):
        of_model = cells[cells["model"] == model]
        for index, (k, colour) in enumerate(zip(shots, sequence_colours(len(shots)), strict=True)):
            line = of_model[of_model["k"] == k].set_index("domain").reindex(levels)
            axes.plot(
                x,
                line["z"],
                color=colour,
                marker=_MARKERS[index % len(_MARKERS)],
                linewidth=1,
                label=shots_title(k),
            )
        axes.axhline(0, color="#999999", linewidth=0.6, zorder=0.9)
        axes.set_title(models[model])
        axes.set_xticks(x, [level.removeprefix("MLP-") for level in levels])
    reference_line(every_axes, threshold, f"p = {LEVEL}", "#B2182B")
    figure.supxlabel("MLP difficulty level", fontsize=8)
    figure.supylabel("Combined z of the gain", fontsize=8)
    legend_above(figure, every_axes[0], columns=min(len(shots), 5))
    low, high = cells["n_datasets"].min(), cells["n_datasets"].max()
    n = str(low) if low == high else f"{low}–{high}"
    return Figure(
        figure,
        f"Significance of the gain of k examples over none on the MLP grid ({mode} mode, "
        f"{MASKED.serialization}): one-sided DeLong tests per table, positive z where examples "
        f"help, combined by Stouffer's method over n = {n} tables per level; dashed: one-sided "
        f"p = {LEVEL}, not corrected for several comparisons.{rows_sentence(used)}",
    )
