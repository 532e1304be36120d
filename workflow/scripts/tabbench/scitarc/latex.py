"""Grids of cells from LaTeX tables, as LaTeX itself would set them.

A row ends at ``\\\\`` or ``\\tabularnewline`` outside of braces and inner environments, or with the
environment; a cell ends at an unescaped ``&``. So the breaks of ``\\makecell`` and of a tabular
inside a cell make no rows, ``\\%`` starts no comment and ``\\&`` ends no cell.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tabbench.core.errors import TabBenchError

_COMMENT = re.compile(
    r"(?P<kept>\\(?:url|path|href)\s*\{[^{}]*\}|\\verb\*?(?P<mark>[^a-zA-Z\s*])[^\n]*?(?P=mark)"
    r"|\\.)|%[^\n]*(?:\n[ \t]*|\Z)"
)
_UNSEEN = re.compile(
    r"\\iffalse(?![a-zA-Z]).*?\\(?:fi|else)(?![a-zA-Z])|\\begin\s*\{comment\}.*?\\end\s*\{comment\}",
    re.DOTALL,
)
_BEGIN = re.compile(r"\\begin\s*\{(\w+\*?)\}")
_WIDTH_FIRST = {
    *("tabular*", "tabularx", "tabulary", "xltabular", "supertabular*", "xtabular*"),
    *("NiceTabular*", "NiceTabularX"),
}
GRIDS = {
    *("tabular", "array", "longtable", "supertabular", "xtabular", "tabu", "longtabu"),
    *("tblr", "longtblr", "talltblr", "NiceTabular", *_WIDTH_FIRST),
}
"""Environments that set a grid of cells."""
_TABU_WIDTH = re.compile(r"\s*(?:to|spread)(?![a-z])[^{]*")
_OPTIONS = re.compile(r"\s*\[[^\]]*\]")
_TOKEN = re.compile(
    r"\\begin\s*\{(?P<begin>\w+\*?)\}|\\end\s*\{(?P<end>\w+\*?)\}"
    r"|(?P<row>\\\\\*?(?:\s*\[[^\]]*\])?|\\(?:tabularnewline|cr|crcr)(?![a-zA-Z]))"
    r"|\\verb\*?(?P<mark>[^a-zA-Z\s*])[^\n]*?(?P=mark)"
    r"|\\[a-zA-Z@]+|\\.|(?P<open>\{)|(?P<close>\})|(?P<cell>&)",
    re.DOTALL,
)
_RULE = re.compile(
    r"\s*\\(?!(?:under|over|new|base|u|uu|dashu|dotu)line(?![a-zA-Z]))"
    r"(?:[a-zA-Z]*(?:rule|line|hlineB)|addlinespace|morecmidrules|noalign|rowcolor|arrayrulecolor"
    r"|endhead|endfirsthead|endfoot|endlastfoot|caption|label)(?![a-zA-Z])"
    r"(?:\s*(?:\([^)]*\)|\[[^\]]*\]|\{(?:[^{}]|\{[^{}]*\})*\}))*"
)


@dataclass(frozen=True)
class Cell:
    """``text`` is LaTeX without the span commands; a span of one row and column is plain."""

    text: str
    row: int
    column: int
    row_span: int = 1
    column_span: int = 1


@dataclass(frozen=True)
class Grid:
    """The cells of one tabular, in reading order; what a multirow covers is among them, empty."""

    cells: tuple[Cell, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; a short row counts as filled up, as LaTeX sets it."""
        rows = max((cell.row + 1 for cell in self.cells), default=0)
        return rows, max((cell.column + cell.column_span for cell in self.cells), default=0)

    @property
    def size(self) -> int:
        rows, columns = self.shape
        return rows * columns

    def to_rows(self) -> list[list[str]]:
        """The rectangle of texts; a merged cell's text stands at each place that it covers."""
        rows, columns = self.shape
        texts = [[""] * columns for _ in range(rows)]
        for cell in sorted(self.cells, key=lambda cell: cell.row_span * cell.column_span):
            for row in range(cell.row, min(cell.row + cell.row_span, rows)):
                for column in range(cell.column, cell.column + cell.column_span):
                    texts[row][column] = cell.text or texts[row][column]
        return texts


def parse_grids(latex: str) -> tuple[Grid, ...]:
    """All grids of a LaTeX text that are not inside a cell of another.

    Parameters
    ----------
    latex : a table environment, say, with caption, rules and comments

    Raises
    ------
    TabBenchError
        When an environment or a brace inside of it is not closed; the message names it.

    Examples
    --------
    >>> parse_grids(r"\\begin{tabular}{ll} a & b \\\\ \\hline 1\\% & \\end{tabular}")[0].to_rows()
    [['a', 'b'], ['1\\\\%', '']]
    """
    text = _COMMENT.sub(lambda found: found["kept"] or "", latex)
    text = _UNSEEN.sub("", text)
    grids = []
    at = 0
    while begin := _BEGIN.search(text, at):
        at = begin.end()
        if begin[1] in GRIDS:
            body, at = _rows(text, _after_arguments(text, begin), begin[1])
            grids.append(_grid(body))
    return tuple(grids)


