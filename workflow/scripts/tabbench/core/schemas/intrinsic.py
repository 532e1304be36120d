"""Intrinsic dimension of the complexity grid."""

from tabbench.core.frames import INT, REAL, TEXT, declare
from tabbench.core.schemas.estimates import ESTIMATES, FAILURES

INTRINSIC = declare(
    "intrinsic",
    ("level", TEXT, "MLP level"),
    ("dataset", TEXT, "dataset id"),
    ("features", INT, "columns of the table, without the label"),
    *ESTIMATES,
    ("mean", REAL, "mean of the four; NaN where one of them failed"),
    ("n_rows", INT, "distinct complete rows that entered"),
    ("n_left_out", INT, "rows with a missing value, and repeated ones"),
    FAILURES,
)
