"""Error taxonomy by annotators: a sheet to fill in and the table from it (Table 3)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from tabbench.core.errors import TabBenchError, closest
from tabbench.core.spreadsheets import read_csv
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.scores import ANSWER, judged
from tabbench.statistics.proportions import share_interval

CATEGORIES: Mapping[str, str] = {
    "comprehension": "misunderstands the question, a constraint or an attribute of the table",
    "localization": "right objective, but wrong rows, columns or values",
    "calculation": "right evidence and operation, but a wrong numeric result",
    "memory": "loses an intermediate result on the way",
}
"""The four classes of section 5; each failure counts once, at its earliest point of no return."""

KEYS = ANSWER
SHEET = [*KEYS, "question", "gold", "prediction", "response", "category", "note"]


def error_sheet(
    scores: pd.DataFrame,
    questions: Sequence[Question],
    responses: Mapping[tuple[str, str, str, int, int, int], str],
    n: int,
    seed: int = 0,
) -> pd.DataFrame:
    """A sheet of wrong answers for annotators, who fill in ``category`` and ``note``.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``; those of one system, say
    responses : responses of the model, by the columns `KEYS`
    n : how many wrong answers to draw without replacement; all, if there are fewer

    Returns
    -------
    DataFrame with the columns `SHEET`, in the order of ``scores``
    """
    kept = judged(scores)
    wrong = kept[~kept["correct"]]
    drawn = np.random.default_rng(seed).permutation(len(wrong))[:n]
    sheet = wrong.iloc[np.sort(drawn)]
    said = {one.row: one.question for one in questions}
    keys = list(sheet[KEYS].itertuples(index=False, name=None))
    return sheet.assign(
        question=sheet["row"].map(said),
        response=[responses.get(key, "") for key in keys],
        category="",
        note="",
    )[SHEET].reset_index(drop=True)


def responses_of(answers: pd.DataFrame) -> dict[tuple[str, str, str, int, int, int], str]:
    """Responses of models, by the columns `KEYS`.

    Parameters
    ----------
    answers : DataFrame with the columns of ``schemas.SCITARC_ANSWERS``
    """
    keys = answers[KEYS].itertuples(index=False, name=None)
    return dict(zip(keys, answers["response"], strict=True))


def read_sheet(path: Path) -> pd.DataFrame:
    """Read a sheet that was filled in.

    Raises
    ------
    TabBenchError
        When columns are missing or a category is none of `CATEGORIES`; empty ones are allowed.
    """
    try:
        sheet = read_csv(path, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise TabBenchError(f"{path}: cannot be read as CSV: {error}") from error
    absent = [name for name in (*KEYS, "category") if name not in sheet.columns]
    if absent:
        raise TabBenchError(f"{path}: no column(s) {absent}; keep those of the template")
    categories = sheet["category"].astype(str).str.strip().str.casefold()
    for line, category in enumerate(categories, start=2):
        if category and category not in CATEGORIES:
            raise TabBenchError(
                f"{path}, line {line}: unknown category '{category}': "
                f"{closest(category, CATEGORIES)}"
            )
    return sheet.assign(category=categories)


def error_table(sheet: pd.DataFrame) -> pd.DataFrame:
    """Shares of the categories (Table 3), the largest first.

    Returns
    -------
    DataFrame with category, count, share, low, high (95 %, bootstrap), n (annotated answers) and
    n_open (answers without a category)
    """
    done = sheet[sheet["category"] != ""]
    rows = []
    for category in CATEGORIES:
        hits = done["category"] == category
        interval = share_interval(hits)
        rows.append(
            {
                "category": category,
                "count": int(hits.sum()),
                "share": interval.estimate,
                "low": interval.low,
                "high": interval.high,
                "n": len(done),
                "n_open": len(sheet) - len(done),
            }
        )
    table = pd.DataFrame(rows)
    return table.sort_values("count", ascending=False, kind="stable", ignore_index=True)
