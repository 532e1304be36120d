"""Memorization probes: Tables III and IV, continued rows, and every answer about columns."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from tabbench.probes.canary import CANARY
from tabbench.probes.verdicts import FEWEST_NAMES, OUTCOMES, LiftThresholds, lift_verdict
from tabbench.probes.windows import WINDOW
from tabbench.reporting.writer import Table, interval, p_value, plural, plus_minus
from tabbench.statistics.lifts import hits_at_least
from tabbench.statistics.multiplicity import LEVEL, holm

_PLANTED = "canary (planted)"
_AGAINST = ("random", "shuffled")
_CANARY_NOTE = (
    "the canary is a planted dataset that no model can know; it is a control of the probes"
)


def table3(recognition: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make Table III: outcomes of the recognition test, counted over datasets.

    Parameters
    ----------
    recognition : DataFrame with the columns of ``schemas.PROBE_RECOGNITION``
    models : display name by id
    """
    real = recognition[recognition["dataset"] != CANARY]
    counts = {
        (model, outcome): int(((real["model"] == model) & (real["outcome"] == outcome)).sum())
        for model in models
        for outcome in OUTCOMES
    }
    datasets = plural(real["dataset"].nunique(), "dataset")
    return Table(
        caption=f"Recognition outcomes per model, out of {datasets}",
        header=("Outcome", *models.values()),
        rows=tuple(
            (outcome.capitalize(), *(str(counts[model, outcome]) for model in models))
            for outcome in OUTCOMES
        ),
        numbers=pd.DataFrame(
            [(*key, count) for key, count in counts.items()],
            columns=["model", "outcome", "datasets"],
        ),
        notes=(
            "given a dataset's title alone, a model lists its columns; graded is the share of "
            "telling column names that it lists exactly, up to signs and case; a name is telling "
            "unless all its words are common in tables or are in the title",
            f"cannot be graded: fewer than {FEWEST_NAMES} telling names (V1, V2, ...); every "
            "answer with the names found in it: answers.md, answers.csv",
            *_cut(recognition),
            *_canaries(recognition, models, lambda row: str(row.outcome)),
        ),
    )


def table4(
    recognition: pd.DataFrame,
    lifts: pd.DataFrame,
    models: Mapping[str, str],
    thresholds: Mapping[str, float],
) -> Table:
    """Make Table IV: hidden cells filled right, against chance and against shuffled rows.

    Parameters
    ----------
    recognition : DataFrame with the columns of ``schemas.PROBE_RECOGNITION``
    lifts : DataFrame with the columns of ``schemas.PROBE_LIFTS``
    models : display name by id
    thresholds : arguments of `LiftThresholds`
    """
    limits = LiftThresholds(**thresholds)
    outcomes = recognition[["model", "dataset", "outcome"]]
    numbers = _ordered(lifts, models).merge(outcomes, on=["model", "dataset"])
    claims = numbers["dataset"] != CANARY
    for against in _AGAINST:
        numbers[f"p_holm_{against}"] = holm(numbers[f"p_{against}"].where(claims))
        lift, low, high = (numbers[f"{key}_{against}"] for key in ("lift", "low", "high"))
        numbers[f"verdict_{against}"] = [
            lift_verdict(*bounds, thresholds=limits) for bounds in zip(lift, low, high, strict=True)
        ]
    bold = {
        (place, column)
        for against, column in (("random", 6), ("shuffled", 9))
        for place, p in enumerate(numbers[f"p_holm_{against}"])
        if p < LEVEL
    }
    tests = plural(int(claims.sum()), "test")
    left_out = len(recognition) - len(numbers)
    return Table(
        caption="Hidden cells of rows filled in, against chance and against shuffled rows",
        header=(
            *("Model", "Dataset", "Recognition", "n", "LLM", "Random", "Lift over random", "p"),
            *("Shuffled", "Lift over shuffled", "p", "Invalid"),
            *("Verdict (random)", "Verdict (shuffled)"),
        ),
        rows=tuple(_lift_row(row, models) for row in _each(numbers)),
        numbers=numbers,
        notes=(
            "n: hidden cells, one question each; LLM: share filled right, a category exactly, a "
            f"number within {WINDOW} standard deviations of its column (the paper does not state "
            "its window); Random: expected share of a random value of the column, same window",
            "Shuffled: share filled right where each other cell comes from another row (columns "
            "permuted independently); the hidden values are the same",
            "[ ]: 95 % interval, percentiles of 2,000 resamples of the cells; an interval without "
            "width means that all cells have the same result",
            "p: exact permutation tests, one-sided, not corrected: random values of the column in "
            "the place of the answers, and answers to real and shuffled rows swapped in pairs; "
            f"bold: p < {LEVEL} after Holm's correction over the {tests} of a column without the "
            "canary's",
            f"verdicts: a lift above {limits.leaked} leaked, above {limits.likely_leaked} likely "
            f"leaked, above {limits.suspicious} suspicious, else no leak signal; not enough "
            "evidence: the interval covers zero",
            "invalid: answers without a value of the column, about real + shuffled rows; they "
            "count as wrong",
            *(
                [f"{plural(left_out, 'dataset')} of a model not probed: not flagged"]
                if left_out
                else []
            ),
            _CANARY_NOTE,
        ),
        bold=frozenset(bold),
    )


