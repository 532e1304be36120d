"""RQ2, Table VI: four context configurations at zero shots."""

from collections.abc import Mapping

import pandas as pd

from tabbench.core.contexts import CONTEXT_NOTE, CONTEXTS, with_configuration
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.writer import Table
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.select import select_configurations


def table6(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Table:
    """Make Table VI: rows the configurations, poorest first; columns the models.

    A model's configurations are means over the same datasets of the classic suite.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the order of the columns
    mode : generation or forward

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    used = select_configurations(scores, models, mode, shots=[0])
    datasets = with_configuration(over_seeds(used))
    same = paired(datasets, across=["configuration"], within=["model"])
    cells = over_datasets(same, ["configuration", "model"])
    rows = tuple(
        (one.name, *grid_row(cells[cells["configuration"] == one.name], "model", models))
        for one in CONTEXTS
    )
    return Table(
        caption=f"Zero-shot ROC-AUC by context configuration, classic suite, {mode} mode",
        header=("Configuration", *models.values()),
        rows=rows,
        numbers=cells,
        notes=(
            CONTEXT_NOTE,
            dataset_note(cells, lambda cell: f"{models[cell.model]} {cell.configuration}"),
            *foundation_notes(used, models),
        ),
    )
