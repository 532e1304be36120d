"""Worked examples."""

from tabbench.core.frames import TEXT, declare
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS

SCITARC_DEMONSTRATIONS = declare(
    "scitarc_demonstrations",
    *((column.name, column.type, column.meaning) for column in SCITARC_QUESTIONS.columns[:-1]),
    ("language", TEXT, "reasoning in words"),
    ("code", TEXT, "program that prints the answer"),
)
