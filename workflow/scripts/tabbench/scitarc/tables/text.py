"""Shared parts of SciTaRC's tables: percentages and their notes."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tabbench.reporting.writer import DASH, p_value, plural, plus_minus
from tabbench.scitarc.judge import judging_model
from tabbench.scitarc.names import judge_title
from tabbench.scitarc.prompts import METHODS, PLAN_TITLES
from tabbench.scitarc.scores import seeds_of
from tabbench.statistics.proportions import wilson_interval

INTERVAL_NOTE = (
    "[ ]: 95 % interval, percentiles of 2,000 resamples of the questions; it covers sampling of "
    "the questions, not the randomness of decoding"
)
MCNEMAR_NOTE = (
    "p: exact McNemar tests on the same questions, two-sided; null hypothesis: as many answers "
    "gained (wrong to right) as lost (right to wrong)"
)


def percent(share: float, signed: bool = False) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.447), percent(-0.0995, signed=True), percent(float("nan"))
    ('44.7', '−10.0', '–')
    """
    return plus_minus(100 * share, digits=1, signed=signed)


def percent_interval(low: float, high: float, signed: bool = False) -> str:
    """Return ``[39.8, 49.9]``; ``[–]`` where it is not defined."""
    if math.isnan(low):
        return f"[{DASH}]"
    return f"[{percent(low, signed)}, {percent(high, signed)}]"


def exact_p(p: float) -> str:
    """Return the p-value of an exact test, which never underflows."""
    return p_value(p, math.nan)


def p_cell(p: float) -> str:
    """Return the same for a column whose header says p."""
    return exact_p(p).removeprefix("p ").removeprefix("= ")


def named(frame: pd.DataFrame, models: Mapping[str, str]) -> pd.DataFrame:
    """Put the model's display name and the method, CoT or PoT, in front."""
    return pd.DataFrame(
        {"name": frame["model"].map(models), "method": frame["execution"].map(METHODS)}
    ).join(frame)


def in_order(frame: pd.DataFrame, models: Mapping[str, str]) -> pd.DataFrame:
    """Sort conditions: models as configured, CoT before PoT, then demonstrations and plan modes."""
    places: dict[str, list[Any]] = {
        "model": list(models),
        "execution": list(METHODS),
        "shots": sorted(frame["shots"].unique()),
        "plan_mode": list(PLAN_TITLES),
    }
    return frame.sort_values(
        list(places), key=lambda column: column.map(places[str(column.name)].index), kind="stable"
    )


def condition_cells(row: Any) -> tuple[str, str, str, str]:
    """Model, method, plan mode and demonstrations of a row of `named` columns."""
    return row.name, row.method, PLAN_TITLES[row.plan_mode].lower(), str(row.shots)


def percent_spread(share: float, sd: float) -> str:
    """Return a share in percent, and its standard deviation over seeds where there are several.

    Examples
    --------
    >>> percent_spread(0.447, 0.012), percent_spread(0.447, float("nan"))
    ('44.7 ± 1.2', '44.7')
    """
    return plus_minus(100 * share, 100 * sd, digits=1)


def judged_note(scores: pd.DataFrame, models: Mapping[str, str]) -> str:
    """Define accuracy, over one answer a question, and name the judge."""
    return "; ".join([_accuracy_note(scores, models), *first_seed_notes(scores)])


def first_seed_notes(scores: pd.DataFrame) -> tuple[str, ...]:
    """Say which answers count where there are several to a question."""
    seeds = seeds_of(scores)
    if len(seeds) == 1:
        return ()
    return (f"of answers sampled with the seeds {_listed(seeds)}, those of the first count here",)


def averaged_notes(scores: pd.DataFrame, models: Mapping[str, str]) -> tuple[str, ...]:
    """Define accuracy, a mean over seeds where there are several, and name the judge."""
    seeds = seeds_of(scores)
    return (
        _accuracy_note(scores, models),
        *self_judged_notes(scores, models),
        *(
            (
                f"accuracy, EM: means over answers sampled with n = {len(seeds)} seeds "
                f"({_listed(seeds)}); ±: standard deviation of the accuracy over the seeds; n: "
                "questions, each with its answers of all seeds; no answer, judge failed: counts "
                "of answers; the interval resamples questions with all their answers",
            )
            * (len(seeds) > 1)
        ),
    )


def self_judged_notes(scores: pd.DataFrame, models: Mapping[str, str]) -> tuple[str, ...]:
    """Name the models that judged answers of their own."""
    judge = judging_model(str(scores["judge"].iloc[0]))
    if judge is None:
        return ()
    name = models.get(judge, judge)
    own = scores["model"].map(models).fillna(scores["model"]).eq(name)
    count = int((own & scores["asked"].gt(0)).sum())
    if not count:
        return ()
    return (
        f"{name} judged {plural(count, 'answer')} of its own: a model may favour its own "
        "answers, so compare its rows with another judge's verdicts or with human labels",
    )


def _accuracy_note(scores: pd.DataFrame, models: Mapping[str, str]) -> str:
    judge = judge_title(str(scores["judge"].iloc[0]), models)
    return (
        f"accuracy: share of the n answers that {judge} found fully correct; a partly correct "
        "answer and one that was not found count as wrong, a question whose judge failed is not "
        "among n"
    )


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds))


def unchanged_notes(differences: pd.DataFrame) -> tuple[str, ...]:
    """Qualify intervals and p-values where no answer changed.

    Parameters
    ----------
    differences : DataFrame with gained and lost
    """
    if not (differences["gained"] + differences["lost"]).eq(0).any():
        return ()
    return (
        "where no answer changed, the interval of the difference has no width and p is 1, "
        "regardless of the number of questions; this is no evidence of equality",
    )


def alike_notes(
    shares: pd.Series,
    n: pd.Series,
    where: str = "all answers are right or all wrong",
    counted: str = "right",
) -> tuple[str, ...]:
    """Qualify intervals where a share is 0 or 1.

    Parameters
    ----------
    shares, n : accuracies and numbers of answers of the table
    where : what such a share means
    counted : what a share is of, behind "3 of 4"
    """
    flat = sorted({(int(m), float(s)) for s, m in zip(shares, n, strict=True) if m and s in (0, 1)})
    if not flat:
        return ()
    count, share = flat[0]
    low, high = (float(end) for end in wilson_interval(share, count))
    return (
        f"where {where} the resampled interval has no width; for "
        f"{share * count:.0f} of {count} {counted}, Wilson's 95 % interval is "
        f"{percent_interval(low, high)}",
    )
