"""Table rows as text, in the five formats of the paper (Appendix B), and back again.

A cell is its text, or None when the value is missing. Ordinary text is written as it is. Text
that a reader of the format could take for something else (empty, the missing word, outer
space, control characters, a separator) is written as a JSON string; ``|`` in a markdown table
is written ``\\|``, and ``&`` and ``<`` in an HTML one become entities. So every row is one
line, and what is written parses back to the same names and cells.
"""

import html
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from tabbench.core.errors import TabBenchError, closest

Cell = str | None

MISSING = "missing"
"""How a missing value is written; a category that is spelled so is written in quotes."""

# C0 and C1 control characters and Unicode's line and paragraph separators: with these escaped,
# no text can break a line, whoever splits it.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def format_number(value: float | np.integer[Any] | np.floating[Any]) -> str:
    """Write a number: integers whole, others to six significant digits and at least two decimals.

    So no digit before the decimal point is lost. No exponent stands between 1e-4 and 1e22 in
    magnitude, and zero has no sign. A float of 2^53 or more has the fewest digits that tell it
    from its neighbours.

    Examples
    --------
    >>> [format_number(x) for x in (2174.0, -0.0, 0.1 + 0.2, 1234567.8, 0.00012, 1e-5)]
    ['2174', '0', '0.3', '1234567.8', '0.00012', '1e-05']
    >>> format_number(4147202158431691.0)
    '4147202158431691'
    """
    if isinstance(value, int | np.integer):
        return str(int(value))
    number = float(value)
    if not number.is_integer():
        number = round(number, 2) if abs(number) >= 1e4 else float(f"{number:.6g}")
    if number == 0 or 1e-4 <= abs(number) < 1e22:
        return np.format_float_positional(number + 0.0, trim="-")
    return repr(number)


def format_cell(value: Any) -> Cell:
    """Return the text of a table's value, or None for NaN, None, pd.NA and NaT.

    Booleans become True and False, numbers follow `format_number`, text stays as it is, and
    anything else (a date, say) is its ``str``.
    """
    if isinstance(value, str):
        return str(value)
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | float | np.integer | np.floating):
        return format_number(value)
    return str(value)


def _quote(text: str) -> str:
    """Write text as a JSON string in one line, non-Latin letters as they are."""
    escaped = json.dumps(text, ensure_ascii=False)
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", escaped)


def _write(cell: Cell, stops: tuple[str, ...] = ()) -> str:
    """Write a cell or a name; ``stops`` are the separators that may follow it."""
    if cell is None:
        return MISSING
    special = cell in ("", MISSING) or cell[0] == '"' or cell != cell.strip()
    hides_stop = any(_find_stop(cell + stop, 0, stops) < len(cell) for stop in stops)
    return _quote(cell) if special or hides_stop or _CONTROL.search(cell) else cell


def _read(text: str) -> Cell:
    """Invert `_write` for a text that holds one cell and nothing else."""
    if text.startswith('"'):
        return str(json.loads(text))
    return None if text == MISSING else text


def _read_name(text: str) -> str:
    """Read a column's name, which is never missing: `_write` quotes the missing word."""
    name = _read(text)
    if name is None:
        raise ValueError
    return name


def _find_stop(text: str, start: int, stops: tuple[str, ...]) -> int:
    """Return the position of the first separator at or after ``start``; -1 where none is."""
    found = [at for at in (text.find(stop, start) for stop in stops) if at >= 0]
    return min(found, default=-1)


@dataclass(frozen=True)
class ParsedRow:
    """A row read back: column names (the masks, in masked formats), cells, and the label.

    ``label`` is None for a query, whose label is not written.
    """

    columns: list[str]
    cells: list[Cell]
    label: int | None


