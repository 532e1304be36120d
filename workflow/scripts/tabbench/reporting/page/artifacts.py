"""Tables, figures and pages of a run, read from their files."""

import base64
import os
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tabbench.core.errors import TabBenchError
from tabbench.reporting.markdown import unescape_markdown
from tabbench.reporting.page.questions import artifact_title
from tabbench.reporting.reader import Readable, read_markdown
from tabbench.reporting.style import EMPTY_MARK

_CAPTION = "_caption.md"
# A full stop, then white space and no small letter: not that of "vs. all".
_FIRST_SENTENCE = re.compile(r".+?\.(?=\s+[^\sa-z])", re.DOTALL)
_LITTLE = 80
"""Characters that are not worth a click."""
_HALF_PICTURE, _HALF_TABLE = 920, 58
"""Pixels of a figure and characters of a table's row that fit into half of the page."""
_LONGEST = 40
"""Characters of a cell before its text is broken."""


@dataclass(frozen=True)
class Link:
    """A raw file, as its name and its address relative to the page."""

    name: str
    address: str


@dataclass(frozen=True)
class Picture:
    """An image embedded in the page; ``width`` and ``height`` in pixels.

    ``empty``: nothing is drawn, and the caption says why.
    """

    uri: str
    width: int
    height: int
    empty: bool = False


@dataclass(frozen=True)
class Artifact:
    """A table (``table``), a figure (``picture``), or files that are only linked (neither).

    ``shared``: numbers of the page's notes that hold for the table, besides those in it.
    ``folded``: whether it is shown on request.
    """

    id: str
    title: str
    caption: str
    links: tuple[Link, ...]
    table: Readable | None = None
    picture: Picture | None = None
    shared: tuple[int, ...] = ()
    folded: bool = False

    @property
    def counted(self) -> bool:
        """Whether its paper counts it among its tables or figures."""
        return re.fullmatch(r"(Table|Figure) [\dIVX]+", self.title) is not None

    @property
    def wide(self) -> bool:
        """Whether it takes the whole width of the page."""
        if self.picture:
            return self.picture.width > _HALF_PICTURE
        return self.table is not None and _characters(self.table) > _HALF_TABLE

    @property
    def lead(self) -> str:
        """The first sentence of the caption, or all of it where little follows."""
        first = _FIRST_SENTENCE.match(self.caption)
        if first is None or len(self.caption) - first.end() < _LITTLE:
            return self.caption
        return first[0]

    @property
    def rest(self) -> str:
        """What follows the lead."""
        return self.caption.removeprefix(self.lead).strip()


def collect(paths: Iterable[str | Path], page: str | Path) -> dict[str, list[Artifact]]:
    """Group files into artifacts, by folder.

    Files of one name belong together: a figure where a .png is among them, its caption in
    ``<name>_caption.md`` or else in the .md; a table where a .csv and an .md are; what is neither
    is linked.

    Parameters
    ----------
    paths : files of the artifacts, in the order of the page
    page : where the page will lie; links are relative to it

    Returns
    -------
    dict
        Folder name to its artifacts, both in the order of ``paths``.

    Raises
    ------
    TabBenchError
        When a caption is missing or a file is not what its name says.
    """
    groups: dict[tuple[Path, str], dict[str, Path]] = {}
    for path in map(Path, paths):
        name = path.name.removesuffix(_CAPTION)
        kind = _CAPTION if name != path.name else path.suffix
        groups.setdefault((path.parent, Path(name).stem), {})[kind] = path
    sections: dict[str, list[Artifact]] = {}
    for (folder, name), files in groups.items():
        made = sections.setdefault(folder.name, [])
        made.extend(_artifacts(folder.name, name, files, Path(page).parent))
    return sections


def _artifacts(
    folder: str, name: str, files: Mapping[str, Path], start: Path
) -> Iterator[Artifact]:
    title = artifact_title(name, folder)
    place, rest = f"{folder}-{name}", dict(files)
    if ".png" in rest:
        image, pdf = rest.pop(".png"), rest.pop(".pdf", None)
        caption = rest.pop(_CAPTION, None) or rest.pop(".md", None)
        if caption is None:
            raise TabBenchError(f"{image}: no caption next to it; run the figure again")
        yield Artifact(
            f"{place}-figure",
            title,
            unescape_markdown(caption.read_text(encoding="utf-8").strip()),
            _links([image, *([pdf] if pdf else [])], start),
            picture=picture(image),
        )
    if ".csv" in rest and ".md" in rest:
        table = read_markdown(rest[".md"])
        yield Artifact(place, title, table.caption, _links(rest.values(), start), table=table)
    elif rest:
        yield Artifact(place, title, "", _links(rest.values(), start))


def _characters(table: Readable) -> int:
    """Characters of a row, gaps between columns included."""
    texts = (tuple(cell.text for cell in row) for row in table.rows)
    columns = zip(table.header, *texts, strict=True)
    return sum(min(max(map(len, column)), _LONGEST) + 3 for column in columns)


def _links(paths: Iterable[Path], start: Path) -> tuple[Link, ...]:
    return tuple(
        Link(path.suffix.removeprefix("."), Path(os.path.relpath(path, start)).as_posix())
        for path in paths
    )


def picture(path: str | Path) -> Picture:
    """Return a PNG as a data URI, with its size in pixels.

    Raises
    ------
    TabBenchError
        When the file is no PNG.
    """
    content = Path(path).read_bytes()
    if content[:8] != b"\x89PNG\r\n\x1a\n" or content[12:16] != b"IHDR":
        raise TabBenchError(f"{path}: not a PNG image; delete it and run again")
    width, height = struct.unpack(">II", content[16:24])
    return Picture(
        f"data:image/png;base64,{base64.b64encode(content).decode()}",
        width,
        height,
        empty=EMPTY_MARK in content,
    )
