"""Assemble the page of results: one file that needs no network and no other file."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import pandas as pd

from tabbench.config.endpoints import Prices
from tabbench.reporting.notes import GENERAL
from tabbench.reporting.page.artifacts import Artifact, collect
from tabbench.reporting.page.findings import MAIN_TABLES, NOT_ASKED, against_chance, answer
from tabbench.reporting.page.headlines import Tables
from tabbench.reporting.page.overview import cards, doubts
from tabbench.reporting.page.questions import QUESTIONS, section, section_order
from tabbench.reporting.page.render import render
from tabbench.reporting.page.run_summary import (
    answers_table,
    cost_table,
    coverage_table,
    totals,
    warnings,
)
from tabbench.reporting.page.scitarc import scitarc_answer
from tabbench.reporting.page.shared_notes import share

_TABLES_READ = frozenset(
    (
        *(f"{question}/{table}" for question, table in MAIN_TABLES.items()),
        *("rq1/chance", "rq1/differences", "rq4/contrasts", "scitarc/table2", "scitarc/table4"),
    )
)
"""Tables that sentences and small figures are made from."""
_OPEN = 3
"""Figures, and tables, of a chapter that are shown without a click."""


@dataclass(frozen=True)
class Chapter:
    """A section of the page: a research question, or another folder of results."""

    id: str
    title: str
    question: str
    answer: str
    paper: str
    figures: tuple[Artifact, ...]
    tables: tuple[Artifact, ...]
    files: tuple[Artifact, ...]

    @property
    def opened(self) -> tuple[Artifact, ...]:
        """Figures and tables that are shown at once."""
        return tuple(one for one in (*self.figures, *self.tables) if not one.folded)

    @property
    def more(self) -> tuple[Artifact, ...]:
        """Those that are shown on request."""
        return tuple(one for one in (*self.figures, *self.tables) if one.folded)


@dataclass(frozen=True)
class Part:
    """The chapters of one paper."""

    paper: str
    chapters: tuple[Chapter, ...]


def build_page(
    template: str | Path,
    *,
    page: str | Path,
    artifacts: Iterable[str | Path],
    scores: pd.DataFrame,
    asked: Collection[str],
    models: Mapping[str, str],
    prices: Mapping[str, Prices],
    settings: Mapping[str, str],
    versions: Mapping[str, str],
) -> str:
    """Return the page as HTML; equal input gives equal text.

    Parameters
    ----------
    template : index.html, in one folder with index.css and index.js
    page : where the page will lie; links to raw files are relative to it
    artifacts : files of tables and figures, in the order of the page
    scores : DataFrame with the columns of ``schemas.SCORES``, every cell of the run
    asked : research questions of the configuration
    models : display name by id
    prices : of the models whose entries state them, by id
    settings : settings of the configuration, as label and text
    versions : versions of the software behind the page, as label and text
    """
    sums = totals(scores)
    paths = list(map(Path, artifacts))
    tables = read_tables(paths)
    made, shared = said_once(chapters(paths, page, tables, asked, models))
    return render(
        template,
        models=list(models.values()),
        settings={**settings, **_what_ran(scores, models)},
        cards=cards(asked, tables, models),
        not_asked=[one.title for name, one in QUESTIONS.items() if name not in asked],
        doubts=doubts(scores, sums, models),
        warnings=warnings(sums, models),
        general=GENERAL,
        shared=shared,
        parts=[
            Part(paper, tuple(part)) for paper, part in groupby(made, lambda chapter: chapter.paper)
        ],
        coverage=coverage_table(scores),
        invalid=answers_table(sums, models),
        cost=cost_table(sums, models, prices),
        versions=versions,
    )


def read_tables(paths: Iterable[Path]) -> dict[str, pd.DataFrame]:
    """Read the tables that sentences and small figures are made from, by ``folder/name``."""
    found = {f"{path.parent.name}/{path.stem}": path for path in paths if path.suffix == ".csv"}
    return {name: pd.read_csv(path) for name, path in found.items() if name in _TABLES_READ}


def chapters(
    artifacts: Iterable[str | Path],
    page: str | Path,
    tables: Tables,
    asked: Collection[str],
    models: Mapping[str, str],
) -> list[Chapter]:
    """Return all research questions, asked or not, then every other folder, paper by paper."""
    found = collect(artifacts, page)
    names = sorted({**dict.fromkeys(QUESTIONS), **found}, key=section_order)
    made = []
    for name in names:
        parts = found.get(name, [])
        made.append(
            Chapter(
                name,
                section(name).title,
                section(name).question,
                _answer(name, tables, asked, models),
                section(name).paper,
                figures=_folded(one for one in parts if one.picture),
                tables=_folded(one for one in parts if one.table),
                files=tuple(one for one in parts if not one.picture and not one.table),
            )
        )
    return made


def _folded(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """Leave the first few that the paper counts open."""
    every = list(artifacts)
    opened = [one.id for one in every if one.counted][:_OPEN]
    return tuple(replace(one, folded=one.id not in opened) for one in every)


def said_once(made: Iterable[Chapter]) -> tuple[list[Chapter], tuple[str, ...]]:
    """Return chapters whose tables keep only their own notes, and the notes that they share."""
    every = list(made)
    notes = {one.id: one.table.notes for chapter in every for one in chapter.tables if one.table}
    shared, left = share(notes, GENERAL.values())

    def reduced(one: Artifact) -> Artifact:
        table = replace(one.table, notes=left[one.id].own) if one.table else None
        return replace(one, table=table, shared=left[one.id].shared)

    return [
        replace(chapter, tables=tuple(map(reduced, chapter.tables))) for chapter in every
    ], shared


def _answer(name: str, tables: Tables, asked: Collection[str], models: Mapping[str, str]) -> str:
    if name == "scitarc":
        return scitarc_answer(tables.get("scitarc/table2"), tables.get("scitarc/table4"))
    if name not in QUESTIONS:
        return ""
    if name not in asked:
        return NOT_ASKED
    text = answer(name, tables.get(f"{name}/{MAIN_TABLES[name]}"), models)
    if name == "rq1" and "rq1/chance" in tables:
        text += f" {against_chance(tables['rq1/chance'], models)}"
    return text


def _what_ran(scores: pd.DataFrame, models: Mapping[str, str]) -> dict[str, str]:
    """Summarize the settings that the language models' cells share."""
    asked = scores[scores["model"].isin(list(models))]

    def values(column: str) -> str:
        return ", ".join(sorted(asked[column].astype(str).unique()))

    return {
        "Modes": values("mode"),
        "Prompts": values("prompt"),
        "Serializations": values("serialization"),
        "Engines": values("engine"),
        "Prompt styles": values("style"),
        "Number formats": values("dtype"),
        "Datasets": f"{asked['dataset'].nunique():,}",
        "Cells": f"{len(asked):,} of language models, {len(scores) - len(asked):,} of baselines",
        "Answers": f"{int(asked['n'].sum()):,}",
    }
