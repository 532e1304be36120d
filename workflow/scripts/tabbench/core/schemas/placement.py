"""Real datasets on the scale of the complexity grid."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.estimates import ESTIMATES, FAILURES, ROWS_DRAWN

_LEVEL = "; -inf: easier than the easiest level, inf: harder than the hardest"
PLACEMENT = declare(
    "placement",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "baseline whose ROC-AUC places the dataset"),
    ("k", INT, "its training-set size: number of labelled examples"),
    ("n_draws", INT, "draws of examples averaged over; 0 where it was not fitted"),
    ("n", INT, "test rows that it ranked"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    ("roc_auc", REAL, "mean plain ROC-AUC over the draws; NaN where undefined"),
    ("level_auc", REAL, f"MLP level with that ROC-AUC{_LEVEL}; NaN where undefined"),
    ("level_auc_low", REAL, f"lower bound of its bootstrap interval{_LEVEL}"),
    ("level_auc_high", REAL, f"upper bound of its bootstrap interval{_LEVEL}"),
    ("determined", FLAG, "whether the interval leaves anything out; false: it spans all levels"),
    ("coverage", REAL, "coverage of the interval"),
    ("resamples", INT, "resamples of test rows, draws, and MLP tables of each level"),
    *ESTIMATES,
    ("n_estimators", INT, "estimators that succeeded here and on all MLP tables"),
    ("dimension", REAL, "mean over these estimators; NaN where all failed"),
    ("level_dimension", REAL, f"MLP level with that mean of the same estimators{_LEVEL}"),
    ("level_dimension_low", REAL, f"lowest level by one estimator alone{_LEVEL}"),
    ("level_dimension_high", REAL, f"highest level by one estimator alone{_LEVEL}"),
    ("columns_left_out", TEXT, "columns that the dimension leaves out and why"),
    *ROWS_DRAWN,
    FAILURES,
    ("undefined", TEXT, "why there is no ROC-AUC; empty where there is one"),
)
COMPLEXITY_SCALE = declare(
    "complexity_scale",
    ("level", INT, "MLP level"),
    ("n_tables", INT, "tables of the level with a ROC-AUC"),
    ("roc_auc", REAL, "mean over those of the mean ROC-AUC over draws"),
    ("roc_auc_fitted", REAL, "the same, made to fall with the level (isotonic regression)"),
    ("n_estimated", INT, "tables of the level whose dimension was estimated"),
    *((name, kind, f"mean over tables: {text}") for name, kind, text in ESTIMATES),
)
