"""Agreement of the matcher with labels written by hand (``resources/scitarc``)."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.agreement import Agreement, agreement
from tabbench.scitarc.matcher import match
from tabbench.statistics.proportions import wilson_interval

COLUMNS = ("gold", "prediction", "label", "why", "part", "kind", "second")
"""``part`` is development for pairs known when the matcher's rules were written, held out for those
that were labelled before but not used, and afterwards for those written once the rules stood.
Held-out pairs name the ``kind`` of question that they put, and have a ``second`` label, given in
another pass over the shuffled pairs without sight of the first."""


def read_pairs(path: Path) -> pd.DataFrame:
    """Read labelled pairs; an empty prediction is the empty text.

    Raises
    ------
    TabBenchError
        When columns are missing or a label is not 0, 0.5 or 1.
    """
    pairs = pd.read_csv(path, keep_default_na=False, dtype=str)
    if list(pairs.columns) != list(COLUMNS):
        raise TabBenchError(f"{path}: columns {list(pairs.columns)}, expected {list(COLUMNS)}")
    labels = pairs[["label", "second"]].apply(pd.to_numeric, errors="coerce")
    given = pairs["second"].ne("") | pairs["part"].eq("held out")
    wrong = ~labels["label"].isin([0, 0.5, 1]) | (given & ~labels["second"].isin([0, 0.5, 1]))
    if wrong.any():
        pair = int(wrong.to_numpy().argmax()) + 1
        raise TabBenchError(f"{path}, pair {pair}: a label is not 0, 0.5 or 1")
    return pairs.assign(label=labels["label"], second=labels["second"])


def judge_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """The columns of ``pairs``, with the matcher's score and reason, and whether it is sure."""
    matches = [
        match(str(gold), str(prediction))
        for gold, prediction in zip(pairs["gold"], pairs["prediction"], strict=True)
    ]
    return pairs.assign(
        score=[one.score for one in matches],
        reason=[one.reason for one in matches],
        sure=[one.sure for one in matches],
    )


class SureVerdicts(NamedTuple):
    """Verdicts of which the matcher is sure.

    Attributes
    ----------
    n, n_sure : pairs, and those with a sure verdict
    errors : sure verdicts against the label
    low, high : Wilson's 95 % interval of the share of errors among sure verdicts
    """

    n: int
    n_sure: int
    errors: int
    low: float
    high: float


def sure_verdicts(pairs: pd.DataFrame) -> SureVerdicts:
    """How often the matcher is sure, and wrong then, on the pairs that its rules were not made on.

    These are the parts held out and afterwards; what makes a verdict sure was set in their sight.
    """
    judged = judge_pairs(pairs[pairs["part"].ne("development")])
    sure = judged[judged["sure"]]
    errors = int((sure["score"].eq(1) != sure["label"].eq(1)).sum())
    low, high = wilson_interval(errors / len(sure), len(sure))
    return SureVerdicts(len(judged), len(sure), errors, float(low), float(high))


def label_agreement(pairs: pd.DataFrame) -> Agreement:
    """Agreement of the two passes of labelling, binarised, over the pairs labelled twice."""
    twice = pairs[pairs["second"].notna()]
    return agreement(twice["label"].eq(1), twice["second"].eq(1))


def matcher_agreement(pairs: pd.DataFrame) -> dict[str, Agreement]:
    """Agreement of the labels (first) with the matcher (second), binarised, for each part.

    Pairs of the development part were known when the matcher was written: only the held-out part
    estimates the agreement on new answers.
    """
    judged = judge_pairs(pairs)
    return {
        str(part): agreement(group["label"].eq(1), group["score"].eq(1))
        for part, group in judged.groupby("part", sort=False)
    }
