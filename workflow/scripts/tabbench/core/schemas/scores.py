"""Metrics of each cell."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.cell import CELL, PROVENANCE

SCORES = declare(
    "scores",
    ("suite", TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *CELL,
    ("n", INT, "test rows, those too long for the model included"),
    ("n_positive", INT, "test rows of class 1"),
    ("n_scored", INT, "test rows with status ok; ROC-AUC uses these"),
    ("n_errors", INT, "test rows whose request got no response"),
    ("n_too_long", INT, "test rows not asked: prompt and answer exceed the model's context"),
    ("invalid_rate", REAL, "share of the rows asked without a label: invalid or an error"),
    ("bounded_rate", REAL, "share of scored rows whose p_1 rests on a bound"),
    ("roc_auc", REAL, "plain ROC-AUC; NaN when a class is missing"),
    ("roc_auc_all_rows", REAL, "plain ROC-AUC of all n rows, those not scored with p_1 = 0.5"),
    ("roc_auc_folded", REAL, "max(AUC, 1 - AUC), only for comparison with the paper"),
    ("accuracy", REAL, "share of rows with a label whose label is right"),
    ("label_mass", REAL, "median probability mass on the two labels; NaN for baselines"),
    ("prompt_tokens", REAL, "mean tokens per prompt"),
    ("completion_tokens", REAL, "mean tokens generated per prompt"),
    ("seconds", REAL, "mean wall-clock seconds per prompt"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    *PROVENANCE,
)
