"""The summary of one user dataset."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.baseline_names import FIT_FULL
from tabbench.core.contexts import CONTEXTS, RICHEST
from tabbench.data.audit import LEAK, Audit
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import PLAIN_AUC
from tabbench.reporting.titles import full_title, shots_title
from tabbench.reporting.writer import DASH, Table
from tabbench.scoring.aggregate import over_seeds


def summary(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    title: str,
    figures: Mapping[str, float],
    found: Audit,
    fits: pd.DataFrame,
) -> Table:
    """Make the summary: rows the models and baselines, columns the shots; models with all context.

    Parameters
    ----------
    scores : cells of one dataset, with the columns of `metrics.score_cells`, suite and domain
    models : display name by id, baselines included, in the order of the rows
    title : of the dataset
    figures : what `description.describe` gives
    found : what `audit.audit` gives
    fits : DataFrame with the columns of ``schemas.FITS``, of the dataset's baselines
    """
    poorer = [one.pair for one in CONTEXTS if one != RICHEST]
    pairs = zip(scores["prompt"], scores["serialization"], strict=True)
    cells = over_seeds(scores[[pair not in poorer for pair in pairs]])
    in_full = cells["mode"] == FIT_FULL
    shots: dict[Any, str] = {k: shots_title(k) for k in sorted(cells.loc[~in_full, "k"].unique())}
    if in_full.any():
        shots[FIT_FULL] = f"{full_title()} ({cells.loc[in_full, 'k'].max()})"
    columns = cells.assign(column=cells["k"].astype(object).mask(in_full, FIT_FULL))
    rows = []
    for model, name in models.items():
        row = columns[columns["model"] == model]
        asked = int(row["asked"].sum())
        invalid = f"{row['invalid'].sum() / asked:.1%}" if asked else DASH
        mass = row["label_mass"].median()
        rows.append(
            (
                name,
                *grid_row(row, "column", shots),
                invalid,
                DASH if pd.isna(mass) else f"{mass:.2f}",
            )
        )
    return Table(
        caption=f"{title}: ROC-AUC of every model and baseline",
        header=("Model", *shots.values(), "Invalid", "Label mass"),
        rows=tuple(rows),
        numbers=cells,
        notes=(
            PLAIN_AUC,
            "± is the sample standard deviation over the draws of examples",
            f"{figures['rows']:,.0f} rows, {figures['numeric']:.0f} numeric and "
            f"{figures['categorical']:.0f} categorical features, {figures['positive_percent']} % "
            f"of class 1; {found.train} training and {found.test} test rows{_cap(scores, found)}",
            *_absent(cells, models, fits),
            *_warnings(found),
        ),
    )


def _absent(cells: pd.DataFrame, models: Mapping[str, str], fits: pd.DataFrame) -> list[str]:
    """Name models and baselines without a result, and why a baseline was not fitted."""
    out = fits[fits["reason"] != ""]
    explained = {*cells["model"], *out["model"]}
    names = [name for model, name in models.items() if model not in explained]
    notes = [f"no result: {', '.join(names)}"] if names else []
    for (model, reason), rows in out.groupby(["model", "reason"], sort=False):
        shots = ", ".join(map(str, sorted(rows["k"].unique())))
        notes.append(f"{models[str(model)]}: not fitted at k = {shots}, since {reason}")
    return notes


def _cap(scores: pd.DataFrame, found: Audit) -> str:
    asked = int(scores["n"].max())
    return f", of which {asked} were used (test_rows)" if asked < found.test else ""


def _warnings(found: Audit) -> list[str]:
    warnings = []
    if found.leaks:
        leaks = ", ".join(f"{name} ({auc:.3f})" for name, auc in found.leaks.items())
        warnings.append(f"may leak the label (ROC-AUC above {LEAK} alone): {leaks}")
    if found.near_unique:
        warnings.append(f"almost only different values, like an id: {', '.join(found.near_unique)}")
    if found.constant:
        warnings.append(f"has one value only: {', '.join(found.constant)}")
    if found.duplicates:
        warnings.append(f"test rows with the features of a training row: {found.duplicates}")
    if found.told:
        warnings.append(f"the task text has words of column names: {', '.join(found.told)}")
    return warnings
