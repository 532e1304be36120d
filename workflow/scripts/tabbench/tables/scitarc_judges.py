"""How far SciTaRC's judges agree with people and with each other (section 3.2)."""

from collections.abc import Mapping

import pandas as pd

from tabbench.scitarc.agreement import Agreement
from tabbench.tables.writer import Table, plus_minus


def judges(agreements: Mapping[tuple[str, str, str], Agreement]) -> Table:
    """Make the table of agreement of two raters.

    Parameters
    ----------
    agreements : of ratings correct or not, by what was rated, the first rater and the second
    """
    rows, numbers = [], []
    for (rated, first, second), found in agreements.items():
        counts = found.table.reindex(index=[True, False], columns=[True, False], fill_value=0)
        both, only_first, only_second, neither = counts.to_numpy().ravel().tolist()
        rows.append(
            (
                *(rated, first, second, str(found.n), str(found.n_missing)),
                plus_minus(found.percent, digits=1),
                plus_minus(found.kappa, digits=2),
                *map(str, (both, only_first, only_second, neither)),
            )
        )
        numbers.append(
            {
                "rated": rated,
                "first": first,
                "second": second,
                "n": found.n,
                "n_missing": found.n_missing,
                "percent": found.percent,
                "kappa": found.kappa,
                "both_correct": both,
                "only_first_correct": only_first,
                "only_second_correct": only_second,
                "both_wrong": neither,
            }
        )
    return Table(
        caption="Agreement of judges, correct or not",
        header=(
            *("Rated", "First", "Second", "n", "Not by both", "Agreement %", "κ"),
            *("Both correct", "Only first", "Only second", "Both wrong"),
        ),
        rows=tuple(rows),
        numbers=pd.DataFrame(numbers),
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
