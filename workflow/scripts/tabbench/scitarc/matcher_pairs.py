"""Agreement of the matcher with labels written by hand (``resources/scitarc``)."""

from pathlib import Path

import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.agreement import Agreement, agreement
from tabbench.scitarc.matcher import match

COLUMNS = ("gold", "prediction", "label", "why", "part")
"""``part`` is development for pairs known when the matcher was written, else held out."""


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
    labels = pd.to_numeric(pairs["label"], errors="coerce")
    if not labels.isin([0, 0.5, 1]).all():
        line = int(labels.index[~labels.isin([0, 0.5, 1])][0]) + 2
        raise TabBenchError(f"{path}, pair of line {line}: the label is not 0, 0.5 or 1")
    return pairs.assign(label=labels)


def judge_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """The columns of ``pairs``, with the matcher's score and reason."""
    matches = [
        match(str(gold), str(prediction))
        for gold, prediction in zip(pairs["gold"], pairs["prediction"], strict=True)
    ]
    return pairs.assign(
        score=[one.score for one in matches], reason=[one.reason for one in matches]
    )


def matcher_agreement(pairs: pd.DataFrame) -> dict[str, Agreement]:
    """Agreement of the labels (first) with the matcher (second), binarised, for each part.

    Pairs of the development part were known when the matcher was written: only the held-out part
    estimates the agreement on new answers.
    """
    judged = judge_pairs(pairs)
    return {
        str(part): agreement(group["label"].eq(1), group["score"].eq(1))
        for part, group in judged.groupby("part")
    }
