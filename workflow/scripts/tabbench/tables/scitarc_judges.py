"""How far SciTaRC's judges agree with people and with each other (section 3.2)."""

from collections.abc import Mapping

import pandas as pd

from tabbench.scitarc.agreement import Agreement, agreement
from tabbench.scitarc.judge import MATCHER
from tabbench.scitarc.matcher_pairs import matcher_agreement
from tabbench.scitarc.names import judge_title
from tabbench.scitarc.scores import ratings
from tabbench.tables.writer import Table, plus_minus

_Raters = tuple[str, str, str]
"""What was rated, by whom first and by whom second."""


def judges(
    pairs: pd.DataFrame,
    scores: pd.DataFrame,
    second: pd.DataFrame | None,
    labels: pd.Series | None,
    models: Mapping[str, str],
) -> Table:
    """Make the table of agreement: of the matcher, of two judges, of a judge and a person.

    Parameters
    ----------
    pairs : DataFrame of `matcher_pairs.read_pairs`
    scores, second : DataFrames with the columns of ``schemas.SCITARC_SCORES``, of one judge each
    labels : Series of `agreement.read_labels`
    models : display name by id, judges included
    """
    found: dict[_Raters, Agreement] = {
        (f"labelled pairs, {part}", "labels by hand", judge_title(MATCHER, models)): one
        for part, one in matcher_agreement(pairs).items()
    }
    judge = judge_title(str(scores["judge"].iloc[0]), models)
    if second is not None:
        other = judge_title(str(second["judge"].iloc[0]), models)
        found["answers of this run", judge, other] = agreement(ratings(scores), ratings(second))
    if labels is not None:
        rated = agreement(labels.eq(1), ratings(scores))
        found["answers of this run", "labels of a person", judge] = rated
    numbers = pd.DataFrame([_numbers(raters, one) for raters, one in found.items()])
    return Table(
        caption="Agreement of judges, correct or not",
        header=(
            *("Rated", "First", "Second", "n", "Not by both", "Agreement %", "κ"),
            *("Both correct", "Only first", "Only second", "Both wrong"),
        ),
        rows=tuple(
            (
                *(row["rated"], row["first"], row["second"], str(row["n"]), str(row["n_missing"])),
                plus_minus(row["percent"], digits=1),
                plus_minus(row["kappa"], digits=2),
                *(str(row[name]) for name in _COUNTS),
            )
            for row in numbers.to_dict("records")
        ),
        numbers=numbers,
        notes=(
            "correct: a score of 1; partly correct counts as wrong, as in the leaderboard",
            "n: answers that both rated; not by both: a judge failed, or one list lacks the answer",
            "κ: Cohen's kappa, unweighted; not defined where both gave all answers one rating",
            "the paper reports 97.6 % agreement of its judge, Llama-3.3-70B, with people on "
            "answers of GPT-4o and 95.5 % on those of Llama-3-8B-Instruct (245 questions); no κ",
            "labelled pairs: resources/scitarc/matcher_pairs.csv, written and labelled by hand for "
            "this repository; the matcher's rules were written with the development pairs in "
            "sight, so that only held-out pairs tell what to expect of new answers",
        ),
    )


_COUNTS = ("both_correct", "only_first_correct", "only_second_correct", "both_wrong")


def _numbers(raters: _Raters, found: Agreement) -> dict[str, object]:
    counts = found.table.reindex(index=[True, False], columns=[True, False], fill_value=0)
    return {
        **dict(zip(("rated", "first", "second"), raters, strict=True)),
        "n": found.n,
        "n_missing": found.n_missing,
        "percent": found.percent,
        "kappa": found.kappa,
        **dict(zip(_COUNTS, counts.to_numpy().ravel().tolist(), strict=True)),
    }
