"""Tables, figures and pages of a run, as their files tell of them."""

import base64
import os
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tabbench.errors import TabBenchError
from tabbench.report.questions import artifact_title
from tabbench.tables.reader import Readable, read_markdown


@dataclass(frozen=True)
class Link:
    """A raw file, as its name and its address relative to the page."""

    name: str
    address: str


@dataclass(frozen=True)
class Picture:
    """An image that travels inside the page; ``width`` and ``height`` in pixels."""

    uri: str
    width: int
    height: int


@dataclass(frozen=True)
class Artifact:
    """A table (``table``), a figure (``picture``), or files that are only linked (neither)."""

    id: str
    title: str
    caption: str
    links: tuple[Link, ...]
    table: Readable | None = None
    picture: Picture | None = None


def collect(paths: Iterable[str | Path], page: str | Path) -> dict[str, list[Artifact]]:
    """Group files into artifacts, by the folder that they lie in.

    Files of one name are one artifact: a figure when a .png is among them, its caption in the
    .md; a table when a .csv and an .md are; anything else is linked.

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
        groups.setdefault((path.parent, path.stem), {})[path.suffix] = path
    sections: dict[str, list[Artifact]] = {}
    for (folder, name), files in groups.items():
        artifact = _artifact(folder.name, name, files, Path(page).parent)
        sections.setdefault(folder.name, []).append(artifact)
    return sections


def _artifact(folder: str, name: str, files: Mapping[str, Path], start: Path) -> Artifact:
    title, place = artifact_title(name), f"{folder}-{name}"
    links = tuple(
        Link(suffix.removeprefix("."), Path(os.path.relpath(path, start)).as_posix())
        for suffix, path in files.items()
        if ".png" not in files or suffix != ".md"
    )
    if ".png" in files:
        if ".md" not in files:
            raise TabBenchError(f"{files['.png']}: no caption beside it; run the figure again")
        caption = files[".md"].read_text(encoding="utf-8").strip()
        return Artifact(place, title, caption, links, picture=picture(files[".png"]))
    if ".csv" in files and ".md" in files:
        table = read_markdown(files[".md"])
        return Artifact(place, title, table.caption, links, table=table)
    return Artifact(place, title, "", links)


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
    return Picture(f"data:image/png;base64,{base64.b64encode(content).decode()}", width, height)
