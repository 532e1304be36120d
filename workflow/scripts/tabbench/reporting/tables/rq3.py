"""RQ3, Table VII: ROC-AUC against shots, and the significance of each gain over zero-shot."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import Table, p_value, plus_minus
from tabbench.scoring.aggregate import over_datasets, over_seeds
from tabbench.scoring.select import select_main
from tabbench.statistics.gains import combine_gains

_GAIN_NOTE = (
    "gain: mean over datasets of AUC at k − AUC at 0, on the same test rows; p: one-sided "
    "DeLong test per dataset ('k examples are better'; draws averaged), combined over n "
    "datasets by Stouffer's method, unweighted and not corrected for several comparisons"
)


def table7(
    scores: pd.DataFrame,
    tests: pd.DataFrame,
    models: Mapping[str, str],
    mode: str = "generation",
) -> Table:
    """Make Table VII: for each model its ROC-AUC by shots, then gain and p-value by shots.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    tests : DataFrame with the columns of ``schemas.TESTS``
    models : display name by id, in the order of the rows
    mode : generation or forward

    Returns
    -------
    Table
        ``numbers`` has a row per model and k; ``gain``, ``z``, ``p``, ``log10_p``,
        ``n_tests`` and ``n_tests_left_out`` are empty at k = 0.

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    used = select_main(scores, models=models, suites=["core"], modes=[mode])
    cells = over_datasets(over_seeds(used), ["model", "k"])
    gains = combine_gains(
        select_main(tests, models=models, suites=["core"], modes=[mode]) if len(tests) else tests,
        ["model", "k"],
    )
    shots = {k: shots_title(k) for k in sorted(cells["k"].unique())}
    rows = []
    for model, name in models.items():
        rows.append((name, *grid_row(cells[cells["model"] == model], "k", shots)))
        rows.append((f"{name}, gain", *grid_row(gains[gains["model"] == model], "k", shots, _gain)))
    gains = gains.rename(columns={"n_datasets": "n_tests", "n_left_out": "n_tests_left_out"})
    return Table(
        caption=f"ROC-AUC by shots, classic suite, Cols-Context, {mode} mode",
        header=("Model", *shots.values()),
        rows=tuple(rows),
        numbers=cells.merge(gains, on=["model", "k"], how="left"),
        notes=(
            _GAIN_NOTE,
            *_left_out(gains),
            dataset_note(cells, lambda cell: f"{models[cell.model]} {shots[cell.k]}"),
            *foundation_notes(used, models),
        ),
    )


def _gain(cell: Any) -> str:
    gain = plus_minus(cell.gain, signed=True)
    return f"{gain} ({p_value(cell.p, cell.log10_p)}, n = {cell.n_datasets})"


def _left_out(gains: pd.DataFrame) -> tuple[str, ...]:
    count = int(gains["n_tests_left_out"].sum())
    return (f"{count} tests are undefined (a class missing) and left out",) if count else ()
