"""A prepared table."""

from tabbench.core.frames import INT, declare

TABLE = declare(
    "table",
    ("row_id", INT, "row number in the prepared table"),
    ("y", INT, "label, 0 or 1"),
    open=True,
)
ANSWER = "answer"
"""What prompts call the label's column."""


def is_reserved(name: str) -> bool:
    """Whether no feature may have a name: a prompt's head would name two columns so, or a table."""
    return name in TABLE.names or name.casefold() == ANSWER
