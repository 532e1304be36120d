"""SciTaRC's accuracies, corrected for the judge's errors by a person's labels."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.reporting.writer import DASH, Table
from tabbench.scitarc.leaderboard import leaderboard
from tabbench.scitarc.names import system_title
from tabbench.scitarc.scores import DIRECT, SYSTEM, each, judged, of_condition, of_first_seed
from tabbench.scitarc.tables.text import (
    INTERVAL_NOTE,
    judged_note,
    named,
    percent,
    percent_interval,
)
from tabbench.statistics.corrected import LEAST, CorrectedShare, corrected_share


def corrected(scores: pd.DataFrame, labels: pd.Series, models: Mapping[str, str]) -> Table:
    """Make the table of plain and corrected accuracies, zero-shot without a plan.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    labels : Series of `agreement.read_labels`
    models : display name by id

    Returns
    -------
    Table
        ``numbers`` have the columns of `leaderboard.leaderboard` and of `CorrectedShare`.
    """
    board = leaderboard(of_first_seed(scores))
    found = pd.DataFrame(
        [_corrected(scores, labels, (row.model, row.execution)) for row in each(board)]
    )
    numbers = named(board.join(found.drop(columns="n").add_prefix("corrected_")), models)
    return Table(
        caption="Accuracy (%) as judged, and corrected for the judge's errors, zero-shot, no plan",
        header=(
            *("Model", "Method", "n", "As judged", "95 % interval", "Corrected", "95 % interval"),
            *("Labelled", "Accepted wrongly", "Refused wrongly"),
        ),
        rows=tuple(_row(row) for row in each(numbers)),
        numbers=numbers,
        notes=(
            judged_note(scores, models),
            "corrected: the share that a person would find fully correct, estimated from all "
            "verdicts and the labels of some answers (prediction-powered inference; its interval: "
            "Jeffreys' prior for how often the judge says right, and for how often the label does "
            "among the answers that the judge found right and among the others). It holds if the "
            "labelled answers are a random draw, as those of label_sheet.csv are",
            "accepted wrongly: labelled answers that the judge found right and the person did not, "
            "of all labelled ones that the judge found right; refused wrongly: the reverse",
            *_few_notes(numbers, models),
            f"as judged: {INTERVAL_NOTE}",
        ),
    )


def _corrected(scores: pd.DataFrame, labels: pd.Series, system: tuple[str, str]) -> CorrectedShare:
    direct = judged(of_condition(scores, DIRECT))
    own = direct[direct[SYSTEM].eq(list(system)).all(axis=1)]
    known = own["id"].map(labels)
    return corrected_share(own["correct"], known.eq(1).astype(float).where(known.notna()))


def _row(row: Any) -> tuple[str, ...]:
    n_labelled = row.corrected_n_accepted + row.corrected_n_refused
    enough = row.corrected_enough
    return (
        *(row.name, row.method, str(row.n)),
        *(percent(row.accuracy), percent_interval(row.low, row.high)),
        percent(row.corrected_estimate) if enough else DASH,
        percent_interval(row.corrected_low, row.corrected_high) if enough else DASH,
        str(n_labelled),
        f"{row.corrected_accepted_wrongly} of {row.corrected_n_accepted}",
        f"{row.corrected_refused_wrongly} of {row.corrected_n_refused}",
    )


def _few_notes(numbers: pd.DataFrame, models: Mapping[str, str]) -> tuple[str, ...]:
    few = [row for row in each(numbers) if not row.corrected_enough]
    if not few:
        return ()
    names = ", ".join(system_title(models, row.model, row.execution) for row in few)
    return (
        f"too few labels to correct: {names}; {LEAST} are needed among the answers that the judge "
        f"found right and {LEAST} among the others (all of them, where there are fewer): label "
        "more answers",
    )
