"""Error taxonomy by annotators: a sheet to fill in and the table from it (Table 3)."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from tabbench.core.errors import TabBenchError, closest
from tabbench.scitarc.agreement import read_filled
from tabbench.scitarc.answer_ids import ANSWER
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.programs import first_program
from tabbench.scitarc.scores import judged
from tabbench.scitarc.sheets import Entry, Sheet
from tabbench.statistics.proportions import share_interval

CATEGORIES: Mapping[str, str] = {
    "comprehension": "misunderstands the question, a constraint or an attribute of the table",
    "localization": "right objective, but wrong rows, columns or values",
    "calculation": "right evidence and operation, but a wrong numeric result",
    "memory": "loses an intermediate result on the way",
    "format": "no answer in a form that can be read: none found, cut, a program that fails to run",
}
"""The four classes of section 5, and failures of form, which are no mistake in reasoning; each
failure counts once, at its earliest point of no return."""

SHEET = [
    *("id", *ANSWER, "question", "plan", "gold", "prediction", "response", "program", "output"),
    *("category", "note"),
]
PAGE = Sheet(
    title="SciTaRC: wrong answers to annotate",
    task="Say why each answer is wrong: by the first mistake that could not be mended any more.",
    column="category",
    choices=CATEGORIES,
    file="errors.csv",
)
_SEED = 0


def error_sheet(
    scores: pd.DataFrame, questions: Sequence[Question], answers: pd.DataFrame, n: int | None
) -> pd.DataFrame:
    """A sheet of wrong answers for annotators, who fill in ``category`` and ``note``.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``; those of one system, say
    answers : DataFrame with the columns of ``schemas.SCITARC_ANSWERS``
    n : wrong answers to draw, see `stratified_draw`; None for all

    Returns
    -------
    DataFrame with the columns `SHEET`, in the order of ``scores``
    """
    kept = judged(scores)
    wrong = kept[~kept["correct"]].reset_index(drop=True)
    drawn = wrong if n is None else stratified_draw(wrong, n)
    by_row = {one.row: one for one in questions}
    said = answers[[*ANSWER, "response", "printed", "message"]]
    sheet = drawn.merge(said, on=ANSWER, how="left", validate="one_to_one")
    code = sheet["execution"] == "code"
    return sheet.assign(
        question=[by_row[row].question for row in sheet["row"]],
        plan=[by_row[row].plan or "" for row in sheet["row"]],
        program=sheet["response"].map(first_program).where(code, ""),
        output=sheet["printed"].fillna("").where(sheet["message"] == "", sheet["message"]),
        category="",
        note="",
    )[SHEET]


def stratified_draw(wrong: pd.DataFrame, n: int) -> pd.DataFrame:
    """Draw answers at random, of each status in proportion; a larger draw holds a smaller one.

    Parameters
    ----------
    wrong : DataFrame with the column status, with an index of its own for each row
    """
    mixed = wrong.iloc[np.random.default_rng(_SEED).permutation(len(wrong))]
    groups = mixed.groupby("status")["status"]
    place = (groups.cumcount() + 0.5) / groups.transform("size")
    return mixed.loc[place.sort_values(kind="stable").index[:n]].sort_index()


def page_entries(sheet: pd.DataFrame, questions: Sequence[Question]) -> list[Entry]:
    """The answers of a sheet with the tables of their questions."""
    tables = {one.row: one.relevant_tables for one in questions}
    titles = {
        "question": "Question",
        "plan": "Gold plan",
        "gold": "Gold answer",
        "prediction": "Answer that was found",
        "response": "Response",
        "program": "Program",
        "output": "Output of the program",
    }
    return [
        Entry(
            one["id"],
            tables[one["row"]],
            {title: "" if pd.isna(one[name]) else one[name] for name, title in titles.items()},
        )
        for one in sheet.to_dict("records")
    ]


def read_sheet(path: Path, answers: Collection[str]) -> pd.Series:
    """Read a sheet that was filled in.

    Parameters
    ----------
    answers : ids of the run's answers

    Returns
    -------
    Series of categories by id, without the answers that have none

    Raises
    ------
    TabBenchError
        As `agreement.read_filled`, and when a category is none of `CATEGORIES`.
    """
    categories = read_filled(path, "category", answers).str.casefold()
    unknown = categories[~categories.isin(list(CATEGORIES))]
    if len(unknown):
        raise TabBenchError(
            f"{path}: unknown category '{unknown.iloc[0]}' of {unknown.index[0]}: "
            f"{closest(unknown.iloc[0], CATEGORIES)}"
        )
    return categories


def error_table(categories: pd.Series) -> pd.DataFrame:
    """Shares of the categories (Table 3), the largest first.

    Parameters
    ----------
    categories : of the annotated answers

    Returns
    -------
    DataFrame with category, count, share, low, high (95 %, bootstrap) and n (annotated answers)
    """
    rows = []
    for category in CATEGORIES:
        hits = categories == category
        interval = share_interval(hits)
        rows.append(
            {
                "category": category,
                "count": int(hits.sum()),
                "share": interval.estimate,
                "low": interval.low,
                "high": interval.high,
                "n": len(categories),
            }
        )
    table = pd.DataFrame(rows)
    return table.sort_values("count", ascending=False, kind="stable", ignore_index=True)
