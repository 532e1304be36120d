"""Released baselines, fitted again as they were."""

from tabbench.core.frames import INT, REAL, TEXT, declare

REPLICATED = "logreg"
"""Released name of the baseline that is fitted again."""

REPLICATION = declare(
    "replication",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "the released name"),
    ("mode", TEXT, "fit"),
    ("prompt", TEXT, "none"),
    ("serialization", TEXT, "none"),
    ("k", INT, "number of labelled examples that are asked for"),
    ("seed", INT, "seed of the draw"),
    ("n", INT, "test rows"),
    ("n_positive", INT, "test rows of class 1"),
    ("test_rows", INT, "test rows; no cap applies"),
    ("roc_auc", REAL, "plain ROC-AUC"),
    ("roc_auc_folded", REAL, "max(AUC, 1 - AUC), as released"),
)
