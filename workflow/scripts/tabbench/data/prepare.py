"""From raw text cells to the table that every later step uses (paper, section A-A and A-B)."""

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.config.dataset_entry import ALL, REST, Dataset
from tabbench.core.errors import TabBenchError, closest
from tabbench.core.schemas.table import is_reserved
from tabbench.data.delimited import UNNAMED
from tabbench.data.derive import derive_columns, is_missing, select_rows
from tabbench.data.number_cells import (
    NO_NUMBER,
    TOO_LONG,
    counted,
    has_leading_zeros,
    misread,
    not_held,
    require_numbers,
    to_numbers,
)
from tabbench.data.transforms import transform
from tabbench.data.values import require_values

SUBSAMPLE_ABOVE = 5000
SUBSAMPLE_TO = 1000
SUBSAMPLE_SEED = 42


def _labels(rows: pd.DataFrame, raw: pd.DataFrame, dataset: Dataset) -> pd.Series:
    """Label of each row; ``raw`` holds the rows that filters left out too."""
    if dataset.target not in rows.columns:
        raise TabBenchError(
            f"dataset '{dataset.id}': no target column '{dataset.target}': "
            f"{closest(dataset.target, rows.columns)}"
        )
    cells = rows[dataset.target].str.strip()
    whole = raw[dataset.target].str.strip() if dataset.target in raw.columns else cells
    others = () if dataset.others == (ALL,) else dataset.others
    for place, listed in (("target.positive", dataset.positive), ("target.others", others)):
        require_values(f"dataset '{dataset.id}': {place}", whole, listed)
    values = sorted(cells.unique())
    negative = [value for value in values if value not in dataset.positive]
    allowed = negative if dataset.others == (ALL,) else dataset.others or negative[:1]
    unexpected = [value for value in negative if value not in allowed or value in dataset.missing]
    if not negative or len(negative) == len(values) or unexpected:
        raise TabBenchError(
            f"dataset '{dataset.id}': target '{dataset.target}' must have two classes, found "
            f"{len(values)} value(s): {values[:10]}. Name all values of class 0 under "
            f"target.others, or leave rows out: rows: [{{column: {dataset.target}, drop: [..]}}]"
        )
    return cells.isin(dataset.positive).astype("int64")


def _feature(
    column: pd.Series, kind: str, dataset: Dataset, say: Callable[[str], object]
) -> pd.Series:
    text = column.astype("str").str.strip()
    text = text.mask(is_missing(column, dataset.missing))
    known = text.dropna()
    if known.empty:
        raise TabBenchError(
            f"dataset '{dataset.id}': feature '{column.name}' is missing in every row; drop it in "
            f"the registry entry"
        )
    if kind == "detect" and (reason := _why_text(known, dataset)):
        say(f"{dataset.id}: feature '{column.name}' is categorical: {reason}")
        kind = "categorical"
    if kind == "categorical":
        return text
    numbers = require_numbers(f"dataset '{dataset.id}': feature", known, dataset.numbers)
    changed = not_held(known, numbers, dataset.numbers)
    if len(changed):
        raise TabBenchError(
            f"dataset '{dataset.id}': feature '{column.name}' has {counted(changed)} {TOO_LONG}; "
            f"declare the column categorical"
        )
    return numbers.reindex(text.index)


def _why_text(known: pd.Series, dataset: Dataset) -> str | None:
    """Why a column whose type is to be detected is text; None where its cells are numbers.

    Raises
    ------
    TabBenchError
        When the cells are clearly meant as numbers, but the entry does not say how to read them.
    """
    numbers = to_numbers(known, dataset.numbers)
    broken = known[numbers.isna()]
    if remedy := misread(known, numbers, dataset.numbers):
        raise TabBenchError(
            f"dataset '{dataset.id}': feature '{known.name}' has {counted(broken)} {NO_NUMBER}; "
            f"{remedy}, or declare the column categorical"
        )
    if len(broken) == len(known):
        return "no cell is a number"
    if len(broken):
        return f"it has {counted(broken)} {NO_NUMBER}"
    if has_leading_zeros(known):
        return "it has whole numbers with leading zeros, as codes do"
    changed = not_held(known, numbers, dataset.numbers)
    return f"it has {counted(changed)} {TOO_LONG}" if len(changed) else None


