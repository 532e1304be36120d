"""Read delimited text into a frame of text cells, or say in which line it is not a table.

Nothing is repaired by guessing: what is read otherwise than its lines say is named in
`read_delimited`.
"""

import csv
import dataclasses
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from tabbench.config.dataset_entry import Source
from tabbench.core.errors import TabBenchError

SEPARATORS = (",", ";", "\t", "|")
LARGEST_FILE = 2**29
"""Bytes of the largest file that is read; it takes up to eight times its size in memory."""
UNNAMED = "Unnamed: {}"
"""Name of a column whose head is empty, by its place (from 0) in the file."""
_CHUNK_CELLS = 200_000
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def read_delimited(path: Path, source: Source) -> pd.DataFrame:
    """Read a file as its source says: separator, encoding, header or column names.

    Text is normalized to NFC, so that equal names and values are equal texts. Rows
    whose cells are all empty are left out, and so are columns without name and content, such as a
    separator at the end of each line makes. A first line ``sep=;`` names the separator. Where each
    row has one cell more than the header and the first ones are all different, these are R's row
    names and are left out.

    Raises
    ------
    TabBenchError
        When the file is too large, is not in its encoding, has a row that is longer or shorter than
        its header, or a quote that is not closed; the message gives the line.
    """
    check_size(path)
    encoding = source.encoding or find_encoding(path)
    try:
        with path.open(encoding=encoding, newline="") as file:
            return _read(path, _Lines(file), source)
    except LookupError as error:
        raise TabBenchError(
            f"{path}: no encoding '{encoding}'; names are those of Python, such as cp1252 "
            f"(Western Windows), latin-1, utf-16, cp932"
        ) from error
    except UnicodeError as error:
        raise TabBenchError(f"{path}: {_undecodable(path, encoding)}") from error


def check_size(path: Path) -> None:
    """Raise a TabBenchError for a file of more than ``LARGEST_FILE`` bytes."""
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise TabBenchError(
            f"{path}: {size / 2**20:,.0f} MiB, more than the {LARGEST_FILE / 2**20:,.0f} MiB that "
            f"are read; of more than 5,000 rows 1,000 are drawn, so give a sample of its rows"
        )


def find_encoding(path: Path) -> str:
    """The encoding that a byte-order mark or the zero bytes of UTF-16 tell, else UTF-8."""
    with path.open("rb") as file:
        start = file.read(4096)
    for mark, encoding in _BYTE_ORDER_MARKS:
        if start.startswith(mark):
            return encoding
    for zeros, encoding in ((start[1::2], "utf-16-le"), (start[::2], "utf-16-be")):
        if zeros.count(0) > len(start) / 4:
            return encoding
    return "utf-8"


def find_separator(head: str) -> str:
    """The separator that stands most often in a header, a comma where none does."""
    return max(SEPARATORS, key=re.sub('"[^"]*"', "", head).count)


def guess_source(path: Path, source: Source) -> Source:
    """Add the separator and the encoding of a file to its source where they need to be named.

    Raises
    ------
    TabBenchError
        When the file cannot be read.
    """
    try:
        found = find_encoding(path)
        encoding = source.encoding or found
        if encoding == "utf-8" and not _is_in(path, encoding):
            encoding = "cp1252" if _is_in(path, "cp1252") else "latin-1"
        with path.open(encoding=encoding, newline="") as file:
            head = next(_Lines(file), "")
    except FileNotFoundError as error:
        raise TabBenchError(f"{path}: no such file") from error
    except (OSError, ValueError) as error:
        raise TabBenchError(f"{path}: cannot be read: {error}") from error
    separator = source.separator
    if separator is None and not _SEPARATOR_LINE.fullmatch(head):
        separator = find_separator(head)
    return dataclasses.replace(
        source,
        separator=None if separator == "," else separator,
        encoding=None if encoding == found else encoding,
    )


def _is_in(path: Path, encoding: str) -> bool:
    try:
        with path.open(encoding=encoding) as file:
            return all(len(part) > 0 for part in iter(lambda: file.read(2**20), ""))
    except UnicodeError:
        return False


def check_names(path: Path, names: Sequence[str]) -> None:
    """Raise a TabBenchError where two columns have the same name."""
    places: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if name in places:
            raise TabBenchError(
                f"{path}: columns {places[name]} and {place} are both called '{name}'; rename one "
                f"in the file, or name all columns in order under 'columns'"
            )
        places[name] = place


