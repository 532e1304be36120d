"""Types of gold answers, told from their text alone: what a question asks for.

The first rule that fits decides; what is in brackets aside from the answer does not count.

1. yes or no: the answer begins with yes, no, true or false, alone or before a mark.
2. list: it has several parts, separated by a comma, semicolon, line, ``>``, ``and`` or ``or``; or
   it names several numbers, or a number with what it belongs to ("XGBoost: 3.2").
3. number: it holds a number and no name. Units and words do not matter, nor does the total of
   "8 of 11" or what stands behind ±.
4. name: everything else, so also a phrase, "lower" or "none".
"""

import re
from dataclasses import replace
from itertools import zip_longest
from typing import Literal, get_args

import pandas as pd

from tabbench.scitarc.matcher_items import Token, items, pieces, tokens
from tabbench.scitarc.scores import DIRECT, SYSTEM, accuracies, every_seed

AnswerType = Literal["number", "name", "list", "yes or no"]
TYPES: tuple[AnswerType, ...] = get_args(AnswerType)

_POLAR = re.compile(r"\W*(?:yes|no|true|false)\s*(?:$|[.,;:(]|\s[–—-])", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_SPREAD = re.compile(r"(?:±|\+/-|\\pm)\s*[\d.]+")
_JOINED = re.compile(r"\s(?:and|or|&)\s")


def answer_type(gold: str) -> AnswerType:
    """Return the type of a gold answer.

    Examples
    --------
    >>> [answer_type(gold) for gold in ("17.25 %", "GPT-4o", "HellaSwag, PiQA", "No, 3 models")]
    ['number', 'name', 'list', 'yes or no']
    """
    if _POLAR.match(gold):
        return "yes or no"
    text = _SPREAD.sub("", gold)
    text = _BRACKETS.sub(" ", text) if _BRACKETS.sub("", text).strip() else text
    parts = pieces(_named(tokens(text, prose=False)))
    found = [item for part in parts for item in items(part) if not item.total]
    numbers = sum(item.kind == "number" for item in found)
    names = len(found) - numbers
    if len(parts) > 1 or _JOINED.search(text) or numbers > 1 or (numbers and names):
        return "list"
    return "number" if numbers else "name"


def _named(read: list[Token]) -> list[Token]:
    """Tokens with a number that a word goes on with as a word: "zero-shot"."""
    return [
        replace(one, kind="word", number=None)
        if one.kind == "number" and after and after.glued and after.kind == "word"
        else one
        for one, after in zip_longest(read, read[1:])
    ]


def accuracy_by_type(scores: pd.DataFrame) -> pd.DataFrame:
    """Zero-shot direct accuracy of each system on the questions of each type of answer.

    Returns
    -------
    DataFrame with model, execution, answer_type and the columns of `scores.accuracies`
    """
    direct = every_seed(scores, DIRECT)
    return accuracies(
        direct.assign(answer_type=direct["gold"].map(answer_type)), [*SYSTEM, "answer_type"]
    )
