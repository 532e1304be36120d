"""Accuracy by what a question asks for."""

from collections.abc import Mapping

import pandas as pd

from tabbench.reporting.writer import DASH, Table
from tabbench.scitarc.answer_types import TYPES, accuracy_by_type
from tabbench.scitarc.leaderboard import leaderboard
from tabbench.scitarc.scores import SYSTEM, each
from tabbench.scitarc.tables.text import (
    INTERVAL_NOTE,
    alike_notes,
    averaged_notes,
    named,
    percent_interval,
    percent_spread,
)


def answer_types(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of each system's accuracy by type of the gold answer.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    models : display name by id
    """
    numbers = named(accuracy_by_type(scitarc_scores), models)
    cells = {(row.model, row.execution, row.answer_type): row for row in each(numbers)}
    shown = [one for one in TYPES if one in set(numbers["answer_type"])]
    rows = []
    for system in each(named(leaderboard(scitarc_scores), models)):
        texts = [system.name, system.method]
        for one in shown:
            cell = cells.get((system.model, system.execution, one))
            if cell is None or cell.n == 0:
                texts += ["0", DASH]
                continue
            share = percent_spread(cell.accuracy, cell.sd)
            texts += [str(cell.n), f"{share} {percent_interval(cell.low, cell.high)}"]
        rows.append(tuple(texts))
    lacking = [one for one in TYPES if one not in shown]
    return Table(
        caption="Accuracy (%) by type of the gold answer, zero-shot without a plan",
        header=(
            *("Model", "Method"),
            *(text for one in shown for text in (f"n, {one}", one.capitalize())),
        ),
        rows=tuple(rows),
        numbers=numbers.sort_values(SYSTEM, kind="stable", ignore_index=True),
        notes=(
            *averaged_notes(scitarc_scores, models),
            "types, from the gold answer's text, the first that fits: yes or no, which it begins "
            "with; list, of several parts, or of a number and what it belongs to; number, without "
            "a name; name, everything else",
            *((f"no question has an answer of type: {', '.join(lacking)}",) if lacking else ()),
            INTERVAL_NOTE,
            *alike_notes(numbers["accuracy"], numbers["n"]),
            "types differ in more than their form (a list needs every part); no difference here is "
            "tested",
        ),
    )