def _feature_kinds(raw: pd.DataFrame, dataset: Dataset) -> dict[str, str]:
    """Name and type of each feature; ``REST`` stands for all columns without another role."""
    if REST in raw.columns:
        raise TabBenchError(
            f"dataset '{dataset.id}': a column is called '{REST}', which means all other columns; "
            "give it another name under 'rename'"
        )
    features = dict(dataset.features)
    mistaken = [name for name in dataset.drop if name not in (REST, *raw.columns)]
    if mistaken:
        raise TabBenchError(
            f"dataset '{dataset.id}': no column '{mistaken[0]}' to drop: "
            f"{closest(mistaken[0], raw.columns)}"
        )
    used = {rule.column for rule in dataset.rows} | {
        rule.column for rule in (dataset.derive or {}).values()
    }
    for key, name in (("groups", dataset.groups), ("split.column", _split_column(dataset))):
        if name is not None and name not in raw.columns:
            raise TabBenchError(
                f"dataset '{dataset.id}': {key} names no column: {closest(name, raw.columns)}"
            )
    known = {*features, *dataset.drop, dataset.target, *dataset.row_columns}
    rest = [name for name in raw.columns if name not in known]
    if REST in features:
        kind = features.pop(REST)
        features.update(dict.fromkeys(rest, kind))
    absent = [name for name in features if name not in raw.columns]
    if absent:
        raise TabBenchError(
            f"dataset '{dataset.id}': no column(s) {absent}; the file has {list(raw.columns)}"
        )
    unknown = [name for name in rest if name not in used and name not in features]
    if unknown and REST not in dataset.drop:
        raise TabBenchError(
            f"dataset '{dataset.id}': column(s) {unknown} are neither features, target nor dropped"
        )
    for name in features:
        if is_reserved(name):
            raise TabBenchError(
                f"dataset '{dataset.id}': a feature must not be called '{name}', as rows, labels "
                f"or answers are; give it another name under 'rename', such as "
                f"{{{name}: {name}_}}, or drop it"
            )
        if re.fullmatch(UNNAMED.format(r"\d+"), name):
            raise TabBenchError(
                f"dataset '{dataset.id}': a column has no name in the file; drop '{name}', or name "
                f"it under 'rename'"
            )
    return features


def _split_column(dataset: Dataset) -> str | None:
    return dataset.split.column if dataset.split else None


def subsample(y: pd.Series, sample: int | str | None = None) -> npt.NDArray[np.int64]:
    """Places of the rows that are used, class-stratified (seed 42).

    Parameters
    ----------
    y : labels 0 and 1, in the order of the file
    sample : rows to draw where there are more, or `ALL`; None for the paper's rule: of more than
        5,000 rows 1,000
    """
    if sample is None:
        size = SUBSAMPLE_TO if len(y) > SUBSAMPLE_ABOVE else len(y)
    else:
        size = len(y) if sample == ALL else min(int(sample), len(y))
    if size == len(y):
        return np.arange(len(y))
    rng = np.random.default_rng(SUBSAMPLE_SEED)
    n_positive = round(size * y.mean())
    chosen = [
        rng.choice(np.flatnonzero(y == label), size=count, replace=False)
        for label, count in ((0, size - n_positive), (1, n_positive))
    ]
    return np.sort(np.concatenate(chosen))


class UsedRows(NamedTuple):
    """Rows that pass the filters, with derived columns; their labels; the places of those used."""

    rows: pd.DataFrame
    y: pd.Series
    kept: npt.NDArray[np.int64]


def used_rows(raw: pd.DataFrame, dataset: Dataset) -> UsedRows:
    """Choose the rows of a table; the index of the file's rows stays."""
    if dataset.transform:
        raw = transform(raw, dataset.transform)
    rows = derive_columns(select_rows(raw, dataset), dataset)
    y = _labels(rows, raw, dataset)
    return UsedRows(rows, y, subsample(y, dataset.sample))


def prepare(
    raw: pd.DataFrame, dataset: Dataset, say: Callable[[str], object] = print
) -> pd.DataFrame:
    """Typed features, 0/1 label and row ids of a dataset.

    Parameters
    ----------
    raw : frame of text cells, any number of rows
    say : called with a message for each column whose cells decided its type otherwise than most
        would expect

    Returns
    -------
    DataFrame with columns ``row_id`` (0..n-1), ``y`` and the features in the order of the registry
    entry; numeric float64, categorical text; missing cells NaN.

    Raises
    ------
    TabBenchError
        When the target is absent or not binary, a column is not accounted for in the registry
        entry or bears a reserved name, a listed value does not occur, or a feature is all missing
        or not of its type.
    """
    rows, y, kept = used_rows(raw, dataset)
    columns = {
        name: _feature(rows[name], kind, dataset, say).iloc[kept]
        for name, kind in _feature_kinds(rows, dataset).items()
    }
    table = pd.DataFrame({"y": y.iloc[kept], **columns}).reset_index(drop=True)
    table.insert(0, "row_id", np.arange(len(table)))
    return table
