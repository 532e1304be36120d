"""Agreement of two judges, or of a judge and a person (second paper, section 3.2)."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.core.spreadsheets import read_csv

RESAMPLES = 2000
_NONE = (np.nan, np.nan)


@dataclass(frozen=True)
class Agreement:
    """Agreement of two raters.

    Attributes
    ----------
    n : items that both rated; the other numbers are of these
    n_missing : items that one of them did not rate (a failed judge, an item of one list alone)
    percent : of items with the same rating, 0 to 100; NaN if n is 0
    kappa : Cohen's kappa, unweighted; NaN when both gave the same single rating to all items
    low, high : its 95 % interval, percentiles of `RESAMPLES` resamples of the items in which it is
        defined; NaN where it is not
    table : counts, a row per rating of the first and a column per rating of the second
    """

    n: int
    n_missing: int
    percent: float
    kappa: float
    low: float
    high: float
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
        return Agreement(0, len(both), np.nan, np.nan, np.nan, np.nan, table)
    percent = float(100 * np.trace(counts) / n)
    (kappa,) = _kappas(counts[None])
    drawn = np.random.default_rng(0).multinomial(n, counts.ravel() / n, size=RESAMPLES)
    resampled = _kappas(drawn.reshape(-1, *counts.shape))
    kept = resampled[~np.isnan(resampled)]
    low, high = np.quantile(kept, [0.025, 0.975]) if len(kept) and not np.isnan(kappa) else _NONE
    return Agreement(n, len(both) - n, percent, float(kappa), float(low), float(high), table)


def _kappas(counts: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Cohen's kappa of tables of counts, (tables, ratings, ratings); NaN where not defined."""
    shares = counts / counts.sum(axis=(1, 2), keepdims=True)
    observed = np.trace(shares, axis1=1, axis2=2)
    expected = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    defined = expected < 1 - 1e-12
    return np.where(defined, (observed - expected) / np.where(defined, 1 - expected, 1), np.nan)


def read_labels(path: Path, answers: Collection[str]) -> pd.Series:
    """Read a sheet of `labels.label_sheet` that a person filled in.

    Parameters
    ----------
    answers : ids of the run's answers, of which at least one must be labelled

    Returns
    -------
    Series of labels by id: 1, 0.5 or 0, of which only 1 is correct; compare ``.eq(1)`` of it with
    `scores.ratings`

    Raises
    ------
    TabBenchError
        When columns or all labels are missing, a label is not 0, 0.5 or 1, an answer is labelled
        twice, or no label is of one of ``answers``; rows without a label are left out.
    """
    labels = read_filled(path, "label", answers)
    values = pd.to_numeric(labels.str.replace(",", "."), errors="coerce")
    wrong = labels[~values.isin([0, 0.5, 1])]
    if len(wrong):
        raise TabBenchError(
            f"{path}: the label {wrong.iloc[0]!r} of {wrong.index[0]} is not 0, 0.5 or 1"
        )
    return values


def read_filled(path: Path, column: str, answers: Collection[str]) -> pd.Series:
    """Read what a person filled in behind the ids of answers.

    Parameters
    ----------
    column : that was filled in
    answers : ids of which at least one must be there

    Returns
    -------
    Series of texts by id, without those left empty

    Raises
    ------
    TabBenchError
        When the file cannot be read, a column is missing, nothing is filled in, an id stands there
        twice, or none is of ``answers``.
    """
    try:
        sheet = read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise TabBenchError(f"{path}: cannot be read as CSV: {error}") from error
    absent = [name for name in ("id", column) if name not in sheet.columns]
    if absent:
        raise TabBenchError(f"{path}: no column(s) {absent}; keep those of the sheet")
    filled = sheet.set_index("id")[column].str.strip()
    filled = filled[filled != ""]
    if filled.empty:
        raise TabBenchError(f"{path}: nothing is filled in; fill in the column '{column}'")
    twice = filled.index[filled.index.duplicated()]
    if len(twice):
        raise TabBenchError(f"{path}: {twice[0]} is filled in more than once; keep one line of it")
    if not filled.index.isin(list(answers)).any():
        raise TabBenchError(
            f"{path}: none of its {len(filled)} ids is of an answer of this run; an answer has "
            "another id once its model wrote another response or its gold answer changed, so make "
            "the sheet anew and fill in that"
        )
    return filled
