"""Shared parts of SciTaRC's figures: looks of systems, and strips of questions by difficulty."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import Any

import matplotlib.figure
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from tabbench.reporting.style import model_looks
from tabbench.scitarc.names import judge_title, system_title
from tabbench.scitarc.scores import DIRECT, SYSTEM, of_condition, seeds_of

System = tuple[str, str]
"""Model id and execution."""

_FILLS = ("full", "white", "#c9c9c9")
"""Insides of the markers, one after the other where there are more models than colours."""
_COLOURS = 9


def system_looks(models: Mapping[str, str], systems: Iterable[System]) -> dict[System, Any]:
    """Return the look of each system: the model's colour and marker, a dashed line for PoT."""
    looks = model_looks(models)
    places = {model: place for place, model in enumerate(models)}
    found = {}
    for model, execution in systems:
        look = looks[model] | {
            "linestyle": "--" if execution == "code" else "-",
            "label": system_title(models, model, execution),
        }
        fill = _FILLS[places[model] // _COLOURS % len(_FILLS)]
        found[model, execution] = look | ({} if fill == "full" else {"markerfacecolor": fill})
    return found


def strip(axes: Axes, codes: npt.NDArray[np.int64], colours: Sequence[str]) -> None:
    """Draw a grid of coloured cells: one per code, an index of ``colours``."""
    rows, columns = codes.shape
    axes.imshow(
        codes,
        cmap=ListedColormap(list(colours)),
        vmin=-0.5,
        vmax=len(colours) - 0.5,
        aspect="auto",
        interpolation="none",
        extent=(0.5, columns + 0.5, rows + 0.5, 0.5),
    )
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def divide(axes: Axes, count: int, horizontal: bool) -> None:
    """Part the rows or columns of a strip by white lines."""
    for place in range(1, count):
        draw = axes.axhline if horizontal else axes.axvline
        draw(place + 0.5, color="white", linewidth=1.5)


def count_questions(axis: Any, n: int) -> None:
    """Number questions by difficulty: whole numbers from 1, the easiest, to n."""
    axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    ticks = [1, *(int(tick) for tick in axis.get_major_locator().tick_values(1, n))]
    step = max(1, ticks[-1] - ticks[-2])
    axis.set_ticks(sorted({1, n, *(tick for tick in ticks if 1 < tick < n - 0.6 * step)}))


def explain(figure: matplotlib.figure.Figure, colours: Mapping[str, str]) -> None:
    """Add a legend of the colours above all panels."""
    handles = [
        Patch(facecolor=colour, edgecolor="#8c8c8c", linewidth=0.4, label=label)
        for label, colour in colours.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))


NULL_BAND = (
    "what a plan without effect gives (95 % of the curves in which each question's two answers are "
    "swapped at random lie inside over their whole length)"
)


def ranking_sentence(scores: pd.DataFrame) -> str:
    """Say what ranks the questions of a system."""
    others = len(of_condition(scores, DIRECT)[SYSTEM].drop_duplicates()) - 1
    repeats = len(seeds_of(scores)) - 1
    order = "equally hard ones in the order of the file."
    if repeats:
        and_others = f" and {others} other system{'s' * (others > 1)}" if others else ""
        return (
            f"Difficulty: how often the system's own answers with {repeats} further "
            f"seed{'s' * (repeats > 1)}"
            f"{and_others} are right without a plan, each system counted once; the answers drawn "
            f"are left out; {order}"
        )
    who = "the one other system answers" if others == 1 else f"the {others} other systems answer"
    levels = " (two levels only)" if others == 1 else ""
    return (
        f"Difficulty: how often {who} a question right without a plan{levels}, the system's "
        f"own answers left out; {order}"
    )


def unranked_sentence(what: str) -> str:
    """Say why something along the difficulty is not drawn."""
    return (
        f"No {what}: no other system answered the same questions zero-shot without a plan, and no "
        "second seed. Ranked by these answers themselves, even a plan without effect would seem "
        "to lose easy questions and to gain hard ones."
    )


def count_text(number: int, noun: str) -> str:
    """Return ``1 system``, ``2 systems``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def change_text(change: float, low: float, high: float) -> str:
    """Return a change of a share and its interval in percentage points.

    Examples
    --------
    >>> change_text(-0.2519, -0.31, 0.0), change_text(0.0, 0.0, 0.0)
    ('−25.2 [−31.0, +0.0]', '+0.0, alike')
    """
    if np.isnan(change):
        return "one level only"
    signed = [f"{100 * one:+.1f}".replace("-", "−") for one in (change, low, high)]
    return "{}, alike".format(*signed) if low == high else "{} [{}, {}]".format(*signed)


def write_instead(axes: Axes, sentence: str) -> None:
    """Write a sentence where nothing is drawn."""
    axes.text(
        *(0.5, 0.5),
        fill(sentence, 38),
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=7,
    )
    axes.set_xticks([])
    axes.grid(visible=False)


def judged_sentence(scores: pd.DataFrame, models: Mapping[str, str]) -> str:
    """Name the judge, and whose answers are drawn where there are several to a question."""
    judged = f"Judged by {judge_title(str(scores['judge'].iloc[0]), models)}."
    seeds = seeds_of(scores)
    if len(seeds) == 1:
        return judged
    return f"{judged} Drawn: the answers of seed {seeds[0]}, the first of {len(seeds)}."
