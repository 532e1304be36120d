"""SciTaRC's published accuracies compared with ours."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.reporting.writer import Table
from tabbench.scitarc.names import judge_title
from tabbench.scitarc.prompts import PLAN_TITLES
from tabbench.scitarc.published import beside_published
from tabbench.scitarc.scores import each
from tabbench.scitarc.tables.text import (
    INTERVAL_NOTE,
    averaged_notes,
    percent,
    percent_interval,
)

_PROMPTS: Mapping[str, str] = {
    "paper": "ours: with the prompts printed in the paper, which abridge those of its released "
    "code for plans and for the judge (`scitarc.prompts`)",
    "released": "ours: with the content of the released code's prompts, reworded",
}
_MEASURES = {"accuracy": "accuracy", "exact_match": "EM"}


def comparison(
    scitarc_scores: pd.DataFrame,
    scitarc_table2: pd.DataFrame,
    scitarc_table4: pd.DataFrame,
    scitarc_table11: pd.DataFrame,
    models: Mapping[str, str],
    prompts: str,
) -> Table:
    """Make the table of our and the published values, for models that have a name of Table 2.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    scitarc_table2, scitarc_table4, scitarc_table11 : DataFrames with the columns of
        ``schemas.SCITARC_TABLE_2`` and so on
    models : display name by id
    prompts : with which this run asked, paper or released
    """
    published = {"2": scitarc_table2, "4": scitarc_table4, "11": scitarc_table11}
    numbers = beside_published(scitarc_scores, published, models)
    asked = [name for model, name in models.items() if model in set(scitarc_scores["model"])]
    notes: tuple[str, ...] = (
        f"nothing to compare: {', '.join(asked)}; none has the name of a model of the paper's "
        "Table 2 and was asked with its method there",
    )
    if len(numbers):
        judge = judge_title(str(scitarc_scores["judge"].iloc[0]), models)
        notes = (
            "published: in the paper's Tables 2, 4 and 11, on its 371 questions (Table 11: "
            f"369), judged by Llama-3.3-70B; ours: judged by {judge}, on n questions of this "
            "run. Where judge or questions differ, the comparison is not like with like. No "
            "difference is tested",
            _PROMPTS[prompts],
            *averaged_notes(scitarc_scores, models),
            INTERVAL_NOTE,
        )
    return Table(
        caption="Accuracy and exact match (%) of models that the paper has: published, and here",
        header=(
            *("Table", "Model", "Method", "Measure", "Plan", "Demonstrations"),
            *("Published", "n there", "Ours", "95 % interval", "n here", "Difference"),
        ),
        rows=tuple(_row(row) for row in each(numbers)),
        numbers=numbers,
        notes=notes,
    )


def _row(row: Any) -> tuple[str, ...]:
    return (
        *(row.table, row.name, row.method, _MEASURES[row.measure]),
        *(PLAN_TITLES[row.plan_mode].lower(), str(row.shots)),
        *(percent(row.published), str(row.published_n)),
        *(percent(row.ours), percent_interval(row.low, row.high), str(row.n)),
        percent(row.difference, signed=True),
    )
