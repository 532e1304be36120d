"""RQ4, Table VIII: gain of context, Cols-Context minus NoCols-NoContext, by shots."""

from collections.abc import Mapping

import pandas as pd

from tabbench.core.contexts import CONTEXT_NOTE, POOREST, RICHEST, with_configuration
from tabbench.reporting.layout import grid_row, signed_mean_and_spread
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import Table
from tabbench.scoring.aggregate import difference, over_datasets, over_seeds
from tabbench.scoring.select import select_configurations


def table8(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Table:
    """Make Table VIII: rows the models, columns the shots.

    A difference is taken per dataset, so both sides always cover the same datasets.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the order of the rows
    mode : generation or forward

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    used = select_configurations(scores, models, mode)
    ends = with_configuration(used)["configuration"].isin([POOREST.name, RICHEST.name])
    used = used[ends.to_numpy()]
    datasets = with_configuration(over_seeds(used))
    deltas = difference(
        datasets[datasets["configuration"] == RICHEST.name],
        datasets[datasets["configuration"] == POOREST.name],
        on=["model", "mode", "k"],
    )
    cells = over_datasets(deltas, ["model", "k"])
    shots = {k: shots_title(k) for k in sorted(used["k"].unique())}
    rows = tuple(
        (
            name,
            *grid_row(cells[cells["model"] == model], "k", shots, signed_mean_and_spread),
        )
        for model, name in models.items()
    )
    return Table(
        caption=(
            f"ΔROC-AUC = {RICHEST.name} − {POOREST.name} by shots, classic suite, {mode} mode"
        ),
        header=("Model", *shots.values()),
        rows=rows,
        numbers=cells,
        notes=(
            "Δ is taken per dataset; its spread per dataset is sqrt(s1² + s2²) of the two sides",
            CONTEXT_NOTE,
            dataset_note(cells, lambda cell: f"{models[cell.model]} {shots[cell.k]}"),
            *foundation_notes(used, models),
        ),
    )
