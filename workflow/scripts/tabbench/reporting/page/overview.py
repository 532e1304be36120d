"""The first screen: each question with a short answer and a small figure; what to distrust."""

import base64
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tabbench.core.contexts import CONTEXTS
from tabbench.core.suites import level_number
from tabbench.reporting.figures.overview import MOST_ROWS, Row, Value, dots
from tabbench.reporting.page.findings import MAIN_TABLES, UNDEFINED, is_baseline_row
from tabbench.reporting.page.headlines import Models, Tables, headline, main_table
from tabbench.reporting.page.questions import QUESTIONS, section
from tabbench.reporting.page.run_summary import LOW_MASS
from tabbench.reporting.page.scitarc import ends, system
from tabbench.reporting.style import BASELINE_COLOUR, CHANCE, model_looks, svg
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import plural


@dataclass(frozen=True)
class Drawing:
    """A small figure, embedded; ``alt`` says its values."""

    uri: str
    alt: str


@dataclass(frozen=True)
class Card:
    """A question on the first screen; ``id`` is its chapter's."""

    id: str
    title: str
    question: str
    answer: str
    drawing: Drawing | None


def cards(asked: Collection[str], tables: Tables, models: Models) -> list[Card]:
    """Return a card for every question that was asked, and for SciTaRC where it has a table.

    Parameters
    ----------
    asked : research questions of the configuration
    tables : the .csv files of the run, by ``folder/name``
    models : display name by id
    """
    names = [name for name in QUESTIONS if name in asked]
    if any(name.startswith("scitarc/") for name in tables):
        names.append("scitarc")
    return [
        Card(
            name,
            section(name).title,
            section(name).question,
            headline(name, tables, models) or UNDEFINED,
            _drawing(name, tables, models),
        )
        for name in names
    ]


def doubts(scores: pd.DataFrame, sums: pd.DataFrame, models: Models) -> list[str]:
    """Say in a few words each what to distrust.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    sums : DataFrame from `run_summary.totals`
    models : display name by id
    """
    asked = sums[sums["model"].isin(list(models))]
    invalid, low = asked["invalid"].sum(), asked["low_mass"].sum()
    capped = scores[scores["capped"]]
    found = []
    if asked["too_long"].sum():
        prompts = plural(int(asked["too_long"].sum()), "prompt")
        found.append(f"{prompts} too long for their model and not sent")
    if invalid:
        share = 100 * invalid / asked["asked"].sum()
        found.append(f"{share:.1f} % of the answers are invalid and left out of the scores")
    if low:
        cells = plural(int(asked["cells"].sum()), "cell")
        found.append(
            f"in {low:,} of {cells} the two labels together have a probability below {LOW_MASS}, "
            "so that ROC-AUC says little"
        )
    if len(capped):
        found.append(
            f"at most {plural(int(capped['n'].max()), 'test row')} per dataset are used: small "
            "differences cannot be detected"
        )
    return [*found, "only results with a p-value or an interval were tested"]


def _drawing(name: str, tables: Tables, models: Models) -> Drawing | None:
    unit, reference, find = _FIGURES[name]
    if name in MAIN_TABLES and main_table(name, tables).empty:
        return None
    rows = [row for row in find(tables, models) if row.values]
    if not rows:
        return None
    figure = dots(rows[:MOST_ROWS], unit, reference)
    picture = base64.b64encode(svg(figure).encode()).decode()
    return Drawing(f"data:image/svg+xml;base64,{picture}", figure.caption)


def _rows(cells: pd.DataFrame, labels: Mapping[Any, str], models: Models) -> list[Row]:
    """Return a row for each label of the column ``row``: a dot per model, whiskers for ±."""
    looks = model_looks(models)
    return [
        Row(
            label,
            tuple(
                Value(
                    one.mean,
                    one.mean - one.std,
                    one.mean + one.std,
                    looks[one.model]["color"] if one.model in looks else BASELINE_COLOUR,
                )
                for one in _each(cells[cells["row"].eq(key)])
            ),
        )
        for key, label in labels.items()
    ]


