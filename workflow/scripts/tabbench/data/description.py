"""Description of a loaded table and its differences from the paper (Tables XII-XIV)."""

from dataclasses import dataclass

import pandas as pd

QUANTITIES = ("rows", "features", "numeric", "categorical", "positive_percent")


def features(table: pd.DataFrame) -> pd.DataFrame:
    """The feature columns of a prepared table."""
    return table.drop(columns=["row_id", "y"])


def describe(table: pd.DataFrame) -> dict[str, float]:
    """Return the ``QUANTITIES`` of a prepared table, the rate in percent to one decimal."""
    columns = features(table)
    numeric = sum(pd.api.types.is_numeric_dtype(kind) for kind in columns.dtypes)
    return {
        "rows": len(table),
        "features": columns.shape[1],
        "numeric": numeric,
        "categorical": columns.shape[1] - numeric,
        "positive_percent": round(100 * float(table["y"].mean()), 1),
    }


@dataclass(frozen=True)
class Deviation:
    """One published figure that the loaded table does not have."""

    dataset: str
    quantity: str
    published: float
    loaded: float


def deviations(
    published: pd.DataFrame, loaded: dict[str, dict[str, float]]
) -> tuple[Deviation, ...]:
    """Compare loaded tables with the published figures, in the order of those.

    Parameters
    ----------
    published : frame with ``dataset`` and the ``QUANTITIES``, one row per dataset
    loaded : dataset id to what `describe` gives; ids that are not published are left out
    """
    stated = {row["dataset"]: row for row in published.to_dict("records")}
    return tuple(
        Deviation(name, quantity, float(row[quantity]), loaded[name][quantity])
        for name, row in stated.items()
        if name in loaded
        for quantity in QUANTITIES
        if float(row[quantity]) != loaded[name][quantity]
    )