class _Lines:
    """The lines of a file without its byte-order mark, normalized to NFC.

    ``number`` counts the lines that were given, ``latest`` holds those since `forget`.
    """

    def __init__(self, file: Iterable[str]) -> None:
        self._lines = iter(file)
        self._again: list[str] = []
        self.number = 0
        self.latest: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._lines)
        if self.number == 0:
            line = line.removeprefix("\ufeff")
        self.number += 1
        line = line if line.isascii() else unicodedata.normalize("NFC", line)
        self.latest.append(line)
        return line

    def forget(self) -> None:
        self.latest.clear()

    def give_back(self, line: str) -> None:
        self._again.append(line)
        self.number -= 1


def _separator(path: Path, lines: _Lines, stated: str | None) -> str:
    """The stated separator, or that of a first line ``sep=;``, which is passed over."""
    stated = "\t" if stated == r"\t" else stated
    first = next(lines, "")
    line = _SEPARATOR_LINE.fullmatch(first)
    lines.forget()
    if line is None:
        if first:
            lines.give_back(first)
        return stated or ","
    if stated not in (None, line[1]):
        raise TabBenchError(
            f"{path}: its first line says that cells are separated by '{line[1]}', the entry says "
            f"'{stated}'; correct the entry's separator"
        )
    return line[1]


