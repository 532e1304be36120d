"""Rows of scored answers, and the selections and accuracies that all analyses share.

Accuracy is over the questions that were judged: a question whose judge failed is excluded and
counted, and so is one that the model did not answer, as it is too long for it or was refused; an
answer that was not found is wrong. Where answers were sampled with several seeds, accuracies are
means over them; what needs one answer a question takes those of the first seed.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.judge import NO_ANSWER, UNANSWERED
from tabbench.statistics.proportions import ShareInterval, mean_share_interval, share_interval

UNSEEN = [NO_ANSWER.status, *UNANSWERED]
"""Statuses of what no judge saw."""

SYSTEM = ["model", "execution"]
"""A row of the paper's tables: a model with its method, CoT or PoT."""

CONDITION = ["plan_mode", "shots"]

DIRECT, AUTONOMOUS, ORACLE = ("none", 0), ("self", 0), ("gold", 0)
FEW_SHOT_DIRECT, FEW_SHOT_ORACLE = ("none", 2), ("gold", 2)


def each(frame: pd.DataFrame) -> Iterable[Any]:
    """Rows as named tuples without the index."""
    return frame.itertuples(index=False)


def seeds_of(scores: pd.DataFrame) -> list[int]:
    """The seeds that answers were sampled with, in the order of sampling."""
    return [int(seed) for seed in scores["seed"].unique()]


def of_first_seed(scores: pd.DataFrame) -> pd.DataFrame:
    """Rows of the seed that was sampled first: one answer a question and condition."""
    return scores[scores["seed"] == scores["seed"].iloc[0]] if len(scores) else scores


def of_condition(scores: pd.DataFrame, condition: tuple[str, int]) -> pd.DataFrame:
    """Rows of a plan mode and number of demonstrations, of the first seed."""
    return every_seed(of_first_seed(scores), condition)


def every_seed(scores: pd.DataFrame, condition: tuple[str, int]) -> pd.DataFrame:
    """Rows of a plan mode and number of demonstrations, of all seeds."""
    plan_mode, shots = condition
    return scores[(scores["plan_mode"] == plan_mode) & (scores["shots"] == shots)]


def judged(scores: pd.DataFrame) -> pd.DataFrame:
    """Rows with a verdict, ``correct`` as plain truth values.

    Raises
    ------
    TabBenchError
        When verdicts of several judges are mixed.
    """
    judges = sorted(scores["judge"].unique())
    if len(judges) > 1:
        raise TabBenchError(f"scores of several judges {judges}: choose those of one")
    kept = scores[scores["correct"].notna()]
    return kept.assign(correct=kept["correct"].astype(bool))


def accuracies(scores: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Accuracy of each group with its bootstrap interval, and what went wrong.

    With several seeds a question counts with the share of its judged answers that are right, so
    that the interval resamples questions with all their answers.

    Returns
    -------
    DataFrame with the columns ``by`` and n (questions), n_seeds, accuracy, low, high (95 %), sd (of
    the accuracies of the seeds; NaN for one), exact_match, exact_match_normalised (all 0 to 1),
    n_answers (judged ones of all seeds), n_no_answer (among these), n_judge_failed, n_too_long,
    n_refused (answers that the model did not give: not among them), accuracy_unanswered_wrong (with
    these as wrong, over answers)
    """
    rows = []
    for key, group in scores.groupby(list(by), sort=False):
        kept = judged(group)
        interval = _over_seeds(kept)
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "n": interval.n,
                "n_seeds": group["seed"].nunique(),
                "accuracy": interval.estimate,
                "low": interval.low,
                "high": interval.high,
                "sd": kept.groupby("seed")["correct"].mean().std(),
                "exact_match": kept["exact_match"].mean(),
                "exact_match_normalised": kept["exact_match_normalised"].mean(),
                "n_answers": len(kept),
                "n_no_answer": int((kept["status"] == "no answer").sum()),
                "n_judge_failed": int((group["status"] == "judge failed").sum()),
                **_unanswered(group, kept),
            }
        )
    return pd.DataFrame(rows)


def _unanswered(group: pd.DataFrame, kept: pd.DataFrame) -> dict[str, Any]:
    counts = {name: int((group["status"] == name).sum()) for name in UNANSWERED}
    asked = len(kept) + sum(counts.values())
    return {
        **{f"n_{name}": count for name, count in counts.items()},
        "accuracy_unanswered_wrong": kept["correct"].sum() / asked if asked else math.nan,
    }


def _over_seeds(kept: pd.DataFrame) -> ShareInterval:
    if len(seeds_of(kept)) > 1:
        return mean_share_interval(kept.groupby("row")["correct"].mean())
    return share_interval(kept["correct"])


def ratings(scores: pd.DataFrame) -> pd.Series:
    """Whether each answer is correct, for `agreement`; NA where the judge failed.

    Returns
    -------
    Series indexed by id, without the answers that were not found or not given: no judge saw them
    """
    correct = scores.set_index("id")["correct"]
    return correct[~scores["status"].isin(UNSEEN).to_numpy()]


def sources(scores: pd.DataFrame) -> pd.DataFrame:
    """Where answers were found, and how many were not: counts of each form or program status.

    Returns
    -------
    DataFrame with model, execution, plan_mode, shots, source, count and n (all answers of the row's
    condition)
    """
    by = [*SYSTEM, *CONDITION]
    counts = scores.groupby([*by, "source"], sort=False).size().rename("count").reset_index()
    return counts.assign(n=counts.groupby(by, sort=False)["count"].transform("sum"))


def side_by_side(
    scores: pd.DataFrame, conditions: Mapping[str, tuple[str, int]]
) -> Iterable[tuple[tuple[str, str], pd.DataFrame]]:
    """Verdicts of each system on the questions that were judged under all ``conditions``.

    Of several seeds, the first is taken.

    Parameters
    ----------
    conditions : column name to plan mode and shots

    Yields
    ------
    (model, execution) and a DataFrame of truth values: a row per question (index ``row``), a
    column per condition; systems that lack a condition are passed over

    Raises
    ------
    TabBenchError
        When no system has all conditions, or a system has a question twice.
    """
    kept = judged(of_first_seed(scores))
    found = False
    for system, group in kept.groupby(SYSTEM, sort=False):
        columns = {}
        for name, condition in conditions.items():
            answers = of_condition(group, condition).set_index("row")["correct"]
            if answers.index.has_duplicates:
                raise TabBenchError(f"{system}, {name}: a question is scored more than once")
            columns[name] = answers
        wide = pd.concat(columns, axis=1).dropna().astype(bool).sort_index()
        if len(wide):
            found = True
            yield (str(system[0]), str(system[1])), wide
    if not found:
        raise TabBenchError(
            f"no model was judged under all of {list(conditions)}; ask them in the configuration"
        )
