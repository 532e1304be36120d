"""Rows as text."""

from tabbench.core.frames import INT, TEXT, declare

SERIALIZED = declare(
    "serialized",
    ("serialization", TEXT, "text format"),
    ("row_id", INT, "row number in the prepared table; -1 is the table's head"),
    ("text", TEXT, "the row as text, up to the place of its label"),
)