def _rows(path: Path, lines: _Lines, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not blank and the number of its first line."""
    spaces = separator != " "
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=spaces, strict=True)
    while True:
        lines.forget()
        start = lines.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise TabBenchError(
                f"{path}, {_span(start, lines)}: a quoted cell does not end as it should "
                f"({error}). Close the quote, or write a quote that belongs to the cell twice, "
                f'within quotes: "5"" pipe"'
            ) from error
        if len(lines.latest) > 1:
            _check_lone_quote(path, start, lines, separator, len(cells))
        if any(map(str.strip, cells)) or (len(cells) == 1 and lines.latest[0].strip()):
            yield start, cells


def _span(start: int, lines: _Lines) -> str:
    return f"line {start}" if lines.number <= start else f"lines {start} to {lines.number}"


def _check_lone_quote(path: Path, start: int, lines: _Lines, separator: str, width: int) -> None:
    """Refuse a quoted cell of several lines each of which could be a row of its own."""
    if width > 1 and all(line.count(separator) == width - 1 for line in lines.latest):
        raise TabBenchError(
            f"{path}, {_span(start, lines)}: a quote makes one cell of lines that look like rows "
            f'of their own. Write a quote that belongs to a cell twice, within quotes: "5"" pipe"; '
            f"if the lines are one cell, put a space for its line break"
        )


def _read(path: Path, lines: _Lines, source: Source) -> pd.DataFrame:
    separator = _separator(path, lines, source.separator)
    rows = _rows(path, lines, separator)
    head = _head(path, rows, source, separator)
    first = next(rows, None)
    if first is None:
        raise TabBenchError(f"{path}: no rows")
    table = _Table(path, head, len(first[1]))
    table.add(first)
    for row in rows:
        table.add(row)
    return table.frame(may_have_row_names=source.header and not source.columns)


def _head(
    path: Path, rows: Iterator[tuple[int, list[str]]], source: Source, separator: str
) -> list[str]:
    """Names of the columns; empty texts for those without one."""
    if not source.header:
        if not source.columns:
            raise TabBenchError(f"{path}: without a header 'columns' must name the columns")
        return list(source.columns)
    line, head = next(rows, (1, []))
    if not head:
        raise TabBenchError(f"{path}: empty")
    other = find_separator(head[0])
    if len(head) == 1 and other in head[0]:
        raise TabBenchError(
            f"{path}: one column with the separator {separator!r}; its header looks separated by "
            f"{other!r}: write separator: {other!r}".replace("'\\t'", '"\\t"')
        )
    named = [name.strip() for name in head]
    if not source.columns:
        return named
    while named and not named[-1] and len(named) > len(source.columns):
        named.pop()
    if len(source.columns) != len(named):
        raise TabBenchError(
            f"{path}, line {line}: the header has {len(named)} columns, 'columns' names "
            f"{len(source.columns)}"
        )
    return list(source.columns)


class _Table:
    """Collects rows as columns of compact text; a chunk at a time is held as Python objects."""

    def __init__(self, path: Path, head: Sequence[str], first_width: int) -> None:
        self._path = path
        self._head = head
        self._named = max((at for at, name in enumerate(head, start=1) if name), default=0)
        self._width = max(len(head), first_width)
        self._chunk: list[list[str]] = []
        self._chunk_rows = max(1, _CHUNK_CELLS // self._width)
        self._arrays: list[list[pa.Array]] = [[] for _ in range(self._width)]
        self._surplus_line = 0
        self._without_surplus = 0
        self._rows = 0
        self._last = (0, 0)

    def add(self, row: tuple[int, list[str]]) -> None:
        line, cells = row
        width = len(cells)
        if width < self._named:
            raise self._fault(line, width, "Complete the row, or delete it")
        if width > self._width and any(map(str.strip, cells[self._width :])):
            raise self._fault(line, width, "Quote cells that contain the separator")
        if width == self._named:
            self._without_surplus += 1
        elif not self._surplus_line and any(map(str.strip, cells[len(self._head) :])):
            self._surplus_line = line
        if width != self._width:
            cells = cells[: self._width] + [""] * (self._width - width)
        self._rows += 1
        self._last = line, width
        self._chunk.append(cells)
        if len(self._chunk) >= self._chunk_rows:
            self._pack()

    def frame(self, may_have_row_names: bool) -> pd.DataFrame:
        self._pack()
        columns = [pa.chunked_array(chunks, pa.large_string()) for chunks in self._arrays]
        head = [*self._head, *[""] * (self._width - len(self._head))]
        if self._surplus_line:
            if not (may_have_row_names and self._has_row_names(columns[0])):
                raise self._fault(
                    self._surplus_line, self._width, "Quote cells that contain the separator"
                )
            columns, head = columns[1:], head[:-1]
        elif self._named < self._width and self._is_cut():
            raise TabBenchError(
                f"{self._path}, line {self._last[0]}: the last row ends without the separator "
                f"that ends all others; the file may be cut. Complete the row, or delete it"
            )
        names = [name or UNNAMED.format(at) for at, name in enumerate(head)]
        check_names(self._path, names)
        return pd.DataFrame(
            {
                name: pd.Series(column, dtype="str")
                for name, named, column in zip(names, head, columns, strict=True)
                if named or any(cell.as_py().strip() for cell in column.unique())
            }
        )

    def _pack(self) -> None:
        for arrays, cells in zip(self._arrays, zip(*self._chunk, strict=True), strict=False):
            arrays.append(pa.array(cells, pa.large_string()))
        self._chunk.clear()

    def _is_cut(self) -> bool:
        """Whether the last row alone lacks the empty cell with which the others end."""
        return self._rows > 1 and self._without_surplus == 1 and self._last[1] == self._named

    def _has_row_names(self, first: pa.ChunkedArray) -> bool:
        """Whether each row has one cell more than the header and the first ones number the rows."""
        if not self._width == len(self._head) + 1 == self._named + 1 or self._without_surplus:
            return False
        if len(first.unique()) < len(first):
            return False
        numbers = pd.to_numeric(pd.Series(first, dtype="str"), errors="coerce")
        whole = bool((numbers % 1 == 0).all()) and numbers.is_monotonic_increasing
        return bool(numbers.isna().any()) or whole

    def _fault(self, line: int, width: int, remedy: str) -> TabBenchError:
        cells = "cell" if width == 1 else "cells"
        return TabBenchError(
            f"{self._path}, line {line}: {width} {cells}, expected {self._named}. {remedy}"
        )


def _undecodable(path: Path, encoding: str) -> str:
    """What is wrong where a file is not in its encoding, and how to name the right one."""
    if encoding not in ("utf-8", "utf-8-sig"):
        return f"not in the encoding {encoding}; name another one as 'encoding'"
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                shown = line[max(error.start - 20, 0) : error.end + 20].decode("cp1252", "replace")
                return (
                    f"line {number} is not in UTF-8. Name the file's encoding in its entry, such "
                    f"as encoding: cp1252 (Western Windows), with which the place reads "
                    f"'{shown.strip()}'"
                )
    return "not in UTF-8; name the file's encoding as 'encoding'"