@dataclass(frozen=True)
class Serialization(ABC):
    """A text format of table rows.

    The prompt is ``head``, then a demonstration (``row`` and ``close``) for each labelled
    example, then the ``row`` to classify, which ends where its label belongs.
    """

    name: str
    masked: bool

    def names(self, columns: Sequence[str]) -> list[str]:
        """Return the column names that are written: the given ones, or x_1, ..., x_d."""
        return [f"x_{i}" for i in range(1, len(columns) + 1)] if self.masked else list(columns)

    @property
    def label_name(self) -> str:
        """The name of the label's column."""
        return "y" if self.masked else "answer"

    @abstractmethod
    def head(self, columns: Sequence[str]) -> str:
        """Return the text before the first row."""

    def row(self, columns: Sequence[str], cells: Sequence[Cell]) -> str:
        """Write a row up to the place of its label, without any line break."""
        pieces = (
            self.piece(name, cell)
            for name, cell in zip(self.cell_names(columns), cells, strict=True)
        )
        return self.join(pieces)

    @abstractmethod
    def cell_names(self, columns: Sequence[str]) -> list[str]:
        """Return what `piece` writes before the cells of each column: names or nothing."""

    @abstractmethod
    def piece(self, name: str, cell: Cell) -> str:
        """Write one cell of a row; ``name`` is one of `cell_names`."""

    @abstractmethod
    def join(self, pieces: Iterable[str]) -> str:
        """Make a row of its pieces."""

    @abstractmethod
    def close(self, label: int) -> str:
        """Return what follows the row of a demonstration: its label and the row's end."""

    def parse(self, head: str, text: str) -> ParsedRow:
        """Read a row (or a demonstration: row and close) that was written under ``head``.

        Raises
        ------
        TabBenchError
            When the text is not such a row.
        """
        try:
            columns, cells = self._split(head, text)
            if len(columns) == len(cells) and self.head(columns) == head:
                row = self.row(columns, cells)
                for label in (None, 0, 1):
                    if text == row + ("" if label is None else self.close(label)):
                        return ParsedRow(columns, cells, label)
        except ValueError:
            pass  # not JSON where a quoted text should be, or a separator that is not there
        raise TabBenchError(
            f"serialization '{self.name}': not a row that this format writes under its head: "
            f"{text!r}; serialize the table again"
        )

    @abstractmethod
    def _split(self, head: str, text: str) -> tuple[list[str], list[Cell]]:
        """Read names and cells; `parse` checks that they are written just so."""


class _FeatureValue(Serialization):
    """``Features are: age = 39, gain = 2174. Answer is 0.``"""

    _start = "Features are: "

    @property
    def _cue(self) -> str:
        return f". Answer is: {self.label_name} = " if self.masked else ". Answer is "

    @property
    def _stops(self) -> tuple[str, ...]:
        return (" = ", ", ", self._cue)

    def head(self, columns: Sequence[str]) -> str:  # noqa: ARG002
        return ""

    def cell_names(self, columns: Sequence[str]) -> list[str]:
        return [f"{_write(name, self._stops)} = " for name in self.names(columns)]

    def piece(self, name: str, cell: Cell) -> str:
        return f"{name}{_write(cell, self._stops)}"

    def join(self, pieces: Iterable[str]) -> str:
        return f"{self._start}{', '.join(pieces)}{self._cue}"

    def close(self, label: int) -> str:
        return f"{label}.\n"

    def _split(self, head: str, text: str) -> tuple[list[str], list[Cell]]:  # noqa: ARG002
        columns: list[str] = []
        cells: list[Cell] = []
        at = len(self._start)
        while True:
            name, at = self._token(text, at)
            cell, at = self._token(text, at + len(" = "))
            columns.append(_read_name(name))
            cells.append(_read(cell))
            if not text.startswith(", ", at):
                return columns, cells
            at += len(", ")

    def _token(self, text: str, start: int) -> tuple[str, int]:
        """Return the written cell or name at ``start`` and where it ends."""
        if text.startswith('"', start):
            end = json.JSONDecoder().raw_decode(text, start)[1]
        else:
            end = _find_stop(text, start, self._stops)
        if end < 0:
            raise ValueError
        return text[start:end], end


