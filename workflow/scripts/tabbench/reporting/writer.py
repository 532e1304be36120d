"""A table and its three files: .csv with raw numbers, .md and .tex to read."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tabbench.core.spreadsheets import to_csv
from tabbench.reporting.markdown import escape_markdown

DASH = "–"
"""Text for what was not run or is not defined; never a number."""
NOTES_MARK = "<!-- notes -->"
"""Line of the .md file, invisible when rendered, before the notes."""

_TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "±": r"$\pm$",
    "−": r"$-$",
    "Δ": r"$\Delta$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "κ": r"$\kappa$",
    "×": r"$\times$",
    "≠": r"$\neq$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "²": r"$^2$",
    "∞": r"$\infty$",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "–": "--",
}

_LATIN = {*map(chr, range(0x180)), *"‘’“”„…†‡•€"}
"""Characters that LaTeX writes without a font for other scripts."""


@dataclass(frozen=True)
class Table:
    """One table.

    ``rows`` are texts under ``header`` for people; ``numbers`` the same, tidy and unrounded.
    ``bold`` and ``underlined`` hold the places (row, column) of highlighted cells.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: pd.DataFrame
    notes: tuple[str, ...]
    bold: frozenset[tuple[int, int]] = frozenset()
    underlined: frozenset[tuple[int, int]] = frozenset()

    def marked(self, bold: str, underlined: str, escape: Callable[[str], str]) -> list[list[str]]:
        """``rows`` escaped, with marks; each mark has ``{}`` in the place of the text."""
        rows = []
        for number, row in enumerate(self.rows):
            cells = [escape(cell) for cell in row]
            for places, mark in ((self.underlined, underlined), (self.bold, bold)):
                for at in range(len(cells)):
                    if (number, at) in places:
                        cells[at] = mark.replace("{}", cells[at])
            rows.append(cells)
        return rows


def write_table(table: Table, *, csv: str | Path, md: str | Path, tex: str | Path) -> None:
    """Write the three files of a table; equal input gives equal bytes.

    The .tex file is a ``table`` environment and needs the packages booktabs and graphicx.
    """
    for path, text in (
        (csv, to_csv(table.numbers)),
        (md, to_markdown(table)),
        (tex, to_latex(table)),
    ):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


def to_markdown(table: Table) -> str:
    """Return caption, pipe table and notes."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    rule = "|" + "|".join([":---"] + ["---:"] * (len(table.header) - 1)) + "|"
    rows = table.marked("**{}**", "<u>{}</u>", escape_markdown)
    body = [line([escape_markdown(name) for name in table.header]), rule, *map(line, rows)]
    notes = [f"- {escape_markdown(note)}" for note in table.notes]
    caption = escape_markdown(table.caption)
    return "\n".join([f"**{caption}**", "", *body, "", NOTES_MARK, "", *notes, ""])


def to_latex(table: Table) -> str:
    """Return a ``table`` environment with booktabs rules and the notes below."""

    def line(cells: Sequence[str]) -> str:
        # At the start of a row, "[" and "*" would belong to the line break before it.
        guard = "{}" if cells[0].startswith(("[", "*")) else ""
        return guard + " & ".join(cells) + r" \\"

    # A table wider than its page is shrunk to it, a narrow one left alone.
    fit = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    made = "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape_latex(table.caption)}}}",
            fit,
            rf"\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}",
            r"\toprule",
            line([escape_latex(name) for name in table.header]),
            r"\midrule",
            *map(line, table.marked(r"\textbf{{}}", r"\underline{{}}", escape_latex)),
            r"\bottomrule",
            r"\end{tabular}}",
            *(rf"\par\footnotesize\raggedright {escape_latex(note)}." for note in table.notes),
            r"\end{table}",
            "",
        ]
    )
    if beyond := sorted(set(made) - _LATIN):
        made = f"% Needs LuaLaTeX or XeLaTeX and fonts with: {' '.join(beyond)}\n{made}"
    return made


def escape_latex(text: str) -> str:
    """Return ``text`` with everything that LaTeX would read as a command escaped, on one line."""
    plain = " ".join(text.replace("--", "-\0-").split())
    return "".join(_TEX.get(character, character) for character in plain).replace("\0", "{}")


def plural(number: int, noun: str) -> str:
    """Return ``1 model``, ``2 models``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def plus_minus(mean: float, std: float = math.nan, digits: int = 3, signed: bool = False) -> str:
    """Return ``0.712 ± 0.010``; without spread ``0.712``; not defined ``–``.

    Examples
    --------
    >>> plus_minus(0.7124, 0.0101), plus_minus(-0.03, signed=True), plus_minus(float("nan"))
    ('0.712 ± 0.010', '−0.030', '–')
    """
    if math.isnan(mean):
        return DASH
    text = f"{mean:{'+' if signed else ''}.{digits}f}".replace("-", "−")
    return text if math.isnan(std) else f"{text} ± {std:.{digits}f}"


def interval(low: float, high: float, signed: bool = False, digits: int = 3) -> str:
    """Return ``[0.550, 0.670]``; ``[–]`` where it is not defined.

    Examples
    --------
    >>> interval(0.55, 0.67), interval(-0.1, 0.02, signed=True), interval(math.nan, math.nan)
    ('[0.550, 0.670]', '[−0.100, +0.020]', '[–]')
    """
    if math.isnan(low):
        return f"[{DASH}]"
    ends = (plus_minus(end, digits=digits, signed=signed) for end in (low, high))
    return f"[{', '.join(ends)}]"


def p_value(p: float, log10_p: float) -> str:
    """Return ``p = 0.012``, ``p = 3e-07``, or from the logarithm alone where p underflows.

    Examples
    --------
    >>> p_value(0.0123, -1.91), p_value(0.0, -400.3)
    ('p = 0.012', 'p = 1e-400')
    """
    if math.isnan(p):
        return f"p {DASH}"
    if p >= 0.001:
        return f"p = {p:.3f}"
    return f"p = {p:.0e}" if p > 0 else f"p = 1e{math.floor(log10_p + 0.5)}"
