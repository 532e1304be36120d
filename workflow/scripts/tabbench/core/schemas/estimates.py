"""Columns of estimates of intrinsic dimension."""

from tabbench.core.frames import INT, REAL, TEXT

ESTIMATES = (
    ("lPCA", REAL, "principal components, Fukunaga and Olsen; NaN where it failed"),
    ("MLE", REAL, "maximum likelihood, Levina and Bickel; NaN where it failed"),
    ("TwoNN", REAL, "two nearest neighbours, Facco et al.; NaN where it failed"),
    ("TLE", REAL, "tight local estimator, Amsaleg et al.; NaN where it failed"),
)
FAILURES = ("failures", TEXT, "estimators that failed and why; empty where none did")
ROWS_DRAWN = (
    ("n_rows", INT, "distinct complete rows that the estimators saw"),
    ("n_left_out", INT, "rows with a missing number, and repeated ones"),
    ("n_not_drawn", INT, "further distinct complete rows, more than the MLP tables have"),
)
