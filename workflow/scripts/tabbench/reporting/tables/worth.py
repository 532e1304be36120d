"""What the money buys, as a table: per question the smallest gain that it can show."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from tabbench.reporting.writer import DASH, Table
from tabbench.statistics.multiplicity import LEVEL
from tabbench.statistics.power import Assumptions

HEADER = (
    *("Question", "Test", "Datasets", "Rows", "Draws", "k", "Smallest gain", "Price"),
    *("The same for less", "Smallest gain", "Price", "Share"),
)


def worth_table(
    worth: pd.DataFrame, unit: str, assumed: Assumptions, origin: str, wanted: float
) -> Table:
    """Lay out what `planning.worth.worth` gives.

    Parameters
    ----------
    unit : of prices: a currency, or tokens
    origin : where the assumptions come from, in words
    """
    found: list[Any] = list(worth.itertuples())
    rows = tuple(
        (
            row.question.upper(),
            row.test,
            f"{row.datasets}",
            f"≤ {row.rows:,}",
            f"{row.draws or DASH}",
            row.shots,
            _gain(row.smallest_gain),
            _price(row.price, unit),
            _less(row),
            _gain(row.less_smallest_gain),
            _price(row.less_price, unit),
            _share(row.less_share),
        )
        for row in found
    )
    notes = [
        f"smallest gain in ROC-AUC that the question's combined test finds with a probability of "
        f"{wanted:.0%}, at the level {LEVEL:g} after Holm's correction, where the gain is the same "
        "in all datasets and the draws are taken as they are",
        f"assumed: ROC-AUC {assumed.auc:.2f} without the gain, correlation of the ROC-AUCs of two "
        f"conditions {assumed.correlation:.2f}, of two draws {assumed.draws_correlation:.2f} "
        f"({origin})",
        f"price: all prompts about the question's datasets and k as sent, in {unit}, answered ones "
        "too; questions share prompts, so that prices do not add up. Rows: test rows of the "
        "largest dataset",
        *_unshown(worth),
        *_sentences(found, unit),
    ]
    return Table("What the money buys", HEADER, rows, worth, tuple(notes))


def _less(row: Any) -> str:
    if row.less_share >= 1:
        return DASH
    parts = []
    if row.less_datasets < row.datasets:
        parts.append(f"{row.less_datasets} datasets")
    if row.less_rows < row.rows:
        parts.append(f"test_rows: {row.less_rows}")
    if row.less_draws < row.draws:
        parts.append(f"{row.less_draws} draw{'s' if row.less_draws > 1 else ''}")
    if row.less_shots != row.shots:
        parts.append(f"k = {row.less_shots}")
    return ", ".join(parts)


def _unshown(worth: pd.DataFrame) -> list[str]:
    if not worth["smallest_gain"].isna().any():
        return []
    return [f"{DASH}: with so few rows no gain is found, not even up to a perfect ranking"]


def _sentences(rows: Iterable[Any], unit: str) -> list[str]:
    """The largest saving, in a sentence; none where nothing is cheaper."""
    saving = [row for row in rows if row.less_share < 1 and row.smallest_gain > 0]
    if not saving:
        return ["nothing that was tried shows the same for less"]
    best = max(saving, key=lambda row: row.price - row.less_price)
    return [
        f"{best.question.upper()} would show {_gain(best.less_smallest_gain)} instead of "
        f"{_gain(best.smallest_gain)} with {_less(best)}, for {_share(best.less_share)} of its "
        f"price ({_price(best.less_price, unit)} instead of {_price(best.price, unit)})"
    ]


def _gain(value: float) -> str:
    return DASH if pd.isna(value) else f"{value:.3f}"


def _price(value: float, unit: str) -> str:
    if unit == "tokens":
        return f"{value / 1e6:,.2f} M tokens"
    return f"{value:,.2f} {unit}"


def _share(value: float) -> str:
    return DASH if pd.isna(value) else f"{value:.0%}"
