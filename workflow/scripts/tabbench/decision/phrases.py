"""Phrases of the decision page: numbers, intervals and counts as its sentences write them."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from tabbench.reporting.writer import interval, plural, plus_minus


def when(point: Any) -> str:
    if getattr(point, "full", False):
        return f"With all {labels(point.k)}"
    return f"With {labels(point.k)}" if point.k else "Without labels"


def with_labels(k: int) -> str:
    return f"with {labels(k)}" if k else "without labels"


def labels(k: int) -> str:
    return plural(int(k), "label")


def signed(pair: Any) -> str:
    value = plus_minus(pair.difference, signed=True)
    return f"{value}{bracket((pair.low, pair.high, True))}"


def bracket(bounds: tuple[float, float, bool]) -> str:
    low, high, signed = bounds
    return "" if math.isnan(low) else f" {interval(low, high, signed)}"


def digits(value: float) -> str:
    return plus_minus(value)


def about(rows: int) -> str:
    """Two digits that count: ``2,100`` for 2,068."""
    step = 10 ** max(len(str(rows)) - 2, 0)
    return f"{math.ceil(rows / step) * step:,}"


def duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds:.2g} s"
    if seconds < 600:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 36_000 else f"{seconds / 3600:,.0f} h"


def p_text(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def series(parts: Iterable[str]) -> str:
    return "; ".join(parts)


def joined(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
