"""Columns that name a question and its condition."""

from tabbench.core.frames import INT, TEXT

ASKED = (
    ("plan_mode", TEXT, "none, self or gold"),
    ("execution", TEXT, "language or code"),
    ("shots", INT, "demonstrations shown"),
    ("seed", INT, "of the sampling"),
    ("row", INT, "question, by its place in the file from 0"),
)
