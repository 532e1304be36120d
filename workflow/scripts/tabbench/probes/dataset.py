"""A dataset in the probes, and the rows and cells drawn from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tabbench.probes.columns import namings
from tabbench.prompts.serialize import MISSING, format_cell

_SEED = 0


@dataclass(frozen=True)
class Probed:
    """A dataset as the probes see it.

    Attributes
    ----------
    id, title : the recognition test gives a model the title alone
    features : one row per ``row_id`` (the index); numeric columns float64, others text
    namings : ways to name all columns, target and left-out ones included; see `columns.namings`
    """

    id: str
    title: str
    features: pd.DataFrame
    namings: Sequence[tuple[str, ...]]


def probed(name: str, table: pd.DataFrame, metadata: Mapping[str, Any]) -> Probed:
    """Make a dataset ready for the probes.

    Parameters
    ----------
    table : DataFrame with the columns of ``schemas.TABLE``
    metadata : ``title``, ``others`` (columns of the file that are no features, the target among
        them) and ``renames`` (see `columns.namings`)
    """
    features = table.set_index("row_id").drop(columns="y")
    columns = [*features.columns, *metadata["others"]]
    return Probed(name, metadata["title"], features, namings(columns, metadata["renames"]))


def sampled_rows(features: pd.DataFrame, rows: int) -> list[int]:
    """Draw row ids without replacement; a larger number keeps those of a smaller one."""
    drawn = np.random.default_rng(_SEED).permutation(len(features))[:rows]
    return [int(row) for row in features.index[drawn]]


def sampled_cells(features: pd.DataFrame, rows: int, cells: int) -> list[tuple[int, str]]:
    """Draw cells that hold a value from sampled rows, uniformly and without replacement.

    Returns
    -------
    list of (row id, column)
        Fewer than ``cells`` where the rows have no more; a larger number of cells keeps those of a
        smaller one.
    """
    sample = features.loc[sampled_rows(features, rows)]
    places = np.argwhere(sample.notna().to_numpy())
    drawn = np.random.default_rng(_SEED).permutation(len(places))[:cells]
    return [(int(sample.index[row]), str(sample.columns[column])) for row, column in places[drawn]]


def shuffled(features: pd.DataFrame) -> pd.DataFrame:
    """Permute each column independently: marginals stay, rows are broken up."""
    random = np.random.default_rng(_SEED)
    return pd.DataFrame(
        {name: random.permutation(column) for name, column in features.items()},
        index=features.index,
    )


def written(value: object) -> str:
    """Write a cell in one line."""
    cell = format_cell(value)
    return MISSING if cell is None else " ".join(cell.split())
