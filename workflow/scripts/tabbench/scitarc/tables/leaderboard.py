"""SciTaRC's accuracies: Table 2, every condition, pairs of systems, where answers were found."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from tabbench.reporting.writer import DASH, Table, plural
from tabbench.scitarc.extraction import FORMS
from tabbench.scitarc.leaderboard import compare, leaderboard
from tabbench.scitarc.names import system_title
from tabbench.scitarc.scores import CONDITION, SYSTEM, accuracies, each, sources
from tabbench.scitarc.tables.text import (
    INTERVAL_NOTE,
    MCNEMAR_NOTE,
    alike_notes,
    averaged_notes,
    condition_cells,
    first_seed_notes,
    in_order,
    named,
    p_cell,
    percent,
    percent_interval,
    percent_spread,
    unchanged_notes,
)
from tabbench.statistics.multiplicity import LEVEL

_ACCURACY_HEADER = (
    *("n", "Accuracy %", "95 % interval", "EM %", "EM normalised %"),
    *("No answer", "Judge failed"),
)
_EM_NOTE = (
    "EM: what the released code takes as the answer (CoT: all that follows the first line that "
    "begins with “Answer:”, the whole response without one; PoT: the last printed line) equals the "
    "gold answer but for blanks around it; EM normalised: the answer that was found, and judged, "
    "equals it once LaTeX, Markdown, case and kinds of dashes are folded"
)
_COUNTS_NOTE = (
    "no answer: none was found in the response, or the program gave none, among n; judge failed: "
    "no verdict could be read, not among n"
)
_FOUND = {*FORMS, "ok"} - {"not found"}


def table2(
    scitarc_scores: pd.DataFrame,
    models: Mapping[str, str],
    cards: Mapping[str, Mapping[str, str]],
) -> Table:
    """Make Table 2: the leaderboard, zero-shot without a plan, by access and the best first.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    models : display name by id
    cards : developer, access and size by id, "" where unknown
    """
    board = named(leaderboard(scitarc_scores), models)
    for name in ("size", "developer", "access"):
        board.insert(0, name, [cards[model][name] for model in board["model"]])
    # Proprietary ones first, as the paper has it.
    board = board.sort_values("access", ascending=False, kind="stable", ignore_index=True)
    board["judge"] = str(scitarc_scores["judge"].iloc[0])
    best = _best_of_access(board)
    return Table(
        caption="Leaderboard: answers to questions about scientific tables, zero-shot, no plan",
        header=(
            *("Access", "Family", "Model", "Method", "Size"),
            *_ACCURACY_HEADER,
            *_unanswered_header(board),
        ),
        rows=tuple(
            (
                *(row.access, row.developer or DASH, row.name, row.method, row.size or DASH),
                *_accuracy(row),
                *_unanswered(row, board),
            )
            for row in each(board)
        ),
        numbers=board,
        notes=(
            *averaged_notes(scitarc_scores, models),
            "method: CoT reasons in words, PoT writes a program that prints the answer",
            INTERVAL_NOTE,
            *alike_notes(board["accuracy"], board["n"]),
            _EM_NOTE,
            _COUNTS_NOTE,
            *_unanswered_notes(board),
            "access: by the licence of the weights, proprietary models first; family: who "
            "developed the model",
            *(
                (
                    "bold: the highest accuracy and EM of several systems of the same access; "
                    "differences are tested in their own table",
                )
                if best
                else ()
            ),
        ),
        bold=best,
    )


def _best_of_access(board: pd.DataFrame) -> frozenset[tuple[int, int]]:
    """Places of the highest accuracy and exact match of each access that several systems have."""
    groups = board.groupby("access")
    several = groups["access"].transform("size") > 1
    return frozenset(
        (int(at), column)
        for column, measure in ((6, "accuracy"), (8, "exact_match"))
        for at in np.flatnonzero(
            several & (board[measure] > 0) & (board[measure] == groups[measure].transform("max"))
        )
    )


def conditions(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of every condition that was asked: plan modes and demonstrations."""
    numbers = named(in_order(accuracies(scitarc_scores, [*SYSTEM, *CONDITION]), models), models)
    return Table(
        caption="Accuracy under every condition",
        header=(
            "Model",
            "Method",
            "Plan",
            "Demonstrations",
            *_ACCURACY_HEADER,
            *_unanswered_header(numbers),
        ),
        rows=tuple(
            (*condition_cells(row), *_accuracy(row), *_unanswered(row, numbers))
            for row in each(numbers)
        ),
        numbers=numbers,
        notes=(
            *averaged_notes(scitarc_scores, models),
            "plan: none (direct); the model's own, written first and carried out in a fresh "
            "context (autonomous); the gold one of the data (oracle)",
            "conditions of a model may have different n; Tables 4 and 11, where present, compare "
            "them on the same questions",
            INTERVAL_NOTE,
            *alike_notes(numbers["accuracy"], numbers["n"]),
            _EM_NOTE,
            _COUNTS_NOTE,
            *_unanswered_notes(numbers),
        ),
    )


