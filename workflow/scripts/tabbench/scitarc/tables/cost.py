"""Cost of SciTaRC's answers: tokens, seconds, and how many were cut."""

from collections.abc import Mapping

import pandas as pd

from tabbench.reporting.writer import Table, plus_minus
from tabbench.scitarc.scores import CONDITION, SYSTEM, each
from tabbench.scitarc.tables.text import condition_cells, in_order, named


def cost(scitarc_responses: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of tokens and seconds by condition.

    Parameters
    ----------
    scitarc_responses : DataFrame with the columns of ``schemas.SCITARC_RESPONSES``
    models : display name by id
    """
    grouped = scitarc_responses.groupby([*SYSTEM, *CONDITION], sort=False)
    sums = grouped.agg(
        n=("row", "size"),
        cut=("ended", lambda ended: int((~ended.astype(bool)).sum())),
        prompt_tokens=("prompt_tokens", "mean"),
        completion_tokens=("completion_tokens", "mean"),
        seconds=("seconds", "mean"),
        seconds_in_all=("seconds", "sum"),
        plans_cut=("plan_status", lambda status: int((status == "cut").sum())),
        plans_empty=("plan_status", lambda status: int((status == "empty").sum())),
    ).reset_index()
    numbers = named(in_order(sums, models), models)
    return Table(
        caption="Tokens and seconds of the answers, and how many were cut",
        header=(
            *("Model", "Method", "Plan", "Demonstrations", "n", "Cut"),
            *("Prompt tokens", "Completion tokens", "Seconds", "Seconds in all"),
        ),
        rows=tuple(
            (
                *condition_cells(row),
                *(str(row.n), str(row.cut)),
                plus_minus(row.prompt_tokens, digits=0),
                plus_minus(row.completion_tokens, digits=0),
                plus_minus(row.seconds, digits=2),
                f"{row.seconds_in_all:,.0f}",
            )
            for row in each(numbers)
        ),
        numbers=numbers,
        notes=(
            *_plan_notes(numbers[numbers["plan_mode"] == "self"]),
            "cut: responses that reached the limit of new tokens; the rest, perhaps with the "
            "answer, is missing",
            "tokens and seconds: means over the n responses that hold the answers, wall-clock time "
            "as measured when they were asked, without loading the model; an autonomous plan is "
            "in the prompt, but the request that wrote it is not counted here",
        ),
    )


def _plan_notes(autonomous: pd.DataFrame) -> tuple[str, ...]:
    """Say how many of the models' own plans were faulty, where they wrote any."""
    if autonomous.empty:
        return ()
    return (
        f"the models' own plans: of {autonomous['n'].sum():,} that were carried out, "
        f"{autonomous['plans_cut'].sum():,} had reached the most new tokens allowed and "
        f"{autonomous['plans_empty'].sum():,} held no plan (empty, or still thinking where they "
        "were cut); they were carried out as they are; counts by condition: in the .csv",
    )
