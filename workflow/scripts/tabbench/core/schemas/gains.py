"""Tests of the gain of examples."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.cell import CELL

TESTS = declare(
    "tests",
    ("suite", TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *((name, kind, meaning) for name, kind, meaning in CELL if name != "seed"),
    ("n", INT, "test rows in the comparison (valid under every curve)"),
    ("n_dropped", INT, "test rows left out because some answer was invalid"),
    ("n_seeds", INT, "draws of examples averaged over"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    ("auc_zero_shot", REAL, "ROC-AUC at k = 0 on those rows"),
    ("auc_k_shot", REAL, "mean ROC-AUC at k over the draws on those rows"),
    ("difference", REAL, "auc_k_shot - auc_zero_shot"),
    ("se", REAL, "DeLong standard error of the difference"),
    ("z", REAL, "difference / se; NaN when se is 0 or a class is missing"),
    ("p_greater", REAL, "one-sided p-value of 'k-shot is better'"),
    ("p_two_sided", REAL, "two-sided p-value"),
)
