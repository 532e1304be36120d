"""Notes under a table: what its numbers are based on. Every table carries all of them."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from tabbench.core.baseline_names import FIT_FULL
from tabbench.core.contexts import CONTEXT_NOTE
from tabbench.core.errors import TabBenchError
from tabbench.reporting.layout import TOO_LONG_MARK
from tabbench.reporting.remarks import rows_remark
from tabbench.reporting.writer import DASH, plural, plus_minus
from tabbench.scoring.aggregate import SPREAD_NOTES, Spread, asked

PLAIN_AUC = "ROC-AUC is plain: 0.5 is chance, values below 0.5 rank the wrong way round"
GENERAL: dict[str, str] = {
    "Scores": PLAIN_AUC,
    "Spread": SPREAD_NOTES["over_seeds"],
    "Contexts": CONTEXT_NOTE,
}
"""Notes that hold for every table that does not say otherwise, by what they explain."""

_FITTED = ("fit", FIT_FULL)
_WRITTEN = {"rules": "rules", "tree": "trees"}
"""Modes of the baselines whose logic a language model writes."""


def foundation_notes(
    scores: pd.DataFrame, models: Mapping[str, str], spread: Spread | None = "over_seeds"
) -> tuple[str, ...]:
    """Return the notes that every table of ROC-AUC carries.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``; the rows the table rests on
    models : display name by id, baselines included
    spread : definition of ±; None where the table itself defines it or has none

    Raises
    ------
    TabBenchError
        When one model's rows come from different engines, styles or dtypes.
    """
    return (
        PLAIN_AUC,
        *((SPREAD_NOTES[spread],) if spread else ()),
        *_undefined(scores),
        *too_long_notes(scores, models),
        *_invalid(scores, models),
        _prompts(scores),
        *(_model(scores[scores["model"] == model], models[model]) for model in models),
        rows_remark(scores),
    )


def dataset_note(cells: pd.DataFrame, label: Callable[[Any], str], unit: str = "cell") -> str:
    """Name the datasets of the aggregates, and the aggregates that lack some of them.

    Parameters
    ----------
    cells : DataFrame from ``aggregate.over_datasets``
    label : from a row of ``cells``, as named tuple, to the name of that aggregate
    unit : an aggregate's place in the table: a cell or a column
    """
    sets = [frozenset(filter(None, text.split("; "))) for text in cells["datasets"]]
    every = frozenset[str]().union(*sets)
    if not every:
        return "no dataset has a defined ROC-AUC"
    listed = ", ".join(sorted(every))
    fewer = [
        f"{label(cell)}: {len(names)} (without {', '.join(sorted(every - names))})"
        for cell, names in zip(cells.itertuples(), sets, strict=True)
        if names != every
    ]
    if fewer:
        return f"datasets, n = {len(every)}: {listed}; fewer in {'; '.join(fewer)}"
    return f"datasets, n = {len(every)} in every {unit}: {listed}"


def _undefined(scores: pd.DataFrame) -> tuple[str, ...]:
    count = int(scores["roc_auc"].isna().sum())
    note = (
        f"left out: {plural(count, 'result')} of one dataset and seed without a ROC-AUC, since a "
        "class is missing from the rows with a valid answer"
    )
    return (note,) if count else ()


def too_long_notes(scores: pd.DataFrame, models: Mapping[str, str]) -> tuple[str, ...]:
    """Say which cells lack test rows that do not fit into a model's context, and how many.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id
    """
    counts = scores.groupby(["model", "k", "dataset"], observed=True, as_index=False)[
        ["n_too_long", "n"]
    ].sum()
    by_place: dict[str, list[str]] = {}
    row: Any
    for row in counts[counts["n_too_long"] > 0].itertuples():
        number = "all" if row.n_too_long == row.n else f"{row.n_too_long:,} of"
        place = f"{models.get(row.model, row.model)} at k = {row.k}"
        by_place.setdefault(place, []).append(f"{row.dataset} {number} {row.n:,}")
    found = [f"{place}: {', '.join(listed)}" for place, listed in by_place.items()]
    if not found:
        return ()
    return (
        "warning: rows whose prompt and answer exceed the model's context were not sent and are "
        f"left out of ROC-AUC ({TOO_LONG_MARK}); so many, all cells of a dataset together: "
        f"{'; '.join(found)}",
    )


def _invalid(scores: pd.DataFrame, models: Mapping[str, str]) -> tuple[str, ...]:
    """State what invalid answers would change, and where models rest on different rows."""
    lost = scores["n_scored"] < scores["n"]
    left_out = "invalid answers" + " and rows too long" * bool(scores["n_too_long"].any())
    compared = scores.groupby("dataset", observed=True)["model"].transform("nunique") > 1
    uneven = sorted(scores.loc[lost & compared, "dataset"].unique())
    changes = (scores["roc_auc_all_rows"] - scores["roc_auc"]).groupby(scores["model"]).mean()
    changed = [
        f"{name} {plus_minus(changes[model], signed=True)}"
        for model, name in models.items()
        if lost[scores["model"] == model].any() and pd.notna(changes[model])
    ]
    notes = []
    if changed:
        notes.append(
            f"{left_out} are left out of ROC-AUC; counted as p = 0.5 (all_rows in the .csv) "
            f"they would change the mean over cells: {', '.join(changed)}"
        )
    if uneven:
        notes.append(
            "warning: models are compared on different test rows, since rows that are invalid or "
            f"too long for one of them are left out there: {', '.join(uneven)}"
        )
    return tuple(notes)


def _prompts(scores: pd.DataFrame) -> str:
    prompted = scores[~scores["mode"].isin([*_FITTED, *_WRITTEN])]
    parts = (
        f"{title}: {', '.join(sorted(prompted[name].unique()))}"
        for name, title in (
            ("mode", "mode"),
            ("prompt", "prompt"),
            ("serialization", "serialization"),
        )
    )
    return "; ".join(parts)


def _model(rows: pd.DataFrame, name: str) -> str:
    if rows.empty:
        return f"{name}: not run ({DASH})"
    for column in ("engine", "style", "dtype"):
        if len(rows[column].unique()) > 1:
            raise TabBenchError(
                f"{name}: results with {column} {' and '.join(sorted(rows[column].unique()))} "
                "cannot be in one table row; predict the cells of one of them again"
            )
    sent, scored = int(asked(rows).sum()), int(rows["n_scored"].sum())
    answers = (
        f"invalid answers {(sent - scored) / sent:.1%} of {sent:,}" if sent else "no row was sent"
    )
    first = rows.iloc[0]
    if rows["mode"].isin(_FITTED).all():
        weights = sorted(set(rows["template"]) - {"none"})
        loaded = f", weights {', '.join(weights)}" if weights else ""
        return f"{name}: fitted baseline, engine {first['engine']}{loaded}, {answers}"
    if first["mode"] in _WRITTEN:
        return f"{name}: {_WRITTEN[first['mode']]} written by engine {first['engine']}, {answers}"
    mass = rows["label_mass"].median()
    bounded = (rows["bounded_rate"] * rows["n_scored"]).sum() / max(scored, 1)
    return (
        f"{name}: engine {first['engine']}, style {first['style']}, dtype {first['dtype']}, "
        f"template {', '.join(sorted(rows['template'].unique()))}; {answers}; "
        f"median label mass {DASH if pd.isna(mass) else f'{mass:.2f}'}"
        + (f"; a label not listed, so p rests on a bound: {bounded:.1%}" if bounded else "")
    )
