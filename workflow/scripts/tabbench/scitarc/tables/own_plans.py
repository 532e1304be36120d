"""Quality of the plans that models write."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.reporting.writer import DASH, Table, interval, plus_minus
from tabbench.scitarc.own_plans import OPERATIONS, plan_quality, written_plans
from tabbench.scitarc.scores import each, of_first_seed
from tabbench.scitarc.tables.text import first_seed_notes, percent, percent_interval
from tabbench.statistics.proportions import wilson_interval


def own_plans(
    scitarc_responses: pd.DataFrame, scitarc_questions: pd.DataFrame, models: Mapping[str, str]
) -> Table:
    """Make the table of parse rates, and of operation counts against the gold plans'.

    Parameters
    ----------
    scitarc_responses : DataFrame with the columns of ``schemas.SCITARC_RESPONSES``
    scitarc_questions : DataFrame with the columns of ``schemas.SCITARC_QUESTIONS``
    models : display name by id
    """
    plans = written_plans(of_first_seed(scitarc_responses), scitarc_questions)
    numbers = plan_quality(plans)
    numbers.insert(0, "name", numbers["model"].map(models))
    gold = plans.drop_duplicates("row")["gold"].dropna()
    gold_parsed = int(numbers["n_gold_parsed"].max())
    return Table(
        caption="Plans that models write: how many parse, and their operations against the gold "
        "plans'",
        header=(
            *("Model", "Plans", "Parsed", "Parsed %, 95 % interval", "Operation", "n"),
            *("Own, mean", "Gold, mean", "Bias, 95 % interval", "Absolute error", "Spearman"),
        ),
        rows=tuple(_row(row) for row in each(numbers)),
        numbers=numbers,
        notes=(
            *first_seed_notes(scitarc_responses),
            "parsed: the whole text is in the plan language (only its operations, in blocks by "
            f"indentation, with a RETURN); of the {len(gold):,} gold plans {gold_parsed:,} do; "
            "[ ]: Wilson's interval",
            "operation: lines that begin with it, of plans that do not parse too; a plan in prose, "
            "in a list or with other words for the operations has none",
            "n: plans of questions that have a gold plan; bias: own less gold count, mean; [ ]: 95 "
            "% interval, percentiles of 2,000 resamples of the questions; absolute error: mean "
            f"size of the difference; Spearman: of the counts, {DASH} where one side does not vary",
            *_fault_notes(numbers),
            "plans other than the gold one can be correct: these numbers measure similarity",
        ),
    )


def _row(row: Any) -> tuple[str, ...]:
    low, high = (float(end) for end in wilson_interval(row.n_parsed / row.n_plans, row.n_plans))
    return (
        *(row.name, str(row.n_plans), str(row.n_parsed)),
        f"{percent(row.n_parsed / row.n_plans)} {percent_interval(low, high)}",
        *(OPERATIONS[row.operation], str(row.n)),
        *(plus_minus(row.own, digits=1), plus_minus(row.gold, digits=1)),
        f"{plus_minus(row.bias, digits=1, signed=True)} "
        f"{interval(row.low, row.high, signed=True, digits=1)}",
        *(plus_minus(row.absolute_error, digits=1), plus_minus(row.rho, digits=2)),
    )


def _fault_notes(numbers: pd.DataFrame) -> tuple[str, ...]:
    """Count the plans that were cut or empty."""
    models = numbers.groupby("model", sort=False).first()
    cut, empty = int(models["n_cut"].sum()), int(models["n_empty"].sum())
    if not cut + empty:
        return ()
    return (
        f"{cut:,} plans reached the most new tokens allowed and {empty:,} held nothing; both count "
        "as they are (by model: in the .csv)",
    )
