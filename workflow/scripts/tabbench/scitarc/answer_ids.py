"""What names an answer, in tables and on sheets for people."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

ANSWER = ["model", "plan_mode", "execution", "shots", "seed", "row"]
"""Columns that name an answer."""


def answer_id(answer: Mapping[Any, Any], gold: str) -> str:
    """Id of an answer on sheets for people, which names no model.

    An answer whose response or gold answer has changed has another id, so that labels of the former
    one are not taken for it.

    Parameters
    ----------
    answer : the columns `ANSWER` and response
    """
    parts = [str(answer[name]) for name in (*ANSWER, "response")]
    digest = hashlib.sha256(json.dumps([*parts, gold]).encode()).hexdigest()
    return f"a{digest[:11]}"  # a spreadsheet takes 12e45 for a number
