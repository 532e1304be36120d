"""Training and test rows of a dataset."""

from tabbench.core.frames import INT, TEXT, declare

SPLIT = declare(
    "split",
    ("row_id", INT, "row number in the prepared table"),
    ("part", TEXT, "train, test, or unused (test rows over the cap)"),
    ("position", INT, "order within the part; growing the cap keeps the first positions"),
)
