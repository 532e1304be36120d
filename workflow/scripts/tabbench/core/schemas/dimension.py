"""Intrinsic dimension of a dataset."""

from tabbench.core.frames import INT, TEXT, declare
from tabbench.core.schemas.estimates import ESTIMATES, FAILURES, ROWS_DRAWN

DIMENSION = declare(
    "dimension",
    ("dataset", TEXT, "dataset id"),
    ("columns", INT, "columns of the table, without the label"),
    ("columns_left_out", TEXT, "columns left out and why; empty where none was"),
    ("features", INT, "numbers per row: numeric columns, and an indicator per category"),
    *ESTIMATES,
    *ROWS_DRAWN,
    FAILURES,
)
