"""The papers' printed numbers as exact fractions, and arithmetic that leaves no answer open."""

import csv
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "paper"
LLMS = ("GPT-4o-mini", "Qwen3-1.7B", "Qwen3-8B", "Qwen3-14B")
SHOTS = ("0", "4", "8", "16", "32", "64")


def read(name: str) -> list[dict[str, str]]:
    """Rows of one file of ``resources/paper``, every value as printed."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def texts(name: str, *keys: str, value: str = "mean") -> dict[tuple[str, ...], str]:
    """One column by the others that name its rows, as printed."""
    found = {tuple(row[key] for key in keys): row[value] for row in read(name)}
    assert len(found) == len(read(name)), f"{name}: {keys} do not name its rows"
    return found


def cells(name: str, *keys: str, value: str = "mean") -> dict[tuple[str, ...], Fraction]:
    """As `texts`, as numbers."""
    return {key: Fraction(text) for key, text in texts(name, *keys, value=value).items()}


def mean(values: Iterable[Fraction]) -> Fraction:
    listed = list(values)
    return sum(listed, Fraction(0)) / len(listed)


def best(items: Mapping[str, Fraction]) -> str:
    """The name with the largest number; two of them would make two answers."""
    first, second = sorted(items.values(), reverse=True)[:2]
    assert first > second, f"two are best: {items}"
    return max(items, key=items.__getitem__)


def rounded(value: Fraction, digits: int) -> str:
    """In decimals; a value half-way would make two answers."""
    scaled = value * 10**digits
    assert scaled.denominator != 2, f"{value} lies half-way"
    whole = round(scaled)
    sign = "-" if whole < 0 else ""
    before, after = divmod(abs(whole), 10**digits)
    return f"{sign}{before}" + (f".{after:0{digits}d}" if digits else "")
