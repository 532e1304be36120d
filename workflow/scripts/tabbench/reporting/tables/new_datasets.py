"""RQ3, Tables XVII and XVIII: models and baselines on the datasets released after October 2024."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tabbench.core.baseline_names import FIT_FULL
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.remarks import not_fitted
from tabbench.reporting.titles import full_title, shots_title
from tabbench.reporting.writer import Table
from tabbench.scoring.aggregate import over_datasets, over_seeds
from tabbench.scoring.select import select_main


def table17(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    methods: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
) -> Table:
    """Make Table XVII: zero-shot ROC-AUC, a row per new dataset.

    Columns are the models, then methods that work without examples, such as FeatLLM and LLM trees.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models, methods, baselines : display name by id, in the order of the columns; methods are
        FeatLLM and LLM trees. Methods and baselines without a score are left out
    mode : generation or forward, of the models

    Raises
    ------
    TabBenchError
        When no cell matches, or the results of a column mix set-ups.
    """
    beside = {**methods, **baselines}
    used = _used(scores, models, beside, mode, shots=[0])
    names = _names(used, models, beside)
    numbers = over_seeds(used)
    datasets = sorted(numbers["dataset"].unique())
    covered = over_datasets(numbers, ["model"])
    rows = [
        (name, *grid_row(numbers[numbers["dataset"] == name], "model", names)) for name in datasets
    ]
    return Table(
        caption=f"Zero-shot ROC-AUC on the new datasets, {mode} mode",
        header=("Dataset", *names.values()),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            "± is the sample standard deviation over seeds; a value without ± has one seed",
            dataset_note(covered, lambda cell: names[cell.model], unit="column"),
            *_not_asked(methods, names, "zero-shot on the new datasets"),
            *foundation_notes(used, names, spread=None),
        ),
    )


def table18(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    methods: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
) -> Table:
    """Make Table XVIII: mean ROC-AUC over the new datasets, rows the methods, columns the shots.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models, methods, baselines : display name by id, in the order of the rows; methods are
        FeatLLM and LLM trees. Methods and baselines without a score are left out
    mode : generation or forward, of the models

    Raises
    ------
    TabBenchError
        When no cell matches, or the results of a row mix set-ups.
    """
    beside = {**methods, **baselines}
    used = _used(scores, models, beside, mode)
    names = _names(used, models, beside)
    in_full = used["mode"] == FIT_FULL
    cells = over_datasets(over_seeds(used[~in_full]), ["model", "k"])
    shots: dict[Any, str] = {int(k): shots_title(k) for k in sorted(cells["k"].unique())}
    full = over_datasets(over_seeds(used[in_full]), ["model"]).assign(k=FIT_FULL)
    columns = shots | ({FIT_FULL: full_title()} if len(full) else {})
    cells = pd.concat([cells, full], ignore_index=True)
    rows = tuple(
        (name, *grid_row(cells[cells["model"] == model], "k", columns))
        for model, name in names.items()
    )
    return Table(
        caption=f"ROC-AUC over the new datasets by shots, {mode} mode",
        header=("Model", *columns.values()),
        rows=rows,
        numbers=cells,
        notes=(
            dataset_note(cells, lambda cell: f"{names[cell.model]} {columns[cell.k]}"),
            *_not_asked(methods, names, "on the new datasets"),
            *filter(None, [not_fitted(used, baselines)]),
            *foundation_notes(used, names),
        ),
    )


def _used(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    beside: Mapping[str, str],
    mode: str,
    shots: Sequence[int] | None = None,
) -> pd.DataFrame:
    asked = select_main(
        scores,
        models=models,
        suites=["new"],
        modes=[mode],
        shots=shots,
    )
    others = scores[(scores["suite"] == "new") & scores["model"].isin([*beside])]
    if shots is not None:
        others = others[others["k"].isin(shots) & (others["mode"] != FIT_FULL)]
    return pd.concat([asked, others], ignore_index=True)


def _names(
    used: pd.DataFrame, models: Mapping[str, str], beside: Mapping[str, str]
) -> dict[str, str]:
    """Return all models, run or not, and the methods and baselines that have a score."""
    found = set(used["model"])
    return {**models, **{model: name for model, name in beside.items() if model in found}}


def _not_asked(methods: Mapping[str, str], names: Mapping[str, str], where: str) -> tuple[str, ...]:
    absent = [name for method, name in methods.items() if method not in names]
    return (f"not run {where}: {'; '.join(absent)}",) if absent else ()
