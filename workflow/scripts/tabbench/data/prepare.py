"""From raw text cells to the table that every later step uses (paper, section A-A and A-B)."""

import numpy as np
import pandas as pd

from tabbench.config.dataset_entry import ALL, REST, Dataset
from tabbench.core.errors import TabBenchError, closest
from tabbench.core.numbers import keeps_integer_part
from tabbench.data.derive import derive_columns, is_missing, select_rows
from tabbench.data.transforms import transform

SUBSAMPLE_ABOVE = 5000
SUBSAMPLE_TO = 1000
SUBSAMPLE_SEED = 42


def _labels(raw: pd.DataFrame, dataset: Dataset) -> pd.Series:
    if dataset.target not in raw.columns:
        raise TabBenchError(
            f"dataset '{dataset.id}': no target column '{dataset.target}': "
            f"{closest(dataset.target, raw.columns)}"
        )
    cells = raw[dataset.target].str.strip()
    values = sorted(cells.unique())
    if not set(dataset.positive) & set(values):
        raise TabBenchError(
            f"dataset '{dataset.id}': the positive value {' or '.join(map(repr, dataset.positive))}"
            f" does not occur in '{dataset.target}'; its values are {values[:10]}"
        )
    negative = [value for value in values if value not in dataset.positive]
    allowed = negative if dataset.others == (ALL,) else dataset.others or negative[:1]
    unexpected = [value for value in negative if value not in allowed or value in dataset.missing]
    if not negative or unexpected:
        raise TabBenchError(
            f"dataset '{dataset.id}': target '{dataset.target}' must have two classes, found "
            f"{len(values)}: {values[:10]}. Name the values of class 0 under target.others, or "
            f"drop the rows."
        )
    return cells.isin(dataset.positive).astype("int64")


def _feature(column: pd.Series, kind: str, dataset: Dataset) -> pd.Series:
    text = column.astype("str").str.strip()
    text = text.mask(is_missing(column, dataset.missing))
    if text.isna().all():
        raise TabBenchError(
            f"dataset '{dataset.id}': feature '{column.name}' is missing in every row; drop it in "
            f"the registry entry"
        )
    numbers = pd.to_numeric(text, errors="coerce")
    broken = text[numbers.isna() & text.notna()]
    if kind == "categorical" or (kind == "detect" and len(broken)):
        return text
    cut = text[[not keeps_integer_part(cell) for cell in text.where(numbers.notna(), "0")]]
    if kind == "detect" and len(cut):
        return text
    if len(broken):
        raise TabBenchError(
            f"dataset '{dataset.id}': numeric feature '{column.name}' has {len(broken)} cell(s) "
            f"that are no numbers, first '{broken.iloc[0]}' in row {broken.index[0]}; declare the "
            f"column categorical, or the spelling as missing"
        )
    if len(cut):
        raise TabBenchError(
            f"dataset '{dataset.id}': numeric feature '{column.name}' has {len(cut)} cell(s) with "
            f"more digits than a number of the table can hold, first '{cut.iloc[0]}' in row "
            f"{cut.index[0]}; declare the column categorical"
        )
    return numbers.astype("float64")


def _feature_kinds(raw: pd.DataFrame, dataset: Dataset) -> dict[str, str]:
    """Name and type of each feature; ``REST`` stands for all columns without another role."""
    features = dict(dataset.features)
    used = {rule.column for rule in dataset.rows} | {
        rule.column for rule in (dataset.derive or {}).values()
    }
    known = {*features, *dataset.drop, dataset.target}
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
    reserved = [name for name in ("row_id", "y") if name in features]
    if reserved:
        raise TabBenchError(
            f"dataset '{dataset.id}': rename the feature(s) {reserved}: reserved names"
        )
    return features


def subsample(table: pd.DataFrame) -> pd.DataFrame:
    """More than 5,000 rows: 1,000 of them, class-stratified, seed 42, in the order of the file."""
    if len(table) <= SUBSAMPLE_ABOVE:
        return table
    rng = np.random.default_rng(SUBSAMPLE_SEED)
    n_positive = round(SUBSAMPLE_TO * table["y"].mean())
    chosen = [
        rng.choice(np.flatnonzero(table["y"] == label), size=size, replace=False)
        for label, size in ((0, SUBSAMPLE_TO - n_positive), (1, n_positive))
    ]
    return table.iloc[np.sort(np.concatenate(chosen))]


def prepare(raw: pd.DataFrame, dataset: Dataset) -> pd.DataFrame:
    """Typed features, 0/1 label and row ids of a dataset.

    Parameters
    ----------
    raw : frame of text cells, any number of rows

    Returns
    -------
    DataFrame with columns ``row_id`` (0..n-1), ``y`` and the features in the order of the registry
    entry; numeric float64, categorical text; missing cells NaN.

    Raises
    ------
    TabBenchError
        When the target is absent or not binary, a column is not accounted for in the registry
        entry, or a feature is all missing or not of its type.
    """
    if dataset.transform:
        raw = transform(raw, dataset.transform)
    raw = derive_columns(select_rows(raw, dataset), dataset)
    y = _labels(raw, dataset)
    columns = {
        name: _feature(raw[name], kind, dataset)
        for name, kind in _feature_kinds(raw, dataset).items()
    }
    table = subsample(pd.DataFrame({"y": y, **columns})).reset_index(drop=True)
    table.insert(0, "row_id", np.arange(len(table)))
    return table
