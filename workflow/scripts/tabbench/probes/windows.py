"""Correctness of an answer: exact for categories, within a window for numbers.

The paper does not state its window. A quarter of the column's standard deviation is ours: the
random baseline of Table IV, recomputed over all cells of its ten datasets at hand, then lies
within 0.04 of the printed one for nine of them (adult: 0.46 against 0.385), as sampling error
of 100 cells would have it. Exact equality gives 0.07 for diabetes and 0.10 for transfusion,
where 0.160 and 0.235 are printed; 5 % of the value gives 0.13 and 0.10.
"""

import re

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from tabbench.core.thinking import without_thought
from tabbench.probes.dataset import written

WINDOW = 0.25
"""Standard deviations of the column to either side."""

_NUMBER = re.compile(
    r"(?<![\w.])[-+−]?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
)
_ECHO = re.compile(r"\s*(?:[:=]|\bis\b)\s*")


def window(column: pd.Series) -> float:
    """Return the largest error that counts as right; 0 for categories."""
    if not is_numeric_dtype(column):
        return 0.0
    return WINDOW * float(np.std(column.dropna()))


def chance(column: pd.Series, truth: object, width: float) -> float:
    """Return the share of the column's values that would be right in place of ``truth``."""
    known = column.dropna()
    if is_numeric_dtype(column):
        return float(_close(known.to_numpy(), float(truth), width).mean())  # type: ignore[arg-type]
    wanted = comparable(written(truth))
    return float((known.map(written).map(comparable) == wanted).mean())


def is_right(answer: str | None, truth: object, width: float, numeric: bool) -> bool:
    """Whether a value read from an answer is right; None never is."""
    if answer is None:
        return False
    if numeric:
        return bool(_close(float(answer), float(truth), width))  # type: ignore[arg-type]
    return comparable(answer) == comparable(written(truth))


def _close(values: object, truth: float, width: float) -> np.ndarray:
    # Slightly wider, so that rounding does not matter.
    return np.abs(np.asarray(values) - truth) <= width * (1 + 1e-9) + 1e-9 * abs(truth)


def comparable(text: str) -> str:
    """Return a category without case, outer quotes and a final full stop."""
    return " ".join(text.split()).strip("\"'`*").removesuffix(".").casefold()


def first_line(text: str) -> str:
    """Return the first line of an answer that holds something; "" where it is all thought."""
    lines = (without_thought(text) or "").split("\n")
    return next((line.strip() for line in lines if line.strip()), "")


def read_value(text: str, name: str, column: pd.Series) -> str | None:
    """Read a value of a column from an answer; None where there is none.

    The first line counts, after an echo of the column's name. A number is the first one in it; a
    category is the line itself, or else the only category of the column that it mentions.
    """
    line = first_line(text)
    if line.casefold().startswith(name.casefold()):
        echo = _ECHO.match(line, len(name))
        line = line[echo.end() :] if echo else line
    if is_numeric_dtype(column):
        found = _NUMBER.search(line)
        return found[0].replace(",", "").replace("−", "-") if found else None
    categories = {comparable(value): value for value in column.dropna().map(written).unique()}
    if comparable(line) in categories:
        return str(categories[comparable(line)])
    mentioned = [
        value
        for key, value in categories.items()
        if re.search(rf"(?<!\w){re.escape(key)}(?!\w)", line.casefold())
    ]
    return str(mentioned[0]) if len(mentioned) == 1 else None
