"""What SciTaRC's answers took: tokens, seconds, and how many were cut."""

from collections.abc import Mapping

import pandas as pd

from tabbench.scitarc.scores import CONDITION, SYSTEM, each
from tabbench.tables.scitarc_text import condition_cells, in_order, named
from tabbench.tables.writer import Table, plus_minus


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
            "cut: responses that reached the most new tokens allowed; what they had not said yet, "
            "perhaps the answer, is missing",
            "tokens and seconds: means over the n responses that hold the answers, wall-clock time "
            "as measured when they were asked, without loading the model; an autonomous plan is "
            "in the prompt, but the request that wrote it is not counted here",
        ),
    )
