"""RQ1: zero-shot models and baselines that were fitted on the whole training part."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.baseline_names import FIT_FULL, reference_shots
from tabbench.core.suites import GROUPS
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.titles import domain_title, full_title, shots_title
from tabbench.reporting.writer import Table
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.select import zero_shot_and_fitted


def full_training(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    baseline_shots: int = 16,
) -> Table:
    """Make the table: rows the groups of datasets and the classic suite's domains.

    Columns are the models without examples, then each baseline on few examples and on all training
    rows. Within a row every column is a mean over the same datasets.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models, baselines : display name by id, in the order of the columns; baselines without a score
        are left out
    mode : generation or forward, of the models
    baseline_shots : the few examples, where a baseline was fitted on so many

    Raises
    ------
    TabBenchError
        When a model's results mix set-ups.
    """
    real = scores[scores["suite"].isin(GROUPS["All"])]
    shots = reference_shots(real.loc[real["mode"] == "fit", "k"], baseline_shots)
    full = real[(real["mode"] == FIT_FULL) & real["model"].isin(list(baselines))]
    used = pd.concat([zero_shot_and_fitted(real, models, baselines, mode, shots), full])
    found = set(zip(used["model"], used["mode"], strict=True))
    columns = {(model, mode): f"{name} ({shots_title(0)})" for model, name in models.items()}
    for model, name in baselines.items():
        for kind, title in (("fit", shots_title(shots)), (FIT_FULL, full_title())):
            if (model, kind) in found:
                columns[model, kind] = f"{name} ({title})"
    fitted = {model for model, _ in found}
    names = dict(models) | {model: name for model, name in baselines.items() if model in fitted}
    datasets = over_seeds(used)
    groups = {name: datasets["suite"].isin(suites) for name, suites in GROUPS.items()}
    classic = datasets["suite"] == "core"
    for domain in sorted(datasets.loc[classic, "domain"].unique()):
        groups[f"Classic, {domain_title(domain)}"] = classic & (datasets["domain"] == domain)
    parts = []
    for name, rows in groups.items():
        same = paired(datasets[rows], across=["model", "mode"], within=[])
        parts.append(over_datasets(same, ["model", "mode"]).assign(group=name))
    cells = pd.concat(parts, ignore_index=True)
    return Table(
        caption=f"Zero-shot models ({mode} mode) and baselines on all training rows, ROC-AUC",
        header=("Dataset group", *columns.values()),
        rows=tuple(_row(cells[cells["group"] == name], name, columns) for name in groups),
        numbers=cells[["group", *(name for name in cells.columns if name != "group")]],
        notes=(
            f"{full_title()}: fitted once on the whole training part, two thirds of a dataset; "
            "a model without examples has seen none of it",
            dataset_note(
                cells[cells["group"] == "All"], lambda cell: columns[cell.model, cell.mode]
            ),
            *foundation_notes(used, names),
        ),
    )


def _row(cells: pd.DataFrame, name: str, columns: Mapping[Any, str]) -> tuple[str, ...]:
    n = int(cells["n_datasets"].max()) if len(cells) else 0
    return (f"{name} (n = {n})", *grid_row(cells, ["model", "mode"], columns))
