"""Audit of a table: leaks, identifiers, duplicates across the split, words of the task text."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from tabbench.config.dataset_entry import TaskText
from tabbench.data.description import features
from tabbench.data.task_words import column_words

LEAK = 0.97
"""Single-feature ROC-AUC above which a column is said to leak."""
NEAR_UNIQUE = 0.9
"""Share of distinct values among the rows above which a column tells rows apart."""


@dataclass(frozen=True)
class Audit:
    """Findings on one dataset.

    ``duplicates`` are test rows with the same features as a training row, ``contradicting``
    those of them whose label no such training row has; ``leaks`` gives the AUC by column,
    ``task_words`` the columns by word of the task text that is in their names.
    """

    duplicates: int
    contradicting: int
    leaks: dict[str, float]
    constant: tuple[str, ...]
    missing: tuple[str, ...]
    near_unique: tuple[str, ...]
    train: int
    test: int
    train_positive: float
    test_positive: float
    task_words: dict[str, list[str]]

    @property
    def told(self) -> tuple[str, ...]:
        """Words of the task text that name columns, each with its column or their number."""
        return tuple(
            f"{word} ({columns[0] if len(columns) == 1 else f'{len(columns)} columns'})"
            for word, columns in self.task_words.items()
        )


def audit(table: pd.DataFrame, split: pd.DataFrame, task: TaskText) -> Audit:
    """Look for leaks, identifiers, constant columns, duplicates and a task text that names columns.

    Parameters
    ----------
    table : prepared table, ``schemas.TABLE``
    split : ``schemas.SPLIT``; test rows over the cap count as test rows
    task : the dataset's task text
    """
    parts = table["row_id"].map(split.set_index("row_id")["part"])
    in_train = (parts == "train").to_numpy()
    columns, y = features(table), table["y"].to_numpy()
    scores = {str(name): single_auc(columns[name], y, in_train) for name in columns}
    counts = columns.nunique()
    seen, contradicting = _duplicates(columns, y, in_train)
    return Audit(
        duplicates=seen,
        contradicting=contradicting,
        leaks={name: auc for name, auc in scores.items() if auc > LEAK},
        constant=tuple(map(str, counts.index[counts == 1])),
        missing=tuple(map(str, counts.index[counts == 0])),
        near_unique=tuple(str(name) for name in columns if _tells_rows_apart(columns[name])),
        train=int(in_train.sum()),
        test=int((~in_train).sum()),
        train_positive=float(y[in_train].mean()),
        test_positive=float(y[~in_train].mean()),
        task_words=column_words(task, map(str, columns)),
    )


def single_auc(column: pd.Series, y: np.ndarray, in_train: np.ndarray) -> float:
    """ROC-AUC of one feature, either way round: numbers as they are, over all rows; categories
    by their positive rate in the training rows, over the test rows. NaN where not defined.
    """
    known = column.notna().to_numpy()
    if pd.api.types.is_numeric_dtype(column):
        rows, score = known, column.to_numpy()
    else:
        rates = pd.Series(y[in_train]).groupby(column[in_train].to_numpy()).mean()
        score = column.map(rates).fillna(y[in_train].mean()).to_numpy(dtype="float64")
        rows = ~in_train & known
    positive = int(y[rows].sum())
    pairs = positive * (int(rows.sum()) - positive)
    if not pairs:
        return float("nan")
    ranks = rankdata(score[rows])[y[rows] == 1].sum()
    auc = float((ranks - positive * (positive + 1) / 2) / pairs)
    return max(auc, 1 - auc)


def _tells_rows_apart(column: pd.Series) -> bool:
    """Words or whole numbers that are almost all different: names, ids, times."""
    known = column.dropna()
    if pd.api.types.is_numeric_dtype(known) and (known % 1 != 0).any():
        return False
    return len(known) > 1 and known.nunique() > NEAR_UNIQUE * len(column)


def _duplicates(columns: pd.DataFrame, y: np.ndarray, in_train: np.ndarray) -> tuple[int, int]:
    keys = pd.util.hash_pandas_object(columns, index=False).to_numpy()
    labels: dict[int, set[int]] = {}
    for key, label in zip(keys[in_train], y[in_train], strict=True):
        labels.setdefault(key, set()).add(label)
    found = [(key, label) for key, label in zip(keys[~in_train], y[~in_train], strict=True)]
    seen = [(key, label) for key, label in found if key in labels]
    return len(seen), sum(label not in labels[key] for key, label in seen)
