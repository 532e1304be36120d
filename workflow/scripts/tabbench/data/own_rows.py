"""Where the rows of a user dataset come from, and on which side of the split they must be."""

import pandas as pd

from tabbench.config.dataset_entry import Dataset, GivenSplit
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.own import FILE_ROWS, FILTERED, NOT_SAMPLED, USED
from tabbench.data.derive import is_missing
from tabbench.data.prepare import used_rows
from tabbench.data.values import require_values

SAID = {"train": "train", "training": "train", "test": "test", "testing": "test"}
"""Cells that say themselves on which side a row is, in whatever case."""


def file_rows(raw: pd.DataFrame, dataset: Dataset) -> pd.DataFrame:
    """Return each row of a file with what became of it, with the columns of ``FILE_ROWS``.

    Parameters
    ----------
    raw : text cells, as `readers.read_raw` gives them

    Raises
    ------
    TabBenchError
        When a cell of the split's column says neither train nor test, a cell of the groups' column
        is empty, or a group is on both sides of the given split.
    """
    rows, _, kept = used_rows(raw, dataset)
    chosen = rows.index[kept]
    found = pd.DataFrame({"file_row": raw.index + 1}, index=raw.index)
    found["row_id"] = pd.Series(range(len(chosen)), index=chosen, dtype="Int64")
    found["status"] = FILTERED
    found.loc[rows.index, "status"] = NOT_SAMPLED
    found.loc[chosen, "status"] = USED
    target = raw if dataset.target in raw.columns else rows  # it may be derived
    found["value"] = target[dataset.target].str.strip()
    if dataset.split:
        found["part"] = _parts(rows, dataset.id, dataset.split)
    if dataset.groups is not None:
        found["group"] = _groups(rows, dataset, dataset.groups)
    found = found.reindex(columns=FILE_ROWS.names)
    text = ["value", "part", "group"]
    found[text] = found[text].astype("object").fillna("")
    if dataset.split and dataset.groups is not None:
        _require_whole_groups(found.loc[chosen], dataset)
    return found


def _parts(rows: pd.DataFrame, name: str, given: GivenSplit) -> pd.Series:
    place = f"dataset '{name}': split"
    cells = rows[given.column].str.strip()
    listed = {"train": given.train, "test": given.test}
    for key, values in listed.items():
        require_values(f"{place}.{key}", cells, values)
    if both := sorted(set(given.train) & set(given.test)):
        raise TabBenchError(f"{place}: {both} are listed under both train and test")
    sides = {value: side for side, values in listed.items() for value in values}
    for cell in cells.unique():
        side = SAID.get(cell.casefold())
        if side is not None and not listed[side]:
            sides.setdefault(cell, side)
    parts = cells.map(sides)
    unknown = cells[parts.isna()]
    if len(unknown):
        raise TabBenchError(
            f"{place}: column '{given.column}' has {len(unknown):,} row(s) that are neither train "
            f"nor test: {sorted(unknown.unique())[:10]}. Name the values under split.train or "
            f"split.test, or leave the rows out: rows: [{{column: {given.column}, drop: [..]}}]"
        )
    return parts


def _groups(rows: pd.DataFrame, dataset: Dataset, column: str) -> pd.Series:
    empty = int(is_missing(rows[column], dataset.missing).sum())
    if empty:
        raise TabBenchError(
            f"dataset '{dataset.id}': groups: column '{column}' is missing in {empty:,} row(s), so "
            f"that their group is not known; leave them out: rows: [{{drop_missing: [{column}]}}]"
        )
    return rows[column].str.strip()


def _require_whole_groups(used: pd.DataFrame, dataset: Dataset) -> None:
    sides = used.groupby("group")["part"].nunique()
    apart = sorted(sides.index[sides > 1])
    if apart and dataset.split:
        raise TabBenchError(
            f"dataset '{dataset.id}': {len(apart):,} group(s) of column '{dataset.groups}' have "
            f"rows on both sides of '{dataset.split.column}', such as '{apart[0]}'. Remove groups "
            f"to keep that split, or split to have one made that keeps groups whole"
        )


def given_sides(rows: pd.DataFrame) -> pd.DataFrame:
    """Return ``part`` and ``group`` of each row of the table, by row id; empty where not given.

    Parameters
    ----------
    rows : ``FILE_ROWS``
    """
    used = rows[rows["row_id"].notna()].astype({"row_id": "int64"})
    return used.set_index("row_id").sort_index()[["part", "group"]]


def groups_of_rows(rows: pd.DataFrame) -> "pd.Series[str] | None":
    """Return the group of each row of the table, by row id; None where the entry names none.

    Parameters
    ----------
    rows : ``FILE_ROWS``
    """
    groups = given_sides(rows)["group"]
    return groups if (groups != "").any() else None
