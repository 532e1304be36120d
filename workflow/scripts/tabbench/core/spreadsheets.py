"""CSV files that people open in a spreadsheet, and those that come back from one."""

from pathlib import Path
from typing import Any

import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters with which a spreadsheet takes a cell for a formula."""


def to_csv(frame: pd.DataFrame) -> str:
    """Write a table as CSV in which no cell is a formula.

    Texts of models or datasets may begin like one. Such a text gets an apostrophe in front, unless
    it is a number.
    """
    safe = frame.copy()
    for at, name in enumerate(frame.columns):
        cells = frame.iloc[:, at]
        formulas = [_is_formula(cell) for cell in cells]
        if any(formulas):
            safe[name] = cells.astype("object").mask(formulas, [f"'{cell}" for cell in cells])
    return safe.to_csv(index=False, lineterminator="\n")


def read_csv(path: Path, **options: Any) -> pd.DataFrame:
    """Read a CSV that a person edited: with a byte-order mark or not, with ``,`` or ``;``.

    Raises
    ------
    OSError, ValueError
        As ``pandas.read_csv`` does.
    """
    with path.open(encoding="utf-8-sig") as file:
        head = file.readline()
    separator = ";" if head.count(";") > head.count(",") else ","
    # Without index_col, a separator at the end of each row would shift the columns.
    return pd.read_csv(path, sep=separator, encoding="utf-8-sig", index_col=False, **options)


def _is_formula(cell: object) -> bool:
    if not isinstance(cell, str) or len(cell) < 2 or not cell.startswith(_FORMULA):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False
