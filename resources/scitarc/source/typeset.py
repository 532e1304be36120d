"""Pieces of LaTeX tables, in the many manners that papers write them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from published import read


@dataclass(frozen=True)
class Style:
    """Rules and the end of a row; without a bottom rule the last row ends with the table."""

    top: str
    middle: str
    bottom: str
    row_end: str = r"\\"


BOOKTABS = Style(r"\toprule", r"\midrule", r"\bottomrule")
LINES = Style(r"\hline", r"\hline", r"\hline")
OPEN = Style(r"\hline", r"\hline", "")
NAMED_END = Style(r"\toprule", r"\midrule", r"\bottomrule", r"\tabularnewline")


def row(cells: Iterable[str]) -> str:
    return " & ".join(cells)


def tabular(
    columns: str, head: Sequence[str], body: Sequence[str], style: Style, begin: str = "tabular"
) -> list[str]:
    """Lines of a tabular.

    Parameters
    ----------
    head, body : rows without their ends; lines that begin with a rule or a comment, or have
        an end, stay as they are
    begin : environment, with a width where it has one: ``tabularx}{\\textwidth``
    """
    rows = [_ended(line, style) for line in body]
    if not style.bottom:
        rows[-1] = body[-1]
    lines = [
        f"\\begin{{{begin}}}{{{columns}}}",
        style.top,
        *(_ended(line, style) for line in head),
        style.middle,
        *rows,
        style.bottom,
        f"\\end{{{begin.split('}')[0]}}}",
    ]
    return [line for line in lines if line]


def _ended(line: str, style: Style) -> str:
    whole = line.startswith(
        ("%", r"\midrule", r"\hline", r"\cmidrule", r"\cline", r"\addlinespace")
    )
    return line if whole or r"\\%" in line else f"{line} {style.row_end}"


def table(
    caption: str,
    label: str,
    body: Sequence[str],
    *,
    wide: bool = False,
    small: str = "",
    caption_below: bool = False,
) -> list[str]:
    """Lines of a table environment, each with its line break."""
    name = "table*" if wide else "table"
    heading = [f"\\caption{{{caption}}}", f"\\label{{tab:{label}}}"]
    middle = [*body, *heading] if caption_below else [*heading, *body]
    lines = [f"\\begin{{{name}}}[t]", r"\centering", *([small] if small else []), *middle]
    return [f"{line}\n" for line in [*lines, f"\\end{{{name}}}"]]


def escaped(text: str) -> str:
    return text.replace("_", r"\_").replace("%", r"\%").replace("&", r"\&")


def typewriter(name: str) -> str:
    return f"\\texttt{{{escaped(name)}}}"


def bold(text: str, when: bool = True) -> str:
    return f"\\textbf{{{text}}}" if when else text


def signed(text: str) -> str:
    return f"${text}$"


def plus_minus(name: str, *keys: str, form: str = "math") -> dict[tuple[str, ...], str]:
    """``mean`` and ``std`` of one file as cells, in one of three manners."""
    patterns = {
        "math": r"${mean} \pm {std}$",
        "text": r"{mean} $\pm$ {std}",
        "small": r"{mean}{{\scriptsize$\pm${std}}}",
    }
    return {
        tuple(line[key] for key in keys): patterns[form].format(mean=line["mean"], std=line["std"])
        for line in read(name)
    }
