"""Numbers as people write them, and where a cell is none."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tabbench.config.dataset_entry import NumberStyle
from tabbench.core.errors import TabBenchError
from tabbench.core.numbers import EXACT_BELOW, keeps_integer_part

POINT = NumberStyle()
"""The style of programs: a decimal point and nothing between digits."""
STYLES = (
    *(NumberStyle(".", mark) for mark in (None, ",", " ", "'", "_")),
    *(NumberStyle(",", mark) for mark in (None, ".", " ", "'")),
)
"""Ways to write numbers, for guesses and hints."""
MISSING_WORDS = ("", "?", "-", ".", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")
"""Words that often mean a missing value, for guesses and hints."""
LARGEST = 3.4e38
"""Largest magnitude of a number: that of 32-bit floats, which some models compute with."""
NO_NUMBER = "that cannot be read as a number"
TOO_LONG = "with more digits than a number can hold"
_FIRST = 100
_SPACES = " \u00a0\u2009\u202f"


def _pattern(style: NumberStyle) -> str:
    mark = style.thousands or ""
    groups = "[" + (_SPACES if mark == " " else re.escape(mark)) + "]"
    whole = rf"[1-9]\d{{0,2}}(?:{groups}\d{{2,3}})*{groups}\d{{3}}|\d+" if mark else r"\d+"
    point = re.escape(style.decimal)
    return rf"[+-]?(?:(?:{whole})(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?"


def plain(cells: pd.Series, style: NumberStyle) -> pd.Series:
    """Write numbers of a style with a decimal point and nothing else; NaN where a cell is none."""
    if style == POINT:
        return cells
    numbers = cells.where(cells.str.fullmatch(_pattern(style)))
    if style.thousands:
        marks = _SPACES if style.thousands == " " else style.thousands
        numbers = numbers.str.translate(dict.fromkeys(map(ord, marks)))
    return numbers.str.replace(style.decimal, ".", regex=False)


def to_numbers(cells: pd.Series, style: NumberStyle = POINT) -> pd.Series:
    """Numbers of text cells without outer spaces, float64; NaN where a cell is no number."""
    cells = plain(cells, style)
    try:  # many times as fast and small as what follows, with the same result
        values = pc.cast(pa.array(cells.array), pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        codes, distinct = pd.factorize(cells)
        # float() rounds correctly, which pandas does not where exponents are large.
        found = pd.to_numeric(pd.Series(distinct, dtype="str"), errors="coerce").notna()
        numbers = [
            float(text) if is_number else np.nan
            for text, is_number in zip(distinct, found, strict=True)
        ]
        values = np.array([*numbers, np.nan])[codes]  # a missing cell has the code -1
    return pd.Series(values, index=cells.index, name=cells.name, dtype="float64")


def other_style(cells: pd.Series, style: NumberStyle = POINT) -> NumberStyle | None:
    """Another style in which all cells but missing ones are numbers; None where there is none."""
    known = pd.Series(cells.unique(), dtype="str")
    known = known[~known.isin(MISSING_WORDS)]

    def fits(one: NumberStyle) -> bool:
        return all(to_numbers(part, one).notna().all() for part in (known.head(_FIRST), known))

    return None if fits(style) else next(filter(fits, STYLES), None)


def not_held(cells: pd.Series, numbers: pd.Series, style: NumberStyle) -> pd.Series:
    """Cells with so many digits before the decimal mark that a float would change them."""
    large = cells[(numbers.abs() >= EXACT_BELOW) & (numbers.abs() <= LARGEST)]
    return large[[not keeps_integer_part(text) for text in plain(large, style)]]


def has_leading_zeros(cells: pd.Series) -> bool:
    """Whether whole numbers are written with leading zeros, as codes are."""
    return bool(cells.str.fullmatch(r"[+-]?0\d+").any())


def require_numbers(place: str, cells: pd.Series, style: NumberStyle) -> pd.Series:
    """Numbers of the cells of a column, none of which is missing.

    Raises
    ------
    TabBenchError
        When a cell is no number, or too large; the message begins with ``place``.
    """
    numbers = to_numbers(cells, style)
    broken, large = cells[numbers.isna()], cells[numbers.abs() > LARGEST]
    if len(broken):
        remedy = misread(cells, numbers, style) or (
            "declare the column categorical, or the spelling as missing"
        )
        raise TabBenchError(f"{place} '{cells.name}' has {counted(broken)} {NO_NUMBER}; {remedy}")
    if len(large):
        raise TabBenchError(
            f"{place} '{cells.name}' has {counted(large)} beyond ±{LARGEST:g} or infinite; if that "
            f"means unknown, name the spelling under missing, else drop the rows or declare the "
            f"column categorical"
        )
    return numbers


def misread(cells: pd.Series, numbers: pd.Series, style: NumberStyle) -> str | None:
    """What to write into the entry where cells are no numbers in ``style`` but clearly meant so."""
    broken = cells[numbers.isna()]
    if not len(broken):
        return None
    if (other := other_style(cells, style)) not in (None, POINT):
        return f"in another style all are, so write {other} into the entry"
    if other == POINT:
        return "with a decimal point all are, so remove decimal and thousands from the entry"
    if numbers.notna().any() and broken.isin(MISSING_WORDS).all():
        return f"name {', '.join(sorted(map(repr, broken.unique())))} under missing in the entry"
    return None


def counted(cells: pd.Series) -> str:
    """Return such as ``3 cells ('x' in row 7 the first)``; rows of the file count from 1."""
    first = f"{cells.iloc[0][:40]!r} in row {cells.index[0] + 1}"
    return f"1 cell ({first})" if len(cells) == 1 else f"{len(cells):,} cells ({first} the first)"
