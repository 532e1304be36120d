"""A blind sheet of answers for a person to label, by which a judge's errors can be measured."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from tabbench.scitarc.answer_ids import answer_id
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.scores import DIRECT, SYSTEM, of_condition
from tabbench.scitarc.sheets import Entry, Sheet

COLUMNS = ["id", "question", "gold", "answer", "label", "note"]
_SEED = 0

LABELS: Mapping[str, str] = {
    "1": "correct: all parts of the gold answer, and no other",
    "0.5": "partly correct: a part is missing, or one too many",
    "0": "wrong, or no answer",
}
PAGE = Sheet(
    title="SciTaRC: answers to label",
    task="Compare each answer with the gold answer. Measured numbers may differ by one in the last "
    "printed digit; counts are exact. The order and the writing of names do not matter.",
    column="label",
    choices=LABELS,
    file="labels.csv",
)


def label_sheet(answers: pd.DataFrame, questions: Sequence[Question], n: int) -> pd.DataFrame:
    """Draw answers to label, from each system as many, and shuffle them.

    They are zero-shot answers without a plan, of the first seed, drawn at random whatever a judge
    says of them; a larger number keeps those of a smaller one. No model is named.

    Parameters
    ----------
    answers : DataFrame with the columns of ``schemas.SCITARC_ANSWERS``
    n : answers of each system; all, if there are fewer

    Returns
    -------
    DataFrame with the columns `COLUMNS`, the last two empty
    """
    by_row = {one.row: one for one in questions}
    direct = of_condition(answers, DIRECT)
    drawn = [
        group.iloc[np.random.default_rng(_SEED).permutation(len(group))[:n]]
        for _, group in direct.groupby(SYSTEM, sort=False)
    ]
    rows = []
    for one in (pd.concat(drawn) if drawn else direct).to_dict("records"):
        question = by_row[one["row"]]
        gold = question.answer or ""
        said = [one[name] for name in ("passage", "prediction") if pd.notna(one[name])]
        rows.append(
            {
                "id": answer_id(one, gold),
                "question": question.question,
                "gold": gold,
                "answer": said[0] if said else "",
                "label": "",
                "note": "",
            }
        )
    sheet = pd.DataFrame(rows, columns=COLUMNS)
    # By id, which is a hash: an order that says nothing of a model or a question.
    return sheet.sort_values("id", ignore_index=True)


def page_entries(
    sheet: pd.DataFrame, answers: pd.DataFrame, questions: Sequence[Question]
) -> list[Entry]:
    """The answers of a sheet with the tables of their questions.

    Parameters
    ----------
    answers : those that the sheet was drawn from
    """
    by_row = {one.row: one for one in questions}
    row_of = {
        answer_id(one, by_row[one["row"]].answer or ""): one["row"]
        for one in of_condition(answers, DIRECT).to_dict("records")
    }
    return [
        Entry(
            one["id"],
            by_row[row_of[one["id"]]].relevant_tables,
            {
                "Question": one["question"],
                "Gold answer": one["gold"],
                "Answer to label": one["answer"] or "(no answer)",
            },
        )
        for one in sheet.to_dict("records")
    ]