def _each(frame: pd.DataFrame) -> Iterable[Any]:
    return frame.itertuples()


def _systems(tables: Tables, models: Models) -> list[Row]:
    cells = main_table("rq1", tables)
    cells = cells[cells["group"].eq("All")].sort_values("mean", ascending=False)
    names = dict(zip(cells["model"], cells["name"], strict=True))
    return _rows(cells.assign(row=cells["model"]), names, models)


def _configurations(tables: Tables, models: Models) -> list[Row]:
    cells = main_table("rq2", tables)
    names = {one.name: one.name for one in CONTEXTS}
    return _rows(cells.assign(row=cells["configuration"]), names, models)


def _shots(question: str) -> Callable[[Tables, Models], list[Row]]:
    def find(tables: Tables, models: Models) -> list[Row]:
        cells = main_table(question, tables)
        counts = cells.groupby("k")["n_datasets"].max()
        several = len(set(counts)) > 1
        names = {
            int(k): f"{shots_title(int(k))} (n = {n})" if several else shots_title(int(k))
            for k, n in zip(counts.index, counts, strict=True)
        }
        return _rows(cells.assign(row=cells["k"]), names, models)

    return find


def _regimes(tables: Tables, models: Models) -> list[Row]:
    cells = main_table("rq5", tables)
    names = dict.fromkeys(cells["regime"])
    baseline = is_baseline_row(cells)
    cells = cells.assign(row=cells["regime"], model=cells["model"].mask(baseline, "baseline"))
    # How many examples "few" are stands in the table.
    return _rows(cells, {name: re.sub(r" \(\d+\)", "", name) for name in names}, models)


def _levels(tables: Tables, models: Models) -> list[Row]:
    cells = main_table("rq6", tables)
    cells = cells[cells["k"].eq(cells["k"].max())]
    names = {level: level for level in sorted(cells["level"].unique(), key=level_number)}
    return _rows(cells.assign(row=cells["level"]), names, models)


def _modes(tables: Tables, models: Models) -> list[Row]:
    cells = main_table("rq7", tables)
    cells = cells[cells["mode"].isin(["forward", "generation"])].sort_values("k", kind="stable")
    keys = list(zip(cells["mode"], cells["k"], strict=True))
    names = {f"{mode}, {k}": f"{mode}, {shots_title(k)}" for mode, k in keys}
    return _rows(cells.assign(row=[f"{mode}, {k}" for mode, k in keys]), names, models)


def _leaderboard(tables: Tables, models: Models) -> list[Row]:
    """The systems' shares of right answers in per cent, whiskers for the 95 % intervals."""
    board = tables.get("scitarc/table2", pd.DataFrame(columns=["n", "model"]))
    looks = model_looks(dict.fromkeys([*models, *board["model"]]))
    one_model = len(set(board["model"])) == 1
    rows = []
    for _, one in board[board["n"] > 0].iterrows():
        value, low, high = (100 * share for share in (one["accuracy"], *ends(one)))
        label = one["method"] if one_model else system(one)
        rows.append(Row(label, (Value(value, low, high, looks[one["model"]]["color"]),)))
    return rows


_AUC = "Mean ROC-AUC"
_FIGURES: dict[str, tuple[str, float | None, Callable[[Tables, Models], list[Row]]]] = {
    "rq1": (_AUC, CHANCE, _systems),
    "rq2": (_AUC, CHANCE, _configurations),
    "rq3": (_AUC, CHANCE, _shots("rq3")),
    "rq4": ("Change of ROC-AUC", 0.0, _shots("rq4")),
    "rq5": (_AUC, CHANCE, _regimes),
    "rq6": (_AUC, CHANCE, _levels),
    "rq7": (_AUC, CHANCE, _modes),
    "scitarc": ("Correct answers (%)", None, _leaderboard),
}
