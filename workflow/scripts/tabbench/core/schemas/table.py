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
RESERVED = (*TABLE.names, ANSWER)
"""Names that no feature may have; in prompts another spelling of ``ANSWER`` would mislead too."""
