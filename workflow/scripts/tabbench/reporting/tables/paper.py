"""The paper's numbers: what does not add up in them, and how ours compare."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.published.published import nothing_to_compare
from tabbench.published.published_comparison import compare, compared_scores, wanted_cells
from tabbench.reporting.notes import PLAIN_AUC, foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import Table, plus_minus
from tabbench.scoring.aggregate import SPREAD_NOTES

_HEADER = (
    *("RQ", "Table", "Condition", "Model", "Shots", "Mode"),
    *("Published", "n there", "Ours, folded", "Ours, plain", "n here"),
    *("Folded − published", "Plain − published"),
)


def discrepancies(discrepancies: pd.DataFrame) -> Table:
    """Make the list of printed numbers that disagree with what their printed parts give.

    Parameters
    ----------
    discrepancies : DataFrame with the columns of ``schemas.DISCREPANCIES``
    """
    rows = tuple(
        (
            one["place"],
            one["statement"],
            f"{one['relation']} {_short(one['printed'])}".removeprefix("= "),
            *(_short(one[name]) for name in ("derived", "difference", "tolerance")),
        )
        for one in discrepancies.to_dict("records")
    )
    return Table(
        caption=f"Numbers of the paper that do not add up (n = {len(rows)})",
        header=("Place", "Statement", "Printed", "Its parts give", "Difference", "Tolerance"),
        rows=rows,
        numbers=discrepancies,
        notes=(
            "everything here is the paper's, nothing was measured by this workflow; SciTaRC is the "
            "second paper",
            "simulated: systems with the published accuracies answer 371 questions twice with the "
            "same chance, logistic in a normal easiness (deviation 1.5), 200 times; ranked by the "
            "answers that are drawn, chance alone (regression to the mean) gives the change shown, "
            "which the paper reads as the plan's (compliance cost). Stated: 0; tolerance: two "
            "standard errors",
            "≥, ≤: the paper states a bound, a direction or an order, and what its parts give "
            "should be at least, or at most, the number shown",
            "released: the value in the paper's repository; where the paper states two different "
            "values, the other one is in brackets",
            "tolerance: the difference that rounding of the printed numbers can make; smaller "
            "differences are not listed",
            "checked: differences, means and bounds of Tables I-IV, VI-XI, XVII, XVIII and of the "
            "text, as far as their parts are printed, and Tables VII, XI and XVIII against the "
            "released results by dataset (tests/test_paper_numbers.py)",
        ),
    )


def comparison(
    scores: pd.DataFrame,
    published: pd.DataFrame,
    models: Mapping[str, str],
    generators: Mapping[str, str],
) -> Table:
    """Make the table of our and the published values, a row per published number.

    Where no model has a name of the paper, or none of its cells ran, the table has no rows and says
    so.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    published : DataFrame with the columns of ``schemas.PUBLISHED``
    models : display name by id; a name that the paper has means the same model
    generators : generator to who wrote its dialogues

    Raises
    ------
    TabBenchError
        When a model's results mix set-ups.
    """
    numbers = compare(scores, published, models)
    notes: tuple[str, ...] = (nothing_to_compare(models),)
    if len(numbers):
        shown = {one: name for one, name in models.items() if one in set(numbers["model"])}
        used = compared_scores(scores, wanted_cells(published, shown))
        notes = (
            "published: as printed; the paper's released code counts a ROC-AUC below 0.5 as "
            "1 − ROC-AUC (folded), so folded − published is like for like; plain: 0.5 is chance, "
            "as in every other table here",
            "n there, n here: datasets averaged over; where they differ, the comparison is not "
            "like with like. No difference is tested",
            *_authors(numbers, generators),
            *(note for note in foundation_notes(used, shown) if note != PLAIN_AUC),
            f"Table XI: {SPREAD_NOTES['over_datasets']}",
        )
    return Table(
        caption="ROC-AUC of models that the paper has: published, and here",
        header=_HEADER,
        rows=tuple(_row(row) for row in numbers.itertuples()),
        numbers=numbers,
        notes=notes,
    )


def _row(row: Any) -> tuple[str, ...]:
    digits = 4 if row.table == "XI" else 3
    values = (
        plus_minus(mean, std, digits, signed=row.is_difference)
        for mean, std in (
            (row.published, row.published_std),
            (row.folded, row.folded_std),
            (row.plain, row.plain_std),
        )
    )
    there, folded, plain = values
    condition = f"{row.condition}, tables of {row.generator}" if row.generator else row.condition
    return (
        *(row.question.upper(), row.table, condition, row.name, shots_title(row.k), row.mode),
        *(there, row.published_n, folded, plain, str(row.n_datasets)),
        plus_minus(row.folded_difference, digits=digits, signed=True),
        plus_minus(row.plain_difference, digits=digits, signed=True),
    )


def _authors(numbers: pd.DataFrame, generators: Mapping[str, str]) -> list[str]:
    used = set(numbers["generator"])
    texts = [f"{name} by {author}" for name, author in generators.items() if name in used]
    if not texts:
        return []
    return [
        "Table IX: there, tables written by a model of the evaluated one's family; here, tables "
        f"of {', '.join(texts)}"
    ]


def _short(number: float) -> str:
    """Return a number without trailing zeros."""
    return f"{number:g}".replace("-", "−")
