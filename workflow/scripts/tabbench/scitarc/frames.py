"""Questions and demonstrations as frames of the workflow's files."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd

from tabbench.scitarc.dataset import Question, usable
from tabbench.scitarc.prompts import EXECUTIONS, Demonstration, Execution
from tabbench.scitarc.schemas.demonstrations import SCITARC_DEMONSTRATIONS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS

_SEED = 42


def asked_rows(
    questions: Sequence[Question], rows: int | None, demonstrated: Sequence[Question]
) -> frozenset[int]:
    """Choose the questions that models are asked.

    Parameters
    ----------
    rows : how many to draw among those that can be asked in every way, so with an answer and a
        plan and no demonstration; a larger number keeps those of a smaller one. None: all with an
        answer
    demonstrated : questions of the demonstrations
    """
    if rows is None:
        return frozenset(one.row for one in usable(questions, with_plan=False).questions)
    complete = usable(questions, with_plan=True, without=demonstrated).questions
    drawn = np.random.default_rng(_SEED).permutation([one.row for one in complete])
    return frozenset(drawn[:rows].tolist())


def questions_frame(questions: Sequence[Question], asked: frozenset[int]) -> pd.DataFrame:
    """All questions; see ``schemas.SCITARC_QUESTIONS``.

    Parameters
    ----------
    asked : rows of the questions for the models
    """
    rows = [_fields(one) | {"asked": one.row in asked} for one in questions]
    return pd.DataFrame(rows, columns=SCITARC_QUESTIONS.names)


def demonstrations_frame(shown: Mapping[Execution, Sequence[Demonstration]]) -> pd.DataFrame:
    """Demonstrations with both traces; see ``schemas.SCITARC_DEMONSTRATIONS``.

    Parameters
    ----------
    shown : demonstrations by execution, with the same questions
    """
    rows = [
        _fields(both[0].question)
        | {execution: one.trace for execution, one in zip(shown, both, strict=True)}
        for both in zip(*shown.values(), strict=True)
    ]
    return pd.DataFrame(rows, columns=SCITARC_DEMONSTRATIONS.names)


def _fields(one: Question) -> dict[str, object]:
    return {name: value for name, value in asdict(one).items() if name in SCITARC_QUESTIONS.names}


def read_back(frame: pd.DataFrame) -> tuple[Question, ...]:
    """Questions of a frame of either schema."""
    return tuple(
        Question(
            row["row"],
            row["paper"],
            row["question"],
            None if pd.isna(row["answer"]) else row["answer"],
            None if pd.isna(row["plan"]) else row["plan"],
            tuple(row["relevant_tables"]),
        )
        for row in frame.to_dict("records")
    )


def demonstrations_of(frame: pd.DataFrame) -> dict[Execution, tuple[Demonstration, ...]]:
    """Demonstrations by execution, of a frame of ``schemas.SCITARC_DEMONSTRATIONS``."""
    questions = read_back(frame)
    return {
        execution: tuple(
            Demonstration(one, trace, one.plan or "")
            for one, trace in zip(questions, frame[execution], strict=True)
        )
        for execution in EXECUTIONS
    }
