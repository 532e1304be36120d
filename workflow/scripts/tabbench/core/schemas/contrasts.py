"""Tests of the maximal against the minimal context."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare

CONTRASTS = declare(
    "contrasts",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "model id"),
    ("mode", TEXT, "forward or generation"),
    ("contrast", TEXT, "planned (few examples against many) or equal_k"),
    ("k_maximal", INT, "number of labelled examples with the maximal context (Cols-Context)"),
    ("k_minimal", INT, "number of labelled examples with the minimal context (NoCols-NoContext)"),
    ("n", INT, "test rows in the comparison (valid under every curve)"),
    ("n_dropped", INT, "test rows left out because some answer was invalid"),
    ("draws_maximal", INT, "draws of examples averaged over, maximal context"),
    ("draws_minimal", INT, "draws of examples averaged over, minimal context"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    ("auc_maximal", REAL, "mean ROC-AUC of the maximal context over its draws"),
    ("auc_minimal", REAL, "mean ROC-AUC of the minimal context over its draws"),
    ("difference", REAL, "auc_maximal - auc_minimal"),
    ("se", REAL, "DeLong standard error of the difference"),
    ("z", REAL, "difference / se; NaN when se is 0 or a class is missing"),
    ("p_two_sided", REAL, "two-sided p-value"),
)
