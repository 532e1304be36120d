"""CSV files that people open in a spreadsheet, and those that come back from one."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
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
        cells = list(frame.iloc[:, at])
        if any(map(_is_formula, cells)):
            inert = [f"'{cell}" if _is_formula(cell) else cell for cell in cells]
            safe[name] = pd.Series(inert, index=frame.index, dtype="object")
    return safe.to_csv(index=False, lineterminator="\n")


def read_csv(path: Path, **options: Any) -> pd.DataFrame:
    """Read a CSV that a person edited: with a byte-order mark or not, with ``,`` or ``;``.

    Raises
    ------
    OSError, ValueError
        As ``pandas.read_csv`` does, and when rows are longer than the header.
    """
    with path.open(encoding="utf-8-sig") as file:
        head = file.readline()
    separator = ";" if head.count(";") > head.count(",") else ","
    options |= {"sep": separator, "encoding": "utf-8-sig"}
    frame: pd.DataFrame = pd.read_csv(path, **options)
    if isinstance(frame.index, pd.RangeIndex):
        return frame
    # The rows are longer than the header, and pandas took their first cells for an index.
    if not frame.iloc[:, -1].isin([np.nan, ""]).all():
        raise ValueError("rows have more cells than the header")
    with warnings.catch_warnings(action="ignore", category=pd.errors.ParserWarning):
        whole: pd.DataFrame = pd.read_csv(path, index_col=False, **options)
    return whole


def _is_formula(cell: object) -> bool:
    if not isinstance(cell, str) or len(cell) < 2 or not cell.startswith(_FORMULA):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False
