"""Agreement of SciTaRC's judges with people and with each other (section 3.2)."""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import pandas as pd

from tabbench.reporting.writer import Table, plus_minus
from tabbench.scitarc.agreement import RESAMPLES, Agreement, agreement
from tabbench.scitarc.judge import MATCHER, is_combined, judging_model
from tabbench.scitarc.matcher_pairs import label_agreement, matcher_agreement, sure_verdicts
from tabbench.scitarc.names import judge_title
from tabbench.scitarc.scores import UNSEEN, ratings
from tabbench.scitarc.tables.text import percent, percent_interval, self_judged_notes

_Raters = tuple[str, str, str]
"""Rated answers, first rater and second rater."""
_RUN = "answers of this run"


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
    labels : Series of `agreement.read_labels`, for the answers of ``scores``, by id
    models : display name by id, judges included
    """
    found: dict[_Raters, Agreement] = {
        (f"labelled pairs, {part}", "labels by hand", judge_title(MATCHER, models)): one
        for part, one in matcher_agreement(pairs).items()
    }
    twice = label_agreement(pairs)
    judge = judge_title(str(scores["judge"].iloc[0]), models)
    if second is not None:
        other = judge_title(str(second["judge"].iloc[0]), models)
        found[_RUN, judge, other] = agreement(ratings(scores), ratings(second))
    if labels is not None:
        seen = ratings(scores)
        of_seen = labels[labels.index.isin(seen.index)].eq(1)
        found[_RUN, "labels of a person", judge] = agreement(of_seen, seen)
    unseen = int(scores["status"].isin(UNSEEN).sum())
    numbers = pd.DataFrame(
        [_numbers(raters, one, unseen * (raters[0] == _RUN)) for raters, one in found.items()]
    )
    return Table(
        caption="Agreement of judges, correct or not",
        header=(
            *("Rated", "First", "Second", "n", "Not by both", "No answer"),
            *("Agreement %", "κ"),
            *("Both correct", "Only first", "Only second", "Both wrong"),
        ),
        rows=tuple(
            (
                *(row["rated"], row["first"], row["second"]),
                *(str(row[name]) for name in ("n", "n_missing", "n_no_answer")),
                plus_minus(row["percent"], digits=1),
                _kappa(row),
                *(str(row[name]) for name in _COUNTS),
            )
            for row in numbers.to_dict("records")
        ),
        numbers=numbers,
        notes=(
            "correct: a score of 1; partly correct counts as wrong, as in the leaderboard",
            "n: answers that both rated; not by both: a judge failed, or one list lacks the answer",
            "no answer: responses in which the first judge saw none (the matcher sees found "
            "answers, a model a response without one as a whole); no other column counts them",
            *_asked_again_notes((scores, second), models),
            *_combined_notes((scores, second), pairs, models),
            *chain.from_iterable(
                self_judged_notes(one, models) for one in (scores, second) if one is not None
            ),
            *_unmatched_notes(labels, scores),
            f"κ: Cohen's kappa, unweighted, with its 95 % interval (percentiles of {RESAMPLES:,} "
            "resamples of the answers); not defined where both gave all answers one rating",
            "the paper reports 97.6 % agreement of its judge, Llama-3.3-70B, with people on "
            "answers of GPT-4o and 95.5 % on those of Llama-3-8B-Instruct (245 questions); no κ",
            "labelled pairs: resources/scitarc/matcher_pairs.csv, written and labelled by hand "
            "for this repository; the development pairs were known when the matcher's rules were "
            f"written; the two passes of labels on the {twice.n} held-out pairs agree on "
            f"{twice.percent:.1f} % (κ {twice.kappa:.2f})",
        ),
    )


def _asked_again_notes(
    judges: Iterable[pd.DataFrame | None], models: Mapping[str, str]
) -> Iterator[str]:
    """Say for each language-model judge how often its first verdict could not be read."""
    for scores in judges:
        if scores is None or not scores["asked"].any():
            continue
        again = scores["asked"] > 1
        lost = again & scores["status"].eq("judge failed")
        judge = judge_title(str(scores["judge"].iloc[0]), models)
        yield (
            f"verdicts of {judge} requested once more, as the first could not be read: "
            f"{again.sum()} of {scores['asked'].gt(0).sum()}; not read then either: {lost.sum()}"
        )


def _combined_notes(
    judges: Iterable[pd.DataFrame | None], pairs: pd.DataFrame, models: Mapping[str, str]
) -> Iterator[str]:
    """Say of how many answers the matcher was not sure, where a model judges these."""
    for scores in judges:
        if scores is None or not is_combined(name := str(scores["judge"].iloc[0])):
            continue
        known = sure_verdicts(pairs)
        model = judge_title(str(judging_model(name)), models)
        yield (
            f"{judge_title(name, models)}: {model} was asked for {scores['asked'].gt(0).sum()} of "
            f"{len(scores)} answers; the matcher is sure where it finds all parts of the gold "
            "answer and no other, or misses numbers alone, and the response leaves no doubt which "
            f"text is the answer; {known.errors} of its {known.n_sure} sure verdicts on the "
            f"{known.n} labelled pairs outside the development part are wrong "
            f"({percent(known.errors / known.n_sure)} %, 95 % interval "
            f"{percent_interval(known.low, known.high)}, Wilson)"
        )


def _unmatched_notes(labels: pd.Series | None, scores: pd.DataFrame) -> Iterator[str]:
    if labels is None:
        return
    unmatched = int((~labels.index.isin(scores["id"])).sum())
    if unmatched:
        yield f"labels without an answer of this run, left out: {unmatched} of {len(labels)}"


_COUNTS = ("both_correct", "only_first_correct", "only_second_correct", "both_wrong")


def _kappa(row: Mapping[Any, Any]) -> str:
    text = plus_minus(row["kappa"], digits=2)
    if math.isnan(row["kappa"]):
        return text
    low, high = (plus_minus(row[name], digits=2) for name in ("kappa_low", "kappa_high"))
    return f"{text} [{low}, {high}]"


def _numbers(raters: _Raters, found: Agreement, unseen: int) -> dict[str, object]:
    counts = found.table.reindex(index=[True, False], columns=[True, False], fill_value=0)
    return {
        **dict(zip(("rated", "first", "second"), raters, strict=True)),
        "n": found.n,
        "n_missing": found.n_missing,
        "n_no_answer": unseen,
        "percent": found.percent,
        "kappa": found.kappa,
        "kappa_low": found.low,
        "kappa_high": found.high,
        **dict(zip(_COUNTS, counts.to_numpy().ravel().tolist(), strict=True)),
    }