class _Markdown(Serialization):
    """A table with one head line, one separator line, and one line for each row."""

    def head(self, columns: Sequence[str]) -> str:
        names = [*self.names(columns), self.label_name]
        line = self.join(self.piece("", name) for name in names).rstrip(" ")
        return f"{line}\n{'|---' * len(names)}|\n"

    def cell_names(self, columns: Sequence[str]) -> list[str]:
        return [""] * len(columns)

    def piece(self, name: str, cell: Cell) -> str:  # noqa: ARG002
        return _write(cell).replace("|", "\\|")

    def join(self, pieces: Iterable[str]) -> str:
        return f"| {' | '.join(pieces)} | "

    def close(self, label: int) -> str:
        return f"{label} |\n"

    @staticmethod
    def _texts(line: str) -> list[str]:
        # A separator follows a space, so a pipe after a backslash is always a cell's own.
        parts = re.split(r"(?<!\\)\|", line)[1:-1]
        return [part[1:-1].replace("\\|", "|") for part in parts]

    def _split(self, head: str, text: str) -> tuple[list[str], list[Cell]]:
        columns = [_read_name(name) for name in self._texts(head.split("\n")[0])[:-1]]
        return columns, [_read(cell) for cell in self._texts(text)[: len(columns)]]


class _Html(Serialization):
    """A table with one head row; one line for each row."""

    def head(self, columns: Sequence[str]) -> str:
        names = [*self.names(columns), self.label_name]
        heads = (self._tagged(name, "th") for name in names)
        return f"<table><tr>{''.join(heads)}</tr>\n"

    def cell_names(self, columns: Sequence[str]) -> list[str]:
        return [""] * len(columns)

    def piece(self, name: str, cell: Cell) -> str:  # noqa: ARG002
        return self._tagged(cell, "td")

    def join(self, pieces: Iterable[str]) -> str:
        return f"<tr>{''.join(pieces)}<td>"

    def close(self, label: int) -> str:
        return f"{label}</td></tr>\n"

    @staticmethod
    def _tagged(cell: Cell, tag: str) -> str:
        # ">" needs no entity in HTML text, and values such as ">50K" stay readable.
        text = _write(cell).replace("&", "&amp;").replace("<", "&lt;")
        return f"<{tag}>{text}</{tag}>"

    @staticmethod
    def _texts(line: str, tag: str) -> list[str]:
        return [html.unescape(text) for text in re.findall(f"<{tag}>([^<]*)</{tag}>", line)]

    def _split(self, head: str, text: str) -> tuple[list[str], list[Cell]]:
        columns = [_read_name(name) for name in self._texts(head, "th")[:-1]]
        return columns, [_read(cell) for cell in self._texts(text, "td")[: len(columns)]]


SERIALIZATIONS: dict[str, Serialization] = {
    serialization.name: serialization
    for serialization in (
        _FeatureValue("feat_val", masked=False),
        _FeatureValue("feat_val_mask", masked=True),
        _Markdown("markdown", masked=False),
        _Markdown("markdown_mask", masked=True),
        _Html("html", masked=False),
    )
}
"""The formats, by name; a new one is a subclass of `Serialization` and an entry here."""


def find_serialization(name: str) -> Serialization:
    """Return the format called ``name``; TabBenchError when there is none."""
    if name not in SERIALIZATIONS:
        raise TabBenchError(f"no serialization '{name}': {closest(name, SERIALIZATIONS)}")
    return SERIALIZATIONS[name]


def serialize_frame(frame: pd.DataFrame, serialization: Serialization) -> tuple[str, list[str]]:
    """Write a table of features.

    Parameters
    ----------
    frame : DataFrame, shape (n_rows, d)
        Features only, in the order in which they are written.
    serialization : Serialization
        The format.

    Returns
    -------
    head : str
        The text before the first row; "" where the format has none.
    rows : list of str, length n_rows
        Each row up to the place of its label.
    """
    columns = [str(column) for column in frame.columns]
    names = serialization.cell_names(columns)
    pieces = [
        _column_pieces(frame.iloc[:, j], partial(serialization.piece, name))
        for j, name in enumerate(names)
    ]
    return serialization.head(columns), list(map(serialization.join, zip(*pieces, strict=True)))


def _column_pieces(column: pd.Series, write: Callable[[Cell], str]) -> list[str]:
    """Write all cells of a column, each distinct value once."""
    if not (is_numeric_dtype(column) or isinstance(column.dtype, pd.StringDtype)):
        # Objects of several types may be equal and yet be written differently: 1 and True.
        return [write(format_cell(value)) for value in column]
    codes, values = pd.factorize(column)  # a missing value has the code -1: the last piece
    texts = [*(write(format_cell(value)) for value in values), write(None)]
    return [texts[code] for code in codes.tolist()]
