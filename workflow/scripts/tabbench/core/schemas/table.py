"""A prepared table."""

from tabbench.core.frames import INT, declare

TABLE = declare(
    "table",
    ("row_id", INT, "row number in the prepared table"),
    ("y", INT, "label, 0 or 1"),
    open=True,
)
