"""What the decision page says of the data, of what leaves this machine, and of the probes."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.decision.sentences import each
from tabbench.probes.canary import CANARY
from tabbench.probes.verdicts import LiftThresholds, lift_verdict
from tabbench.reporting.writer import interval, p_value, plural, plus_minus

_FINDINGS = {
    "leak": "{column} alone tells the classes apart with a ROC-AUC of {value:.3f}: it may hold the "
    "label, or something that is known only afterwards",
    "near_unique": "{value:.0%} of the values of {column} are different, like those of an id: drop "
    "the column if it is one",
    "constant": "{column} has one value only",
    "near_constant": "{column} hardly varies: {value:.1%} of its known cells are {detail}",
    "duplicates": "{value:,.0f} of all {detail} test rows have the same features as a training row",
    "contradicting": "{value:,.0f} of these test rows have another label than the training row",
    "task_word": "the task text has a word of the name of {column}: {detail}",
}
_GRAVE = ("leak", "near_unique", "duplicates", "contradicting")
"""Findings that change how the answer is to be read."""


def findings(audit: pd.DataFrame) -> list[str]:
    """Say what a look at the table found, in rows of ``schemas.own.AUDIT``."""
    lacking = [
        f"{row.column} {row.value:.1%}" for row in each(audit[audit["finding"] == "missing"])
    ]
    told = [_finding(row) for row in each(audit[audit["finding"] != "missing"])]
    return told + ([f"Missing cells: {', '.join(lacking)}."] if lacking else [])


def _finding(row: Any) -> str:
    text = _FINDINGS[row.finding].format(column=row.column, value=row.value, detail=row.detail)
    return f"{text[0].upper()}{text[1:]}." if row.column == "" else f"{text}."


def warnings(audit: pd.DataFrame, classes: pd.DataFrame, sharing: pd.DataFrame) -> list[str]:
    """Return what a reader of the answer must know of the data and of where they went."""
    found = [_finding(row) for row in each(audit) if row.finding in _GRAVE]
    left = int(classes["not_sampled"].sum())
    if left:
        used = int(classes["used"].sum())
        found.append(f"{used:,} of {used + left:,} rows were drawn; the others were not used.")
    sent = sharing[sharing["sent"] & sharing["personal"].ne("")]
    for row in each(sent.drop_duplicates("column")):
        found.append(f"{row.column} looks personal ({row.personal}) and is sent to {row.address}.")
    return found


def class_sentences(
    classes: pd.DataFrame, parts: pd.DataFrame, negative: str, positive: str
) -> list[str]:
    """Say which rows are there, what was merged, and how they were split.

    Parameters
    ----------
    classes, parts : ``schemas.own.CLASSES`` and ``PARTS``
    negative, positive : what the classes mean
    """
    used, rows = int(classes["used"].sum()), int(classes["file_rows"].sum())
    left = [
        f"{count:,} {why}"
        for name, why in (("filtered", "left out by rows"), ("not_sampled", "not drawn"))
        if (count := int(classes[name].sum()))
    ]
    told = [f"{plural(used, 'row')} of {rows:,} of the file{': ' * bool(left)}{', '.join(left)}."]
    for label, meaning in ((1, positive), (0, negative)):
        values = [str(row.value) for row in each(classes[classes["label"] == label])]
        merged = f" ({len(values)} values merged)" if len(values) > 1 else ""
        told.append(f"Class {label}, {meaning}{merged}: {', '.join(values)}.")
    told += [
        f"{_PARTS[row.part]}: {plural(row.rows, 'row')}, {row.positive:,} of class 1"
        f"{f', {row.groups:,} groups' if row.groups else ''}."
        for row in each(parts)
        if row.rows
    ]
    if parts["groups"].any():
        told.append(
            "Rows of one group are on one side of the split. As they are alike, intervals and "
            "tests rest on groups, not on rows."
        )
    return told


_PARTS = {
    "train": "Training part (labels come from here)",
    "test": "Test part, asked",
    "unused": "Test part, not asked (test_rows)",
}


def sharing_sentences(sharing: pd.DataFrame, models: Mapping[str, str]) -> list[str]:
    """Say for each model what leaves this machine, and where it goes.

    Parameters
    ----------
    sharing : ``schemas.own.SHARING``
    models : display name by id
    """
    told = []
    for model, name in models.items():
        mine = sharing[sharing["model"] == model]
        sent = [str(column) for column in mine.loc[mine["sent"], "column"]]
        address = "".join(mine["address"].head(1))
        if sent:
            told.append(
                f"{name}: the cells of {plural(len(sent), 'column')} are sent to {address}: "
                f"{', '.join(sent)}."
            )
        elif address:
            told.append(f"{name}: asked at {address}, which is this machine; nothing leaves it.")
        else:
            told.append(f"{name}: computes on this machine; nothing leaves it.")
    return told


def seen_sentences(
    dataset: str,
    models: Mapping[str, str],
    recognition: pd.DataFrame,
    lifts: pd.DataFrame,
    completions: pd.DataFrame,
) -> list[str]:
    """Say what the memorization probes found on a dataset, the planted control next to it.

    Parameters
    ----------
    models : display name by id, of those that were probed
    recognition, lifts, completions : ``schemas.PROBE_RECOGNITION``, ``PROBE_LIFTS``,
        ``PROBE_COMPLETIONS``
    """
    told = []
    for model, name in models.items():
        for one, what in ((dataset, "this table"), (CANARY, "the planted control")):
            parts = [
                *_recognized(_of(recognition, model, one)),
                *_filled(_of(lifts, model, one)),
                *_continued(_of(completions, model, one)),
            ]
            if parts:
                told.append(f"{name} on {what}: {'; '.join(parts)}.")
    return told


def _of(frame: pd.DataFrame, model: str, dataset: str) -> list[Any]:
    return each(frame[(frame["model"] == model) & (frame["dataset"] == dataset)])


def _recognized(rows: list[Any]) -> list[str]:
    return [
        f"given the title alone, it lists {row.found:,} of {row.telling:,} column names that "
        f"cannot be guessed ({row.outcome})"
        for row in rows
    ]


def _filled(rows: list[Any]) -> list[str]:
    told = []
    for row in rows:
        over = [
            f"{plus_minus(lift, signed=True)} {interval(low, high, signed=True)} over {what} "
            f"({p_value(p, math.nan)}; {lift_verdict(lift, low, high, LiftThresholds())})"
            for lift, low, high, p, what in (
                (row.lift_random, row.low_random, row.high_random, row.p_random, "chance"),
                (
                    row.lift_shuffled,
                    row.low_shuffled,
                    row.high_shuffled,
                    row.p_shuffled,
                    "rows whose columns are shuffled",
                ),
            )
        ]
        told.append(
            f"it fills {row.accuracy:.0%} of {plural(row.n, 'hidden cell')} right, "
            f"{' and '.join(over)}"
        )
    return told


def _continued(rows: list[Any]) -> list[str]:
    if not rows:
        return []
    verbatim = sum(bool(row.verbatim) for row in rows)
    expected = sum(float(row.chance_verbatim) for row in rows)
    return [
        f"it goes on with {verbatim:,} of {plural(len(rows), 'row')} word for word, where chance "
        f"would {expected:.2g}"
    ]
