"""Read back the .md file of a table: its texts, without the raw numbers."""

import re
from dataclasses import dataclass
from pathlib import Path

from tabbench.core.errors import TabBenchError
from tabbench.reporting.markdown import unescape_markdown
from tabbench.reporting.writer import NOTES_MARK


@dataclass(frozen=True)
class Cell:
    text: str
    bold: bool = False
    underlined: bool = False


@dataclass(frozen=True)
class Readable:
    """A table as it is read: texts under a header, notes below."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...]


def read_markdown(path: str | Path) -> Readable:
    """Return the table that `writer.write_table` wrote as Markdown.

    Raises
    ------
    TabBenchError
        When the file is not such a table.
    """
    text = Path(path).read_text(encoding="utf-8")
    found = re.fullmatch(
        rf"\*\*(?P<caption>.*?)\*\*\n\n(?P<grid>\|.*?)\n\n{NOTES_MARK}\n(?P<notes>.*)",
        text,
        re.DOTALL,
    )
    if found is None:
        raise TabBenchError(f"{path}: not a table of this workflow; delete it and run again")
    header, _, *rows = found["grid"].split("\n")
    return Readable(
        caption=unescape_markdown(found["caption"]),
        header=tuple(map(unescape_markdown, _texts(header))),
        rows=tuple(tuple(map(_cell, _texts(row))) for row in rows),
        notes=tuple(map(unescape_markdown, re.findall(r"^- (.*)$", found["notes"], re.MULTILINE))),
    )


def _texts(line: str) -> list[str]:
    inner = line.removeprefix("|").removesuffix("|")
    return [text.strip() for text in re.findall(r"(?:^|\|)((?:\\.|[^\\|])*)", inner)]


def _cell(text: str) -> Cell:
    bold = re.fullmatch(r"\*\*(.+)\*\*", text)
    text = bold[1] if bold else text
    underlined = re.fullmatch(r"<u>(.+)</u>", text)
    text = underlined[1] if underlined else text
    return Cell(unescape_markdown(text), bool(bold), bool(underlined))
