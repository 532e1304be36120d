"""Paired differences of ROC-AUC on the same test rows, and how many rows would tell one."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t as student

from tabbench.core.schemas.decision import (
    ALL_LABELS,
    DIFFERENCES,
    EXAMPLES,
    MODELS,
    MORE_DRAWS,
    NO_ANSWERS,
    NO_TEST,
    OK,
    ONE_CLASS,
    ONE_GROUP,
    ONE_ROW,
    POWER,
    SAME_LABELS,
    SAME_RANKS,
)
from tabbench.decision.sides import LEVEL, MODEL, Answers, Side
from tabbench.statistics.draws import DrawnTest, drawn_difference
from tabbench.statistics.multiplicity import LEVEL as ALPHA
from tabbench.statistics.multiplicity import holm

DELTA = 0.05
"""Difference of ROC-AUC that is worth telling."""
POWER_WANTED = 0.8


class Pair(NamedTuple):
    comparison: str
    side: Side
    reference: Side


def pairs(sides: Iterable[Side]) -> Iterator[Pair]:
    """Every planned comparison: models with baselines, with themselves, with each other."""
    every = list(sides)
    for at, side in enumerate(every):
        if side.kind != MODEL:
            continue
        for other in every:
            if other.kind != MODEL and other.full:
                yield Pair(ALL_LABELS, side, other)
            elif other.kind != MODEL and other.k == side.k:
                yield Pair(SAME_LABELS, side, other)
            elif other.model == side.model and other.k == 0 < side.k:
                yield Pair(EXAMPLES, side, other)
        for other in every[at + 1 :]:
            if other.kind == MODEL and other.model != side.model and other.k == side.k:
                yield Pair(MODELS, side, other)


def tested(answers: Answers, pair: Pair) -> tuple[DrawnTest | None, str]:
    """Test one pair on the rows that both sides answered; None where there are no two classes."""
    usable = answers.usable(pair.side, pair.reference)
    y = answers.y[usable]
    if not len(y):
        return None, NO_ANSWERS
    if y.min() == y.max():
        return None, ONE_CLASS
    curves = [answers.curves[side].p[:, usable] for side in (pair.side, pair.reference)]
    paired, groups = answers.paired(pair.side, pair.reference), answers.groups_of(usable)
    test = drawn_difference(y, *curves, paired=paired, groups=groups)
    if np.isnan(test.se_rows):
        return test, ONE_ROW if 1 in np.bincount(y) else ONE_GROUP
    if np.isnan(test.p):
        return test, NO_TEST
    return test, SAME_RANKS if test.se == 0 else OK


def paired_differences(answers: Answers) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare models with baselines, with themselves without examples, and with each other.

    DeLong's variance covers the test rows; with several draws of examples their variance is added
    (`statistics.draws`), in pairs where both sides rest on the same draws. Holm's method is
    applied within each comparison, over all its models, baselines and numbers of labels. Power is
    that at the level that Holm asks of the smallest p, `ALPHA` over the number of tests, so it is
    reached whatever the other tests say.

    Returns
    -------
    differences, power : DataFrames with the columns of ``DIFFERENCES`` and ``POWER``
    """
    rows, tests = [], []
    for pair in pairs(answers.curves):
        test, status = tested(answers, pair)
        both = (pair.side, pair.reference)
        shared: dict[str, Any] = {
            "comparison": pair.comparison,
            **pair.side.named(),
            **pair.reference.named("reference"),
            **answers.counts(*both),
        }
        rows.append(shared | {"status": status, "test": test})
        tests.append(test if status == OK else None)
        if test is None:
            continue
        rows[-1] |= {
            "roc_auc": test.first,
            "reference_roc_auc": test.second,
            "difference": test.difference,
            "se_rows": test.se_rows,
            "se": test.se,
            "p": test.p,
        }
    found = pd.DataFrame(rows).reindex(columns=[*DIFFERENCES.names, "test"])
    p = found["p"].astype(float).groupby(found["comparison"])
    found["p_holm"] = p.transform(holm)
    alphas = ALPHA / p.transform("count").clip(lower=1)
    needed = [
        {name: row.get(name) for name in POWER.names} | power(test, row["n"], row["status"], alpha)
        for row, test, alpha in zip(rows, tests, alphas, strict=True)
    ]
    powers = pd.DataFrame(needed).reindex(columns=POWER.names)
    return (
        judged(found)[DIFFERENCES.names],
        powers.assign(delta=DELTA, power=POWER_WANTED, alpha=alphas),
    )


def judged(found: pd.DataFrame) -> pd.DataFrame:
    """Give each test the interval at the level at which Holm's method judges it.

    It leaves out 0 exactly where the difference is told, and covers the true one in `LEVEL` of
    cases or more.

    Parameters
    ----------
    found : DataFrame with ``test`` (DrawnTest or missing), ``p`` and ``p_holm``

    Returns
    -------
    The same with ``level``, ``low`` and ``high``
    """
    p, corrected = (found[name].astype(float) for name in ("p", "p_holm"))
    several = (corrected / p.where(p > 0)).fillna(1).clip(lower=1)
    levels = 1 - (1 - LEVEL) / several
    bounds = [
        test.interval(level) if isinstance(test, DrawnTest) else (np.nan, np.nan)
        for test, level in zip(found["test"], levels, strict=True)
    ]
    low, high = zip(*bounds, strict=True) if bounds else ((), ())
    return found.assign(level=levels, low=low, high=high)


def power(test: DrawnTest | None, n: int, status: str, alpha: float = ALPHA) -> dict[str, Any]:
    """Return the columns of ``POWER`` that follow from DeLong's variance on n rows.

    The variance of the rows falls with their number, at the same balance of the classes; that of
    the draws stays. ``rows_needed`` keeps the size of groups, where rows come in groups.

    Parameters
    ----------
    test : None where it is undefined, for the reason ``status``
    alpha : two-sided level of the test
    """
    if test is None:
        return {"power_now": np.nan, "detectable": np.nan, "rows_needed": 0, "status": status}
    critical = float(student.isf(alpha / 2, test.df))
    scale = critical + float(student.ppf(POWER_WANTED, test.df))
    left = (DELTA / scale) ** 2 - test.variance_draws
    effect = DELTA / test.se
    return {
        "power_now": float(
            student.sf(critical - effect, test.df) + student.cdf(-critical - effect, test.df)
        ),
        "detectable": scale * test.se,
        "rows_needed": int(np.ceil(n * test.se_rows**2 / left)) if left > 0 else 0,
        "status": status if left > 0 else MORE_DRAWS,
    }
