"""Each cell of the released repository next to ours."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.baseline_names import BASELINES as TITLES
from tabbench.published.cells import (
    BEYOND,
    OVER,
    REPLICATED_NAMES,
    REPLICATED_TITLES,
    VERDICTS,
    compare_cells,
    released_names,
    summarize_cells,
)
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import Table, p_value, plus_minus

_MOST = 200
"""Rows that are read; of more cells only those beyond noise are, and the .csv has all."""

_HEADER = (
    *("Dataset", "Model", "Mode", "Serialization", "Shots", "Released", "Here", "Draws here"),
    *("Difference", "Standard error", "Verdict"),
)
_SUMMARY = (
    *("Model", "Mode", "Serialization", "Shots", "n cells", "Mean difference"),
    *("Mean absolute difference", "Spearman's ρ (p)", *(name.capitalize() for name in VERDICTS)),
)

_NOTES = (
    "released: typed from the files of the paper's repository; file and commit of each are in the "
    ".csv under source. Values below 0.5 count as 1 − ROC-AUC there, per draw, and so do ours, "
    "except where the released value is plain (metric in the .csv); ± is the sample standard "
    "deviation over draws, of ours on MLP levels over tables",
    "standard error: of the difference. It holds the draws of examples on both sides, and the test "
    "rows as far as they are not the same or were left out by test_rows; on MLP levels the tables, "
    "which are others. Where it is 0 nothing is random: any difference is beyond noise",
    f"verdict: equal to the third digit; within noise: up to {BEYOND} standard errors; beyond "
    "noise: more. With 5 draws on both sides 4 of 100 cells would be beyond noise by chance",
)

_SAME_DRAWS = (
    "the draws are the released ones, so where the rows agree as well, the standard error "
    "overstates the possible difference",
)


def cells(
    scores: pd.DataFrame,
    released: pd.DataFrame,
    released_rows: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
) -> Table:
    """Make the table of released cells that this run has as well.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    released, released_rows : DataFrames with the columns of the schemas of these names
    models, baselines : display name by id
    """
    names = released_names(models, baselines)
    found = compare_cells(scores, released, released_rows, names)
    return _cells(found, {**models, **baselines}, _settings(found))


def cells_summary(
    scores: pd.DataFrame,
    released: pd.DataFrame,
    released_rows: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
) -> Table:
    """Make the table of agreement with the released cells; parameters as of `cells`."""
    names = released_names(models, baselines)
    found = compare_cells(scores, released, released_rows, names)
    return _summary(found, {**models, **baselines}, _settings(found))


def replicated_cells(
    scores: pd.DataFrame, released: pd.DataFrame, released_rows: pd.DataFrame
) -> Table:
    """Make the table of released cells that were fitted again.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.REPLICATION``
    released, released_rows : DataFrames with the columns of the schemas of these names
    """
    found = compare_cells(scores, released, released_rows, REPLICATED_NAMES, complete=True)
    return _cells(found, REPLICATED_TITLES, _SAME_DRAWS)


def replicated_summary(
    scores: pd.DataFrame, released: pd.DataFrame, released_rows: pd.DataFrame
) -> Table:
    """Make the table of agreement of what was fitted again; parameters as of `replicated_cells`."""
    found = compare_cells(scores, released, released_rows, REPLICATED_NAMES, complete=True)
    return _summary(found, REPLICATED_TITLES, _SAME_DRAWS)


def _settings(found: pd.DataFrame) -> tuple[str, ...]:
    fitted = [TITLES[name] for name in found.loc[found["mode"] == "fit", "model"].unique()]
    if not fitted:
        return ()
    return (
        f"{', '.join(fitted)}: the same methods with other settings, encodings and draws than "
        "released, so cells may differ beyond noise; the target replication fits logistic "
        "regression as released",
    )


def _cells(found: pd.DataFrame, titles: Mapping[str, str], notes: tuple[str, ...]) -> Table:
    shown = found if len(found) <= _MOST else found[found["verdict"] == OVER]
    if len(shown) < len(found):
        notes = (*notes, f"shown: cells beyond noise, n = {len(shown)}; the .csv has all")
    reasons = dict(found.loc[found["rows"] != "", ["dataset", "rows"]].to_numpy().tolist())
    other = "; ".join(f"{name} ({reason})" for name, reason in reasons.items())
    return Table(
        caption=f"ROC-AUC of released cells, and here (n = {len(found)} cells)",
        header=_HEADER,
        rows=tuple(_row(row, titles) for row in shown.itertuples()),
        numbers=found,
        notes=(*_NOTES, *notes, *([f"other test rows than there: {other}"] if other else [])),
    )


def _row(row: Any, titles: Mapping[str, str]) -> tuple[str, ...]:
    return (
        *(row.dataset, titles[row.model], row.mode, row.serialization, shots_title(row.k)),
        plus_minus(row.released, row.released_std),
        plus_minus(row.ours, row.ours_std),
        str(row.n_draws),
        plus_minus(row.difference, signed=True),
        plus_minus(row.error),
        row.verdict,
    )


def _summary(found: pd.DataFrame, titles: Mapping[str, str], notes: tuple[str, ...]) -> Table:
    numbers = summarize_cells(found)
    counts = found["verdict"].value_counts()
    said = ", ".join(f"{counts[name]} {name}" for name in VERDICTS if name in counts)
    return Table(
        caption=f"Agreement with the released cells (n = {len(found)}{': ' * bool(said)}{said})",
        header=_SUMMARY,
        rows=tuple(_summary_row(row, titles) for row in numbers.itertuples()),
        numbers=numbers,
        notes=(
            "Spearman's ρ: over the cells of the row, datasets and levels alike, with the p-value "
            "of a permutation test; none with fewer than 3 cells",
            *_NOTES,
            *notes,
        ),
    )


def _summary_row(row: Any, titles: Mapping[str, str]) -> tuple[str, ...]:
    rho = plus_minus(row.rho, digits=2)
    return (
        *(titles[row.model], row.mode, row.serialization),
        "all" if row.k < 0 else shots_title(row.k),
        str(row.n_cells),
        plus_minus(row.mean_difference, signed=True),
        plus_minus(row.mean_absolute_difference),
        rho if pd.isna(row.p_rho) else f"{rho} ({p_value(row.p_rho, math.nan)})",
        *map(str, row[-len(VERDICTS) :]),
    )
