"""Intervals of methods and of their differences."""

from tabbench.core.frames import INT, REAL, TEXT, declare

_COMPARED = (
    ("model", TEXT, "model or baseline id"),
    ("k", INT, "number of labelled examples"),
    ("reference", TEXT, "what is subtracted: model or baseline id; empty: nothing"),
    ("reference_k", INT, "number of labelled examples of the reference; 0 where there is none"),
)
_BOUNDS = (
    ("low", REAL, "lower bound of the bootstrap interval; NaN where a class has one row"),
    ("high", REAL, "upper bound of the bootstrap interval"),
    ("level", REAL, "coverage of the interval"),
    ("resamples", INT, "resamples of the test rows"),
)
INTERVALS = declare(
    "intervals",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    ("dataset", TEXT, "dataset id"),
    *_COMPARED,
    ("n", INT, "test rows that are valid under every curve involved"),
    ("n_positive", INT, "rows of class 1 among them"),
    ("n_dropped", INT, "test rows left out because some answer was invalid"),
    ("estimate", REAL, "ROC-AUC (mean over draws), or its difference to the reference's"),
    *_BOUNDS,
    ("se", REAL, "DeLong standard error of the estimate"),
    ("z", REAL, "difference / se; 0 where both rank alike, NaN where undefined or no reference"),
    ("p_two_sided", REAL, "DeLong's two-sided p-value; NaN like z"),
)
MEAN_INTERVALS = declare(
    "mean_intervals",
    ("group", TEXT, "group of datasets: All, Classic or New"),
    *_COMPARED,
    ("mean", REAL, "mean of the estimates over the datasets"),
    *_BOUNDS,
    ("n_datasets", INT, "datasets with an interval; mean and interval rest on these"),
    ("n_left_out", INT, "datasets where a class has fewer than two valid rows"),
    ("n_tests", INT, "datasets whose DeLong test is defined and enters Stouffer's method"),
    ("z", REAL, "unweighted Stouffer sum of the datasets' z; NaN without reference"),
    ("p_two_sided", REAL, "two-sided p-value of z"),
    ("log10_p", REAL, "log10 of p_two_sided, also where that is below the smallest double"),
)
