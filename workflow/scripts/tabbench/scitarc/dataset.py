"""Questions in SciTaRC's published format, from a file or from the hub (section 3.1)."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabbench.config.validation import validate
from tabbench.core.errors import TabBenchError

_TEXT = {"type": "string"}
_SAID = {"type": "string", "pattern": r"\S"}
_TABLE = {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["paper", "question", "relevant_tables"],
    "properties": {
        "paper": _SAID,
        "question": _SAID,
        "answer": {"type": ["string", "number", "null"]},
        "plan": {"type": ["string", "null"]},
        "relevant_tables": {"type": "array", "minItems": 1, "items": _TABLE},
        "tables": {"type": ["array", "null"], "items": _TABLE},
        "fulltext": {"type": ["string", "null"]},
    },
}
"""JSON schema of one question; further keys may be there and are not read."""


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    row : its place in the file, from 0; the published numbers count so
    answer, plan : None where the data have none
    relevant_tables, tables : LaTeX of the 1 to 3 tables needed, and of all tables of the paper
    """

    row: int
    paper: str
    question: str
    answer: str | None
    plan: str | None
    relevant_tables: tuple[str, ...]
    tables: tuple[str, ...] = ()
    fulltext: str = ""


@dataclass(frozen=True)
class QuestionSet:
    """Questions in the order of their rows.

    Attributes
    ----------
    sha256 : of the content that can change an answer or a metric; equal sets have equal ones
    faults : what is missing, in words, by row ("row 370 has no plan")
    """

    questions: tuple[Question, ...]
    sha256: str
    faults: tuple[str, ...]


def parse_questions(records: Sequence[Any], source: str) -> QuestionSet:
    """Check records against `SCHEMA` and turn them into questions.

    A record without plan or answer stays and is named among the faults: its tables are counted, and
    a model can answer it without a plan.

    Parameters
    ----------
    records : one mapping a question
    source : file or hub id, for error messages

    Raises
    ------
    TabBenchError
        When records break the schema; the message lists all of them.
    """
    rows = {"type": "array", "minItems": 1, "items": SCHEMA}
    validate({"rows": records}, {"properties": {"rows": rows}}, source)
    questions = tuple(_question(row, record) for row, record in enumerate(records))
    text = json.dumps([[q.question, q.answer, q.plan, q.relevant_tables] for q in questions])
    faults = tuple(
        f"row {one.row} has no {name}"
        for one in questions
        for name, value in (("plan", one.plan), ("answer", one.answer))
        if value is None
    )
    return QuestionSet(questions, hashlib.sha256(text.encode()).hexdigest(), faults)


def _question(row: int, record: Mapping[str, Any]) -> Question:
    return Question(
        row,
        record["paper"],
        record["question"],
        _given(record.get("answer")),
        _given(record.get("plan")),
        tuple(map(_latex, record["relevant_tables"])),
        tuple(map(_latex, record.get("tables") or ())),
        record.get("fulltext") or "",
    )


def _given(value: str | float | None) -> str | None:
    return None if value is None or not str(value).strip() else str(value)


def _latex(lines: str | Sequence[str]) -> str:
    """A table's text, with a final newline as in the published lines."""
    if isinstance(lines, str):
        return lines
    ended = [line if line.endswith("\n") else line + "\n" for line in lines[:-1]]
    return "".join([*ended, *lines[-1:]])


def read_questions(path: Path) -> QuestionSet:
    """Read a JSON file with a list of questions.

    Raises
    ------
    TabBenchError
        When the file is missing, is not JSON, is not a list, or breaks the schema.
    """
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TabBenchError(f"{path}: no such file") from error
    except ValueError as error:
        raise TabBenchError(f"{path}: not JSON: {error}") from error
    if not isinstance(records, list):
        raise TabBenchError(f"{path}: expected a list of questions")
    return parse_questions(records, str(path))


def fetch_records(hub_id: str, split: str = "test", revision: str | None = None) -> list[Any]:
    """Download a question set from the Hugging Face hub, as records for `parse_questions`.

    Raises
    ------
    TabBenchError
        When the package datasets is not installed, or the hub does not give the set.
    """
    by_hand = "or put its scitarc_dataset.json into a file and name that in the configuration"
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise TabBenchError(
            f"{hub_id}: the package datasets is not installed (pip install -r "
            f"requirements-optional.txt); {by_hand}"
        ) from error
    try:
        return [dict(record) for record in load_dataset(hub_id, split=split, revision=revision)]
    except Exception as error:
        raise TabBenchError(
            f"{hub_id}: cannot be downloaded from the hub: {error}; {by_hand}"
        ) from error


@dataclass(frozen=True)
class Usable:
    """Questions that can be asked, and the rows that cannot, with the reason."""

    questions: tuple[Question, ...]
    left_out: tuple[str, ...]


def usable(
    questions: Iterable[Question], *, with_plan: bool, without: Collection[Question] = ()
) -> Usable:
    """Choose the questions that can be asked and scored.

    Parameters
    ----------
    with_plan : whether the gold plan is needed
    without : held out, the demonstrations' questions
    """
    kept, left_out = [], []
    for one in questions:
        reason = (
            "is a demonstration"
            if one in without
            else "has no answer"
            if one.answer is None
            else "has no plan"
            if with_plan and one.plan is None
            else ""
        )
        if reason:
            left_out.append(f"row {one.row} {reason}")
        else:
            kept.append(one)
    return Usable(tuple(kept), tuple(left_out))
