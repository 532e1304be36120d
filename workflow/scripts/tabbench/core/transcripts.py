"""Transcripts: an answer and its origin, as a Markdown file that people read and write."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tabbench.core.errors import TabBenchError


@dataclass(frozen=True)
class Turn:
    """An answer and its origin, the content of one Markdown file.

    Attributes
    ----------
    model : model that answered
    date : ISO date
    parameters : engine, seed and everything else that can change the answer
    note : remark for readers
    """

    answer: str
    model: str
    date: str
    parameters: Mapping[str, Any]
    note: str = ""


def write_turn(path: Path, turn: Turn) -> None:
    head = {"model": turn.model, "date": turn.date, "parameters": dict(turn.parameters)}
    if turn.note:
        head["note"] = turn.note
    text = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=100)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(f"---\n{text}---\n{turn.answer}", encoding="utf-8", newline="")
    unfinished.rename(path)


def read_turn(path: Path) -> Turn:
    """Read a transcript's turn.

    Raises
    ------
    TabBenchError
        When the file does not begin with the head that `write_turn` writes.
    """
    text = path.read_bytes().decode("utf-8")
    before, _, rest = text.partition("---\n")
    head, mark, answer = rest.partition("\n---\n")
    try:
        fields = yaml.safe_load(head) if mark and not before else None
        if not isinstance(fields, dict):
            raise TypeError("it has no head between two lines of ---")
        return Turn(answer, **{**fields, "date": str(fields["date"])})
    except (yaml.YAMLError, TypeError, KeyError) as error:
        raise TabBenchError(
            f"{path}: not a turn of a dialogue ({error}). It begins with model, date and "
            f"parameters in YAML between two lines of ---, then the answer"
        ) from error
