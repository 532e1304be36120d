"""Text formats of a row compared: bars without examples, curves over their number."""

from collections.abc import Mapping, Sequence

import pandas as pd

from tabbench.core.suites import GROUPS
from tabbench.reporting.figures.draw import grouped_bars, model_curves
from tabbench.reporting.remarks import rows_sentence
from tabbench.reporting.style import (
    COLUMN,
    FORMAT_LOOKS,
    PAGE,
    Figure,
    chance_line,
    legend_above,
    panels,
    styled,
    with_data,
)
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.select import select


@styled
def bars(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    mode: str = "generation",
    *,
    suites: Sequence[str] = GROUPS["All"],
    prompt: str = "contextual",
) -> Figure:
    """Draw a bar of zero-shot ROC-AUC per format for each model.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the configured order
    mode : generation or forward
    suites, prompt : of the cells
    """
    used = select(scores, models=models, suites=suites, modes=[mode], prompts=[prompt], shots=[0])
    same = paired(over_seeds(used), across=["serialization"], within=["model"])
    cells = over_datasets(same, ["model", "serialization"])
    shown = with_data(models, cells)
    counts = cells.groupby("model")["n_datasets"].max()
    titles = {model: f"{models[model]}\n(n = {counts[model]})" for model in shown}
    looks = _looks(cells)
    figure, (axes,) = panels(1, width=COLUMN if len(shown) < 3 else PAGE, height=2.8)
    grouped_bars(axes, cells, "model", titles, "serialization", looks)
    chance_line([axes])
    legend_above(figure, axes, columns=3 if len(shown) < 3 else 5)
    return Figure(
        figure,
        f"Zero-shot ROC-AUC by serialization ({mode} mode, {prompt} prompt, n datasets per model "
        "under its name). The bars of a model cover the same datasets and start at chance; "
        "whiskers: root mean square of the standard deviations over seeds, none with a single "
        f"seed.{rows_sentence(used)}",
    )


@styled
def curves(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    mode: str = "generation",
    *,
    suites: Sequence[str] = GROUPS["All"],
    prompt: str = "contextual",
) -> Figure:
    """Draw a line of ROC-AUC over examples per format, a panel per model; see `bars`."""
    used = select(scores, models=models, suites=suites, modes=[mode], prompts=[prompt])
    same = paired(over_seeds(used), across=["serialization"], within=["model", "k"])
    cells = over_datasets(same, ["model", "k", "serialization"])
    return Figure(
        model_curves(cells, models, "serialization", _looks(cells), columns=(3, 5)),
        f"ROC-AUC against the number of labelled examples by serialization ({mode} mode, {prompt} "
        "prompt, n datasets below the shots). At each number of shots the formats of a model cover "
        "the same datasets; whiskers: root mean square of the standard deviations over seeds."
        f"{rows_sentence(used)}",
    )


def _looks(cells: pd.DataFrame) -> dict[str, dict[str, object]]:
    found = set(cells["serialization"])
    return {name: look for name, look in FORMAT_LOOKS.items() if name in found}
