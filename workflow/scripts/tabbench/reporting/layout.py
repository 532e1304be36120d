"""Aggregates as a grid of texts."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import pandas as pd

from tabbench.reporting.writer import DASH, plus_minus

TOO_LONG_MARK = "†"
"""After an aggregate that lacks test rows which do not fit into the model's context."""


def mean_and_spread(cell: Any) -> str:
    """Return an aggregate (a named tuple with ``mean`` and ``std``) as ``0.712 ± 0.010``."""
    return plus_minus(cell.mean, cell.std)


def signed_mean_and_spread(cell: Any) -> str:
    """Return a difference as ``+0.031 ± 0.010``."""
    return plus_minus(cell.mean, cell.std, signed=True)


def grid_row(
    cells: pd.DataFrame,
    column: str | list[str],
    columns: Mapping[Any, str],
    render: Callable[[Any], str] = mean_and_spread,
) -> tuple[str, ...]:
    """Return one text for each key of ``columns``; an en dash where ``cells`` has no row.

    A cell with ``n_too_long`` above 0 is marked; `notes.too_long_notes` says what that means.

    Parameters
    ----------
    cells : DataFrame, one row per key of this table row
    column : name (or names) of the column that holds the keys
    columns : heading by key, in order
    render : from a row of ``cells``, as named tuple, to its text
    """
    names = [column] if isinstance(column, str) else column
    texts: dict[Hashable, str] = {}
    for cell in cells.itertuples(index=False):
        key = tuple(getattr(cell, name) for name in names)
        mark = f" {TOO_LONG_MARK}" if getattr(cell, "n_too_long", 0) else ""
        texts[key[0] if isinstance(column, str) else key] = render(cell) + mark
    return tuple(texts.get(key, DASH) for key in columns)
