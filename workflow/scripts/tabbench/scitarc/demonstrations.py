"""Solved questions in the prompt before a question, held out (second paper, section G)."""

import json
from collections.abc import Sequence
from pathlib import Path

from tabbench.config.validation import validate
from tabbench.core.errors import TabBenchError
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.prompts import Demonstration, Execution

_TEXT = {"type": "string", "pattern": r"\S"}
_ENTRY = {
    "type": "object",
    "required": ["row", "language", "code"],
    "additionalProperties": False,
    "properties": {"row": {"type": "integer", "minimum": 0}, "language": _TEXT, "code": _TEXT},
}


def read_demonstrations(
    path: Path, questions: Sequence[Question], execution: Execution
) -> tuple[Demonstration, ...]:
    """Read demonstrations: a JSON list of question rows with a trace in words and in code.

    Parameters
    ----------
    questions : those that the rows refer to; each demonstration needs an answer and a plan

    Raises
    ------
    TabBenchError
        When the file cannot be read, or names a row that is not there or lacks plan or answer.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TabBenchError(f"{path}: cannot be read as JSON: {error}") from error
    rows = {"type": "array", "items": _ENTRY}
    validate({"shown": entries}, {"properties": {"shown": rows}}, str(path))
    by_row = {one.row: one for one in questions}
    shown = []
    for entry in entries:
        question = by_row.get(entry["row"])
        if question is None or question.plan is None or question.answer is None:
            raise TabBenchError(
                f"{path}: row {entry['row']} is no question with a plan and an answer; choose "
                "another row"
            )
        shown.append(Demonstration(question, entry[execution], question.plan))
    return tuple(shown)
