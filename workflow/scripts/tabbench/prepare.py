"""From raw text cells to the table that every later step uses (paper, section A-A and A-B)."""

import numpy as np
import pandas as pd

from tabbench.errors import TabBenchError, closest
from tabbench.registry import Dataset

SUBSAMPLE_ABOVE = 5000
SUBSAMPLE_TO = 1000
SUBSAMPLE_SEED = 42


def _labels(raw: pd.DataFrame, dataset: Dataset) -> pd.Series:
    if dataset.target not in raw.columns:
        raise TabBenchError(
            f"dataset '{dataset.id}': no target column '{dataset.target}': "
            f"{closest(dataset.target, raw.columns)}"
        )
    values = sorted(raw[dataset.target].unique())
    if dataset.positive not in values:
        raise TabBenchError(
            f"dataset '{dataset.id}': the positive value '{dataset.positive}' does not occur in "
            f"'{dataset.target}'; its values are {values[:10]}"
        )
    negative = [value for value in values if value != dataset.positive]
    allowed = dataset.others or tuple(negative[:1])
    unexpected = [value for value in negative if value not in allowed]
    if not negative or unexpected:
        raise TabBenchError(
            f"dataset '{dataset.id}': target '{dataset.target}' must have two classes, found "
            f"{len(values)}: {values[:10]}. Name the values of class 0 under target.others, or "
            f"drop the rows."
        )
    return (raw[dataset.target] == dataset.positive).astype("int64")


def _feature(column: pd.Series, numeric: bool, dataset: Dataset) -> pd.Series:
    text = column.astype("str").str.strip()
    text = text.mask(text.isin(dataset.missing))
    if text.isna().all():
        raise TabBenchError(
            f"dataset '{dataset.id}': feature '{column.name}' is missing in every row; drop it in "
            f"the registry entry"
        )
    if not numeric:
        return text
    numbers = pd.to_numeric(text, errors="coerce")
    broken = text[numbers.isna() & text.notna()]
    if len(broken):
        raise TabBenchError(
            f"dataset '{dataset.id}': numeric feature '{column.name}' has {len(broken)} cell(s) "
            f"that are no numbers, first '{broken.iloc[0]}' in row {broken.index[0]}; declare the "
            f"column categorical, or the spelling as missing"
        )
    return numbers.astype("float64")


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
    y = _labels(raw, dataset)
    absent = [name for name in (*dataset.features, *dataset.drop) if name not in raw.columns]
    if absent:
        raise TabBenchError(
            f"dataset '{dataset.id}': no column(s) {absent}; the file has {list(raw.columns)}"
        )
    known = {*dataset.features, *dataset.drop, dataset.target}
    unknown = [name for name in raw.columns if name not in known]
    if unknown:
        raise TabBenchError(
            f"dataset '{dataset.id}': column(s) {unknown} are neither features, target nor dropped"
        )
    reserved = [name for name in ("row_id", "y") if name in dataset.features]
    if reserved:
        raise TabBenchError(
            f"dataset '{dataset.id}': rename the feature(s) {reserved}: reserved names"
        )
    columns = {
        name: _feature(raw[name], kind == "numeric", dataset)
        for name, kind in dataset.features.items()
    }
    table = subsample(pd.DataFrame({"y": y, **columns})).reset_index(drop=True)
    table.insert(0, "row_id", np.arange(len(table)))
    return table
