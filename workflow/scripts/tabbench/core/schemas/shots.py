"""Draws of examples."""

from tabbench.core.frames import INT, declare

SHOTS = declare(
    "shots",
    ("k", INT, "number of labelled examples"),
    ("seed", INT, "seed of the draw"),
    ("position", INT, "order in the prompt, from 0"),
    ("row_id", INT, "row number in the prepared table"),
)
