"""Assemble the page of results: one file that needs no network and no other file."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tabbench.config.endpoints import Prices
from tabbench.reporting.page.artifacts import Artifact, collect
from tabbench.reporting.page.findings import MAIN_TABLES, NOT_ASKED, against_chance, answer
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


@dataclass(frozen=True)
class Chapter:
    """A section of the page: a research question, or another folder of results."""

    id: str
    title: str
    question: str
    answer: str
    figures: tuple[Artifact, ...]
    tables: tuple[Artifact, ...]
    files: tuple[Artifact, ...]


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
    return render(
        template,
        models=list(models.values()),
        settings={**settings, **_what_ran(scores, models)},
        chapters=chapters(artifacts, page, asked, models),
        warnings=warnings(sums, models),
        coverage=coverage_table(scores),
        invalid=answers_table(sums, models),
        cost=cost_table(sums, models, prices),
        versions=versions,
    )


def chapters(
    artifacts: Iterable[str | Path],
    page: str | Path,
    asked: Collection[str],
    models: Mapping[str, str],
) -> list[Chapter]:
    """Return all research questions, asked or not, then every other folder of results."""
    paths = list(map(Path, artifacts))
    found = collect(paths, page)
    names = sorted({**dict.fromkeys(QUESTIONS), **found}, key=section_order)
    made = []
    for name in names:
        parts = found.get(name, [])
        made.append(
            Chapter(
                name,
                section(name).title,
                section(name).question,
                _answer(name, paths, asked, models),
                figures=tuple(one for one in parts if one.picture),
                tables=tuple(one for one in parts if one.table),
                files=tuple(one for one in parts if not one.picture and not one.table),
            )
        )
    return made


def _answer(
    name: str, paths: Iterable[Path], asked: Collection[str], models: Mapping[str, str]
) -> str:
    tables = {
        path.stem: path for path in paths if path.parent.name == name and path.suffix == ".csv"
    }
    if name == "scitarc":
        board, plans = (tables.get(table) for table in ("table2", "table4"))
        return scitarc_answer(*(pd.read_csv(one) if one else None for one in (board, plans)))
    if name not in QUESTIONS:
        return ""
    if name not in asked:
        return NOT_ASKED
    main = tables.get(MAIN_TABLES[name])
    text = answer(name, pd.read_csv(main) if main else None, models)
    if name == "rq1" and "chance" in tables:
        text += f" {against_chance(pd.read_csv(tables['chance']), models)}"
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
