"""Row filters and derived columns of a raw table, as its entry declares."""

import pandas as pd

from tabbench.config.dataset_entry import Dataset, RowFilter
from tabbench.core.errors import TabBenchError, closest
from tabbench.data.number_cells import require_numbers
from tabbench.data.values import require_values


def is_missing(column: pd.Series, missing: tuple[str, ...]) -> pd.Series:
    """Whether a cell, without outer spaces, is one of the spellings of a missing value."""
    return column.astype("str").str.strip().isin(missing)


def _column(raw: pd.DataFrame, name: str, dataset: str) -> pd.Series:
    if name not in raw.columns:
        raise TabBenchError(
            f"dataset '{dataset}': no column '{name}', which its rows or derived columns need: "
            f"{closest(name, raw.columns)}"
        )
    return raw[name]


def _numbers(column: pd.Series, place: str, dataset: Dataset) -> pd.Series:
    """Numbers of a column of text without outer spaces, NaN where a cell is missing."""
    known = column[~is_missing(column, dataset.missing)]
    place = f"dataset '{dataset.id}': {place}: column"
    return require_numbers(place, known, dataset.numbers).reindex(column.index)


def _stays(raw: pd.DataFrame, rule: RowFilter, dataset: Dataset, place: str) -> pd.Series:
    if rule.complete is not None:
        columns = list(rule.complete) or list(raw.columns)
        cells = {name: _column(raw, name, dataset.id) for name in columns}
        missing = pd.DataFrame(
            {name: is_missing(cell, dataset.missing) for name, cell in cells.items()}
        )
        return ~missing.any(axis=1)
    column = _column(raw, rule.column or "", dataset.id).str.strip()
    stays = ~column.isin(rule.drop)
    if rule.keep is not None:
        stays &= column.isin(rule.keep)
    if rule.between is not None:
        stays &= _numbers(column, place, dataset).between(*rule.between)
    return stays


def select_rows(raw: pd.DataFrame, dataset: Dataset) -> pd.DataFrame:
    """Rows that pass every filter of the entry, one filter after the other; their index stays.

    Raises
    ------
    TabBenchError
        When a filter names a column or a value that is not there, compares what is no number, or
        leaves no row.
    """
    kept = raw
    for number, rule in enumerate(dataset.rows, start=1):
        place = f"filter {number} of 'rows'"
        if rule.column is not None:
            cells = _column(raw, rule.column, dataset.id).str.strip()
            listed = (*(rule.keep or ()), *rule.drop)
            require_values(f"dataset '{dataset.id}': {place}", cells, listed)
        kept = kept[_stays(kept, rule, dataset, place)]
        if kept.empty:
            raise TabBenchError(f"dataset '{dataset.id}': {place} leaves no row")
    return kept


def derive_columns(raw: pd.DataFrame, dataset: Dataset) -> pd.DataFrame:
    """Add the derived columns, with cells "1" and "0"; missing where their source is.

    A column that the file has already stays as it is: some sources carry the result.

    Raises
    ------
    TabBenchError
        When a column or a value is not there, or a cell to compare is no number.
    """
    added = {}
    for name, rule in (dataset.derive or {}).items():
        if name in raw.columns:
            continue
        column = _column(raw, rule.column, dataset.id).str.strip()
        if rule.at_least is not None:
            holds = _numbers(column, f"derive '{name}'", dataset) >= rule.at_least
        elif rule.more_than is not None:
            holds = _numbers(column, f"derive '{name}'", dataset) > rule.more_than
        else:
            require_values(f"dataset '{dataset.id}': derive '{name}'", column, rule.equals)
            holds = column.isin(rule.equals)
        cells = holds.map({True: "1", False: "0"})
        added[name] = cells.mask(is_missing(column, dataset.missing), "")
    return raw.assign(**added)