def _after_arguments(text: str, begin: re.Match[str]) -> int:
    """Where the rows start: behind a width, a position and the column specification."""
    at = begin.end()
    if begin[1] in ("tabu", "longtabu") and (width := _TABU_WIDTH.match(text, at)):
        at = width.end()
    arguments = 2 if begin[1] in _WIDTH_FIRST else 1
    while arguments:
        at += len(text[at:]) - len(text[at:].lstrip())
        if text.startswith("[", at):
            at = text.find("]", at) + 1 or len(text)
        elif text.startswith("{", at):
            at = _closing(text, at, begin[1])
            arguments -= 1
        else:
            raise TabBenchError(f"LaTeX: \\begin{{{begin[1]}}} has no column specification")
    if begin[1].startswith("Nice") and (options := _OPTIONS.match(text, at)):
        at = options.end()
    return at


def _closing(text: str, at: int, what: str) -> int:
    """The place behind the brace that closes the one at ``at``."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += bool(token["open"]) - bool(token["close"])
        if depth == 0:
            return token.end()
    raise TabBenchError(f"LaTeX: a brace after '{what}' is not closed")


def _rows(text: str, start: int, name: str) -> tuple[list[list[str]], int]:
    """Raw cells of each row up to the environment's end, and the place behind it."""
    rows: list[list[str]] = [[]]
    braces = environments = 0
    since = start
    for token in _TOKEN.finditer(text, start):
        braces += bool(token["open"]) - bool(token["close"])
        environments += bool(token["begin"]) - bool(token["end"])
        outermost = braces == 0 and environments == 0
        if environments < 0:
            if braces:
                raise TabBenchError(f"LaTeX: braces do not match inside of '{name}'")
            rows[-1].append(text[since : token.start()])
            return rows, token.end()
        if outermost and (token["cell"] or token["row"]):
            rows[-1].append(text[since : token.start()])
            since = token.end()
            if token["row"]:
                rows.append([])
    raise TabBenchError(f"LaTeX: environment '{name}' is not closed")


def _grid(rows: list[list[str]]) -> Grid:
    cells: list[Cell] = []
    number = 0
    for raw in rows:
        first = _without_rules(raw[0])
        if len(raw) == 1 and not first.strip():
            continue  # a rule, or space between rows
        column = 0
        for text in (first, *raw[1:]):
            cell = _spanned(text.strip(), number, column)
            cells.append(cell)
            column += cell.column_span
        number += 1
    return Grid(tuple(_upwards(cells)))


def _without_rules(text: str) -> str:
    while rule := _RULE.match(text):
        text = text[rule.end() :]
    return text


_SPAN = re.compile(r"\\(multicolumn|multirow|multirowcell|multirowthead)(?![a-zA-Z])\s*")


def _spanned(text: str, row: int, column: int) -> Cell:
    """A cell with its spans; \\multirow may stand inside \\multicolumn and the other way round.

    The row span is negative when the cell covers rows above.
    """
    spans = {"row": 1, "column": 1}
    while span := _SPAN.match(text):
        arguments, end = _arguments(text, span.end(), 2 if span[1] in _SHORT else 3)
        count = re.search(r"-?\d+", arguments[0])
        if count is None:
            break
        spans["column" if span[1] == "multicolumn" else "row"] = int(count[0]) or 1
        text = (arguments[-1] + text[end:]).strip()
    return Cell(text, row, column, spans["row"], max(1, spans["column"]))


_SHORT = {"multirowcell", "multirowthead"}


def _arguments(text: str, at: int, count: int) -> tuple[list[str], int]:
    """``count`` arguments in braces, those in brackets skipped; ``*`` and ``=`` may stand bare."""
    found: list[str] = []
    while len(found) < count:
        at += len(text[at:]) - len(text[at:].lstrip())
        if text.startswith("[", at):
            at = text.find("]", at) + 1 or len(text)
        elif text.startswith("{", at):
            end = _closing(text, at, "span")
            found.append(text[at + 1 : end - 1])
            at = end
        elif at < len(text):
            found.append(text[at])
            at += 1
        else:
            raise TabBenchError(f"LaTeX: a span with too few arguments: {text[:60]!r}")
    return found, at


def _upwards(cells: list[Cell]) -> Iterator[Cell]:
    """Cells that span rows above start at the topmost of them."""
    for cell in cells:
        if cell.row_span < 0:
            top = max(0, cell.row + cell.row_span + 1)
            span = cell.row - top + 1
            yield Cell(cell.text, top, cell.column, span, cell.column_span)
        else:
            yield cell
