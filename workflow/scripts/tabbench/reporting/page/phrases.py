"""Phrases for numbers: values, counts, ranges and changes."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from tabbench.reporting.writer import plural, plus_minus


def value(cell: "pd.Series[Any]") -> str:
    """Return an aggregate (``mean``, ``std``) as ``0.712 ± 0.010``."""
    return plus_minus(cell["mean"], cell["std"])


def signed(number: float) -> str:
    """Return ``+0.031``."""
    return plus_minus(number, signed=True)


def times(ratio: float) -> str:
    """Return ``2.4`` for 2.4 times."""
    return f"{ratio:.1f}"


def n_examples(k: int) -> str:
    """Return ``1 example``, ``16 examples``."""
    return plural(int(k), "example")


def n_datasets(counts: Iterable[int]) -> str:
    """Return ``n = 4 datasets``, or ``n = 2 to 4 datasets`` where counts differ.

    Examples
    --------
    >>> n_datasets([1]), n_datasets([4, 2])
    ('n = 1 dataset', 'n = 2 to 4 datasets')
    """
    numbers = [int(count) for count in counts]
    low, high = min(numbers), max(numbers)
    return f"n = {'' if low == high else f'{low} to '}{plural(high, 'dataset')}"


def low_to_high(numbers: "pd.Series[Any]", render: Callable[[float], str]) -> str:
    """Return the range of ``numbers``; one value where both ends read the same."""
    low, high = render(numbers.min()), render(numbers.max())
    return low if low == high else f"{low} to {high}"


def whose(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """Name the models of a mean."""
    shown = list(cells["model"].unique())
    if len(shown) == 1:
        return f" of {models[shown[0]]}"
    return f", averaged over {len(shown)} models,"


def changes(gains: "pd.Series[Any]", models: Mapping[str, str]) -> str:
    """Describe a change, for one model or from the smallest to the largest of several.

    Parameters
    ----------
    gains : change by model id, none of them NaN
    models : display name by id
    """
    ordered = gains.sort_values()
    names = [models[str(name)] for name in ordered.index]
    low, high = signed(ordered.iloc[0]), signed(ordered.iloc[-1])
    if len(names) == 1:
        return f"of {names[0]} changes by {low}"
    return (
        f"changes by {low} ({names[0]}) to {high} ({names[-1]}), by {signed(gains.mean())} on "
        f"average over {len(names)} models"
    )


def versus(difference: float) -> str:
    """Return ``0.120 more``, ``0.120 less``, or ``the same`` where three digits are."""
    shown = f"{abs(difference):.3f}"
    if float(shown) == 0:
        return "the same"
    return f"{shown} {'more' if difference > 0 else 'less'}"
