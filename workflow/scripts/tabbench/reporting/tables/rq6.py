"""RQ6, Table X: ROC-AUC on the MLP grid by level, model and shots."""

from collections.abc import Mapping, Sequence

import pandas as pd

from tabbench.core.contexts import MASKED
from tabbench.core.suites import level_number
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import Table
from tabbench.scoring.aggregate import over_datasets, over_seeds
from tabbench.scoring.select import select


def table10(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    mode: str = "generation",
    shots: Sequence[int] = (0, 4, 16),
) -> Table:
    """Make Table X: rows the MLP levels, easiest first; columns model by shots.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``; in the mlp suite ``domain`` is
        the level
    models : display name by id, in the order of the columns
    mode : generation or forward
    shots : numbers of examples, in the order of the columns

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    used = select(
        scores,
        models=models,
        suites=["mlp"],
        modes=[mode],
        prompts=[MASKED.prompt],
        serializations=[MASKED.serialization],
        shots=shots,
    )
    cells = over_datasets(over_seeds(used), ["domain", "model", "k"])
    columns = {
        (model, k): f"{name} {shots_title(k)}" for model, name in models.items() for k in shots
    }
    levels = sorted(cells["domain"].unique(), key=level_number)
    rows = tuple(
        (level, *grid_row(cells[cells["domain"] == level], ["model", "k"], columns))
        for level in levels
    )
    every = over_datasets(over_seeds(used), ["model", "k"])
    tables = sorted({cells["n_datasets"].min(), cells["n_datasets"].max()})
    return Table(
        caption=f"ROC-AUC on the MLP grid by level, model and shots, {mode} mode",
        header=("Level", *columns.values()),
        rows=rows,
        numbers=cells.rename(columns={"domain": "level"}),
        notes=(
            f"difficulty rises from {levels[0]} to {levels[-1]}; a value is the mean over the "
            f"tables of its level (n = {' to '.join(map(str, tables))})",
            dataset_note(every, lambda cell: columns[cell.model, cell.k], unit="column"),
            *foundation_notes(used, models),
        ),
    )
