"""Which of SciTaRC's questions are hard: Figures 2, 3 and 6."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tabbench.core.errors import TabBenchError
from tabbench.reporting.style import PAGE, Figure, panels, styled
from tabbench.scitarc.difficulty import accuracy_in_bins, agreement_matrix, mean_changes
from tabbench.scitarc.figures.draw import (
    System,
    change_text,
    count_questions,
    count_text,
    divide,
    explain,
    judged_sentence,
    strip,
    system_looks,
)
from tabbench.scitarc.figures.nothing import empty_if_all_wrong
from tabbench.scitarc.leaderboard import leaderboard
from tabbench.scitarc.names import (
    INPUT_METRICS,
    METRIC_TITLES,
    REASONING_METRICS,
    bin_title,
    bins_sentence,
    system_title,
)
from tabbench.scitarc.prompts import METHODS
from tabbench.scitarc.scores import SYSTEM, each

_MATRIX = {"right": "#0072B2", "wrong": "#EFEFEF", "not judged": "#F5C77E"}
_WHISKERS = 3
"""Largest number of systems whose intervals are drawn; more would cover each other."""
_FEW_QUESTIONS = 40
_CHARACTER = 0.037
"""Inches of height that a character of a turned label takes."""
_LEGEND_COLUMNS, _LEGEND_ROW = 3, 0.15
"""Entries side by side above Figures 3 and 6, and inches of height of a row of them."""
_LONG_TITLE = 6
"""Characters from which the names of bins are broken, so that five stand next to each other."""
_CHANGE_ROW = 0.13
"""Inches of height of a line with a change of accuracy."""


@empty_if_all_wrong
@styled
def figure2(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Figure:
    """Draw right and wrong answers by question and system, the easiest question on top.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    models : display name by id, in the configured order

    Raises
    ------
    TabBenchError
        When no answer was judged.
    """
    matrix = agreement_matrix(scitarc_scores)
    if matrix.empty:
        raise TabBenchError(
            "SciTaRC: nothing to show, no answer without a plan and demonstrations was judged; "
            "look at the judge's log"
        )
    n, systems = matrix.shape
    codes = matrix.map(lambda one: 2 if pd.isna(one) else 0 if one else 1).to_numpy(np.int64)
    labels = [
        f"{system_title(models, model, execution)}: {int(right.sum())} of {right.notna().sum()}"
        for (model, execution), right in _columns(matrix)
    ]
    height = 4.2 if n > _FEW_QUESTIONS else max(1.6, 0.11 * n)
    turned: dict[str, Any] = {}
    if systems > 1:
        turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
        height += _CHARACTER * max(map(len, labels))
    figure, (axes,) = panels(1, width=min(PAGE, 2.2 + 0.34 * systems), height=height + 0.6)
    strip(axes, codes, list(_MATRIX.values()))
    divide(axes, systems, horizontal=False)
    if n <= _FEW_QUESTIONS:
        divide(axes, n, horizontal=True)
    axes.set_xticks(range(1, systems + 1), labels, **turned)
    count_questions(axes.yaxis, n)
    axes.set_ylabel("Question, by difficulty")
    explain(figure, _shown(codes))
    return Figure(
        figure,
        f"Questions answered right by each system (zero-shot, no plan; n = {n} questions, "
        f"{systems} system{'s' * (systems > 1)}). Rows: questions, the easiest, which most systems "
        "answer right, on top; equally hard ones in the order of the file. Columns: systems, the "
        "most accurate first, with right answers of those judged. "
        f"{judged_sentence(scitarc_scores, models)}",
    )


def _columns(matrix: pd.DataFrame) -> Iterator[tuple[System, pd.Series]]:
    for place, system in enumerate(matrix.columns.to_frame(index=False).to_numpy().tolist()):
        yield (system[0], system[1]), matrix.iloc[:, place]


def _shown(codes: np.ndarray) -> dict[str, str]:
    """The colours for the legend; that of a failed judge only where there is one."""
    return {
        name: colour
        for code, (name, colour) in enumerate(_MATRIX.items())
        if code < 2 or (codes == code).any()
    }


@styled
def figure3(
    scitarc_scores: pd.DataFrame, scitarc_complexity: pd.DataFrame, models: Mapping[str, str]
) -> Figure:
    """Draw accuracy against the metrics of a question's plan.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    scitarc_complexity : DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``
    models : display name by id, in the configured order
    """
    return _by_complexity(scitarc_scores, scitarc_complexity, models, REASONING_METRICS)


@styled
def figure6(
    scitarc_scores: pd.DataFrame, scitarc_complexity: pd.DataFrame, models: Mapping[str, str]
) -> Figure:
    """Draw accuracy against the size of a question's tables.

    Parameters as in `figure3`.
    """
    return _by_complexity(scitarc_scores, scitarc_complexity, models, INPUT_METRICS)


@empty_if_all_wrong
def _by_complexity(
    scores: pd.DataFrame,
    complexity: pd.DataFrame,
    models: Mapping[str, str],
    metrics: Sequence[str],
) -> Figure:
    bins = accuracy_in_bins(scores, complexity, metrics)
    changes = mean_changes(scores, complexity, metrics)
    order = [tuple(one) for one in leaderboard(scores)[SYSTEM].to_numpy()]
    looks = system_looks(models, order)
    drawn = list(dict.fromkeys(bins["metric"]))
    figure, every_axes = panels(
        len(drawn),
        width=PAGE / len(drawn),
        height=2.4
        + _LEGEND_ROW * -(-len(order) // _LEGEND_COLUMNS)
        + _CHANGE_ROW * changes["execution"].nunique(),
        per_row=len(drawn),
    )
    for axes, metric in zip(every_axes, drawn, strict=True):
        _panel(axes, bins[bins["metric"] == metric], looks)
        name, unit = METRIC_TITLES[metric]
        axes.set_title(name, pad=5 + 72 * _CHANGE_ROW * changes["execution"].nunique())
        _state_changes(axes, changes[changes["metric"] == metric])
        axes.set_xlabel(unit[0].upper() + unit[1:])
    every_axes[0].set_ylim(-4, 104)
    every_axes[0].set_ylabel("Accuracy (%)")
    handles, labels = every_axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=min(len(labels), 3), handlelength=3
    )
    n = bins.groupby(["metric", *SYSTEM])["n"].sum().max()
    few = len(order) <= _WHISKERS
    return Figure(
        figure,
        f"Accuracy by complexity of the question (zero-shot, no plan; {n} questions), in bins of "
        f"each metric ({bins_sentence(drawn)}; in brackets the answers of each bin, the most of "
        "any system; no point where a bin holds none). Under each name, in percentage points: "
        f"change of the mean accuracy ({_whose(changes)}) from the lowest to the highest bin, with "
        "its 95% interval of 2,000 resamples of the questions within these bins; alike: all "
        "answers of each bin are, so it has none. "
        + (
            "Whiskers: 95% intervals of 2,000 resamples of the questions, without length where all "
            "answers of a bin are right or all wrong. "
            if few
            else "Intervals and all numbers: table “By complexity”. "
        )
        + "The metrics are correlated, so the panels are no separate findings: table “Model of "
        f"complexity” tests them together. {judged_sentence(scores, models)}",
    )


def _whose(changes: pd.DataFrame) -> str:
    """Say whose mean a change is: ``CoT: 8 systems, PoT: 1 system``."""
    most = changes.groupby("execution", sort=False)["systems"].max()
    return ", ".join(
        f"{METHODS[execution]}: {count_text(n, 'system')}"  # type: ignore[index]
        for execution, n in most.items()
    )


def _state_changes(axes: Axes, changes: pd.DataFrame) -> None:
    """Write a line per method between a panel and its title."""
    for place, row in enumerate(reversed(list(each(changes)))):
        axes.annotate(
            f"{METHODS[row.execution]} {change_text(row.change, row.low, row.high)}",
            (0.5, 1),
            xycoords="axes fraction",
            xytext=(0, 3 + 72 * _CHANGE_ROW * place),
            textcoords="offset points",
            ha="center",
            fontsize=7,
            color="#4d4d4d",
        )


def _panel(axes: Axes, bins: pd.DataFrame, looks: Mapping[System, Mapping[str, Any]]) -> None:
    """Draw one metric: a line per system, all bins at equal distance."""
    dodge = 0.06 if 1 < len(looks) <= _WHISKERS else 0.0
    for place, (system, look) in enumerate(looks.items()):
        cells = bins[(bins["model"] == system[0]) & (bins["execution"] == system[1])]
        x = cells["bin"] + (place - (len(looks) - 1) / 2) * dodge
        accuracy = 100 * cells["accuracy"]
        if len(looks) <= _WHISKERS:
            # Rounding must not make a whisker of negative length.
            ends = [accuracy - 100 * cells["low"], 100 * cells["high"] - accuracy]
            axes.errorbar(x, accuracy, np.maximum(ends, 0), elinewidth=0.7, **look)
        else:
            axes.plot(x, accuracy, **{"linewidth": 1.0, **look})
    edges = bins.groupby("bin").agg(
        lower=("lower", "first"), upper=("upper", "first"), n=("n", "max")
    )
    titles = [bin_title(one.lower, one.upper) for one in each(edges)]
    if max(map(len, titles)) > _LONG_TITLE:
        titles = [title.replace("–", "–\n") for title in titles]
    labels = [f"{title}\n({n})" for title, n in zip(titles, edges["n"], strict=True)]
    axes.set_xticks(edges.index, labels)
    axes.set_xlim(-0.4, len(edges) - 0.6)