def _lift_row(row: Any, models: Mapping[str, str]) -> tuple[str, ...]:
    def compared(against: str) -> tuple[str, str, str]:
        lift, low, high, p = (getattr(row, f"{key}_{against}") for key in _LIFT_KEYS)
        text = f"{plus_minus(lift, signed=True)} {interval(low, high, signed=True)}"
        return plus_minus(getattr(row, against)), text, _p(p)

    return (
        *(models[row.model], _title(row.dataset), row.outcome, str(row.n)),
        plus_minus(row.accuracy),
        *compared("random"),
        *compared("shuffled"),
        f"{row.invalid} + {row.invalid_shuffled}",
        *(row.verdict_random, row.verdict_shuffled),
    )


_LIFT_KEYS = ("lift", "low", "high", "p")


def completion(completions: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of continued rows.

    Parameters
    ----------
    completions : DataFrame with the columns of ``schemas.PROBE_COMPLETIONS``
    models : display name by id
    """
    grouped = completions.groupby(["model", "dataset"], sort=False)
    numbers = grouped.agg(
        n=("verbatim", "size"),
        verbatim=("verbatim", "sum"),
        expected=("chance_verbatim", "sum"),
        cells=("cells", "sum"),
        right=("right", "sum"),
        chance=("chance", "mean"),
    ).reset_index()
    numbers["p"] = [
        hits_at_least(int(group["verbatim"].sum()), group["chance_verbatim"])
        for _, group in grouped
    ]
    numbers = _ordered(numbers, models)
    return Table(
        caption="Rows continued word for word from their first half",
        header=(
            "Model",
            "Dataset",
            "Rows",
            "Verbatim",
            "By chance",
            "p",
            "Cells",
            "Cells by chance",
        ),
        rows=tuple(
            (
                *(models[row.model], _title(row.dataset), str(row.n), str(row.verbatim)),
                *(f"{row.expected:.2g}", _p(row.p), plus_minus(row.right / row.cells)),
                plus_minus(row.chance),
            )
            for row in _each(numbers)
        ),
        numbers=numbers,
        notes=(
            "verbatim: rows whose other half is exactly right in every cell; cells: share of "
            "cells that are right and in their place; by chance: each cell drawn from its column",
            "p: that many verbatim rows or more by chance, exact, one-sided, not corrected",
            "not in the paper",
            _CANARY_NOTE,
        ),
    )


def answers(recognition: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of all answers of the recognition test.

    Parameters
    ----------
    recognition : DataFrame with the columns of ``schemas.PROBE_RECOGNITION``
    models : display name by id
    """
    numbers = _ordered(recognition, models)
    return Table(
        caption="Every answer of the recognition test",
        header=("Model", "Dataset", "Title given", "Outcome", "Found", "Names found", "Answer"),
        rows=tuple(
            (
                *(models[row.model], _title(row.dataset), row.title, row.outcome),
                *(f"{row.found} of {row.telling}", row.found_names, " ".join(row.answer.split())),
            )
            for row in _each(numbers)
        ),
        numbers=numbers,
        notes=(
            "found: telling column names that are listed exactly, up to signs and case; of several "
            "sources, those whose names the answer fits best",
            "answers in one line here, with their line breaks in answers.csv",
            *_cut(recognition),
            _CANARY_NOTE,
        ),
    )


def _ordered(frame: pd.DataFrame, models: Mapping[str, str]) -> pd.DataFrame:
    """Sort rows by model; a model's datasets keep their order."""
    order = {name: place for place, name in enumerate(models)}
    return frame.sort_values(
        "model", key=lambda names: names.map(order), kind="stable", ignore_index=True
    )


def _each(frame: pd.DataFrame) -> Iterable[Any]:
    return frame.itertuples()


def _title(dataset: str) -> str:
    return _PLANTED if dataset == CANARY else dataset


def _p(p: float) -> str:
    return p_value(p, float("nan")).removeprefix("p = ").removeprefix("p ")


def _cut(recognition: pd.DataFrame) -> list[str]:
    cut = int((~recognition["ended"]).sum())
    return [f"{cut} of {len(recognition)} answers were cut at the limit of tokens"] * bool(cut)


def _canaries(
    frame: pd.DataFrame, models: Mapping[str, str], tell: Callable[[Any], str]
) -> Iterable[str]:
    planted = _ordered(frame[frame["dataset"] == CANARY], models)
    if planted.empty:
        return ()
    said = "; ".join(f"{models[row.model]}: {tell(row)}" for row in _each(planted))
    return (f"not counted: {_CANARY_NOTE}. {said}",)
