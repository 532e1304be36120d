"""Cells averaged over seeds (Appendix F)."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.cell import CELL

CELLS = declare(
    "cells",
    ("suite", TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *((name, kind, meaning) for name, kind, meaning in CELL if name != "seed"),
    ("roc_auc", REAL, "mean of plain ROC-AUC over the seeds; NaN when none is defined"),
    ("roc_auc_all_rows", REAL, "mean over the same seeds, invalid answers counted as p_1 = 0.5"),
    ("roc_auc_std", REAL, "sample standard deviation over the seeds; NaN for one seed"),
    ("n_seeds", INT, "seeds with a defined ROC-AUC"),
    ("n_undefined", INT, "seeds left out because a class is missing from the scored rows"),
    ("n", INT, "test rows per seed"),
    ("n_too_long", INT, "most of them, of any seed, that were too long for the model's context"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    ("invalid_rate", REAL, "share of the answers asked for that are invalid or an error"),
    ("label_mass", REAL, "median over seeds of the median mass on the two labels"),
)
