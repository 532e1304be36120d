"""Agreement of two judges, or of a judge and a person (second paper, section 3.2)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.core.spreadsheets import read_csv


@dataclass(frozen=True)
class Agreement:
    """Agreement of two raters.

    Attributes
    ----------
    n : items that both rated; the other numbers are of these
    n_missing : items that one of them did not rate (a failed judge, an item of one list alone)
    percent : of items with the same rating, 0 to 100; NaN if n is 0
    kappa : Cohen's kappa, unweighted; NaN when both gave the same single rating to all items
    table : counts, a row per rating of the first and a column per rating of the second
    """

    n: int
    n_missing: int
    percent: float
    kappa: float
    table: pd.DataFrame


def agreement(first: pd.Series, second: pd.Series) -> Agreement:
    """Compare two ratings of the same items.

    Parameters
    ----------
    first, second : ratings indexed by item; missing ratings are NA

    Raises
    ------
    TabBenchError
        When an item is rated twice by one of them.

    Examples
    --------
    >>> agreement(pd.Series([1, 0, 1, 0]), pd.Series([1, 0, 0, 0])).kappa
    0.5
    """
    for name, ratings in (("first", first), ("second", second)):
        twice = ratings.index[ratings.index.duplicated()].unique().tolist()
        if twice:
            raise TabBenchError(f"agreement: the {name} rater rated {twice[:5]} more than once")
    both = pd.concat([first.astype(object), second.astype(object)], axis=1, keys=["a", "b"])
    rated = both.dropna()
    n = len(rated)
    table = pd.crosstab(rated["a"], rated["b"])
    given = sorted({*table.index, *table.columns})
    table = table.reindex(index=given, columns=given, fill_value=0)
    table = table.rename_axis(index="first", columns="second")
    counts = table.to_numpy(dtype=float)
    if n == 0:
        return Agreement(0, len(both), np.nan, np.nan, table)
    observed = np.trace(counts) / n
    expected = float(counts.sum(axis=0) @ counts.sum(axis=1)) / n**2
    kappa = np.nan if expected == 1 else (observed - expected) / (1 - expected)
    return Agreement(n, len(both) - n, float(100 * observed), float(kappa), table)


LABEL_COLUMNS = ("model", "plan_mode", "execution", "shots", "seed", "row", "label")
"""Columns of a file of human labels; ``label`` is 1, 0.5 or 0, and only 1 is correct."""


def read_labels(path: Path, answers: pd.MultiIndex) -> pd.Series:
    """Read a person's labels.

    Parameters
    ----------
    answers : `scores.answer_ids` of the run, of which at least one must be labelled

    Returns
    -------
    Series of labels, indexed by the other columns of `LABEL_COLUMNS`; compare ``.eq(1)`` of it with
    `scores.ratings`

    Raises
    ------
    TabBenchError
        When columns or all labels are missing, a label is not 0, 0.5 or 1, an answer is labelled
        twice, or no label is of one of ``answers``; rows without a label are left out.
    """
    try:
        labels = read_csv(path, dtype={"model": str})
    except (OSError, ValueError) as error:
        raise TabBenchError(f"{path}: cannot be read as CSV: {error}") from error
    absent = [name for name in LABEL_COLUMNS if name not in labels.columns]
    if absent:
        raise TabBenchError(f"{path}: no column(s) {absent}; expected {list(LABEL_COLUMNS)}")
    labels = labels.dropna(subset=["label"])
    if labels.empty:
        raise TabBenchError(f"{path}: no label; fill in the column 'label'")
    values = pd.to_numeric(labels["label"], errors="coerce")
    wrong = labels["label"][~values.isin([0, 0.5, 1])]
    if len(wrong):
        raise TabBenchError(
            f"{path}, line {wrong.index[0] + 2}: label {wrong.iloc[0]!r} is not 0, 0.5 or 1"
        )
    again = labels[labels.duplicated(list(LABEL_COLUMNS[:-1]))]
    if len(again):
        raise TabBenchError(
            f"{path}, line {again.index[0] + 2}: this answer has a label in an earlier line; keep "
            "one"
        )
    found = labels.assign(label=values).set_index(list(LABEL_COLUMNS[:-1]))["label"]
    if not found.index.isin(answers).any():
        raise TabBenchError(
            f"{path}: none of its {len(found)} labels is of an answer of this run"
            + _unknown(found.index, answers)
        )
    return found


def _unknown(labelled: pd.Index, answers: pd.MultiIndex) -> str:
    """Name the values that no answer has, column by column."""
    said = ""
    for name in LABEL_COLUMNS[:-1]:
        valid = answers.unique(name)
        unknown = labelled.unique(name).difference(valid, sort=False).tolist()
        if unknown:
            said += f"; unknown {name} {unknown[:5]}, valid: {valid.tolist()[:30]}"
    return said or "; no answer has such a combination of these columns"
