"""A page of the answers on a sheet that people fill in: tables, texts, and a choice."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.latex import parse_grids
from tabbench.scitarc.latex_text import plain_text

_CAPTION = re.compile(r"\\caption\*?(?:\[[^\]]*\])?\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")


@dataclass(frozen=True)
class Entry:
    """An answer on the page.

    Attributes
    ----------
    id : of the answer
    tables : LaTeX of the tables that the question needs
    texts : title to text, in their order; empty ones are not shown
    """

    id: str
    tables: tuple[str, ...]
    texts: Mapping[str, str]


@dataclass(frozen=True)
class Sheet:
    """What a page asks.

    Attributes
    ----------
    column : of the CSV that is filled in
    choices : what may be filled in, with its meaning
    file : name of the CSV that the page saves
    """

    title: str
    task: str
    column: str
    choices: Mapping[str, str]
    file: str


@dataclass(frozen=True)
class ReadableTable:
    """A table as rows of plain texts; none where its LaTeX holds no grid that can be read."""

    caption: str
    grids: tuple[list[list[str]], ...]
    latex: str


def readable_table(latex: str) -> ReadableTable:
    """Read a table for people; its LaTeX stays at hand."""
    caption = _CAPTION.search(latex)
    try:
        grids = tuple(
            [[plain_text(cell) for cell in row] for row in grid.to_rows()]
            for grid in parse_grids(latex)
        )
    except TabBenchError:
        grids = ()
    return ReadableTable(plain_text(caption[1]) if caption else "", grids, latex)


def sheet_page(template: Path, sheet: Sheet, entries: Sequence[Entry]) -> str:
    """Return a page as HTML that needs no other file, and saves what is chosen on it as CSV.

    Parameters
    ----------
    template : sheet.html
    """
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    shown = [(one, [readable_table(latex) for latex in one.tables]) for one in entries]
    page = environment.from_string(template.read_text(encoding="utf-8"))
    return page.render(sheet=sheet, entries=shown)