def differences(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of every two systems, zero-shot without a plan, on common questions."""
    systems = leaderboard(scitarc_scores)[SYSTEM].itertuples(index=False, name=None)
    pairs = [(lower, higher) for higher, lower in combinations(systems, 2)]
    numbers = compare(scitarc_scores, pairs)
    return Table(
        caption="Differences in accuracy, every two systems, zero-shot, no plan",
        header=(
            *("Difference", "n", "Points", "95 % interval", "Right only first"),
            *("Right only second", "p", "Holm"),
        ),
        rows=tuple(_difference(row, models) for row in each(numbers)),
        numbers=numbers,
        notes=(
            "points: accuracy of the first less that of the second, in percentage points, on the n "
            "questions that both were judged on",
            *first_seed_notes(scitarc_scores),
            INTERVAL_NOTE.replace(
                "resamples of the questions", "paired resamples of the questions"
            ),
            *unchanged_notes(numbers),
            f"{MCNEMAR_NOTE}; Holm: corrected over the {plural(len(numbers), 'pair')} of this "
            f"table; bold: corrected p < {LEVEL}",
        ),
        bold=frozenset((at, 2) for at, p in enumerate(numbers["p_holm"]) if p < LEVEL),
    )


def found_answers(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of where answers were found, and why none was."""
    numbers = named(in_order(sources(scitarc_scores), models), models)
    rows = []
    for _, group in numbers.groupby([*SYSTEM, *CONDITION], sort=False):
        found = group["source"].isin(_FOUND)
        first = next(iter(each(group)))
        rows.append(
            (
                *condition_cells(first),
                str(first.n),
                _listed(group[found]),
                str(group.loc[~found, "count"].sum()),
                _listed(group[~found]),
            )
        )
    return Table(
        caption="Where answers were found, and why none was",
        header=(
            *("Model", "Method", "Plan", "Demonstrations", "n"),
            *("Found in", "Without an answer", "Reason"),
        ),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            "n: all responses of the condition, with one count for each form or reason",
            "CoT, found in: a line that begins with “Answer:”, a heading, LaTeX's boxed form, or a "
            "sentence; not found: none of these",
            "PoT, ok: the last line that the program printed; else it raised an exception, ran out "
            "of time, memory or room for output (a very long last line too), was killed, printed "
            "nothing (empty), or there was no code",
            "too_long, refused: the model gave no response; the prompt does not fit into its "
            "context, or its endpoint refuses it",
            "an answer that was found can still be wrong",
        ),
    )


def _accuracy(row: Any) -> tuple[str, ...]:
    return (
        str(row.n),
        percent_spread(row.accuracy, row.sd),
        percent_interval(row.low, row.high),
        percent(row.exact_match),
        percent(row.exact_match_normalised),
        str(row.n_no_answer),
        str(row.n_judge_failed),
    )


def _has_unanswered(numbers: pd.DataFrame) -> bool:
    return bool((numbers["n_too_long"] + numbers["n_refused"]).any())


def _unanswered_header(numbers: pd.DataFrame) -> tuple[str, ...]:
    """Columns that are there where a model did not answer every question."""
    return ("Too long", "Refused", "Accuracy %, these wrong") if _has_unanswered(numbers) else ()


def _unanswered(row: Any, numbers: pd.DataFrame) -> tuple[str, ...]:
    if not _has_unanswered(numbers):
        return ()
    return str(row.n_too_long), str(row.n_refused), percent(row.accuracy_unanswered_wrong)


def _unanswered_notes(numbers: pd.DataFrame) -> tuple[str, ...]:
    if not _has_unanswered(numbers):
        return ()
    return (
        "warning: systems may answer different questions. Too long: prompt (or that of the plan) "
        "and answer exceed the model's context; refused: the endpoint refuses this text for good; "
        "neither is among n; the last column counts both as wrong",
    )


def _difference(row: Any, models: Mapping[str, str]) -> tuple[str, ...]:
    first = system_title(models, row.model_2, row.execution_2)
    return (
        f"{first} − {system_title(models, row.model, row.execution)}",
        str(row.n),
        percent(row.difference, signed=True),
        percent_interval(row.low, row.high, signed=True),
        str(row.gained),
        str(row.lost),
        p_cell(row.p),
        p_cell(row.p_holm),
    )


def _listed(counts: pd.DataFrame) -> str:
    texts = [f"{one.source} {one.count}" for one in each(counts)]
    return ", ".join(texts) or DASH
