"""Zero-shot cells against random rankings."""

from tabbench.core.frames import INT, REAL, TEXT, declare
from tabbench.core.schemas.cell import CELL

CHANCE = declare(
    "chance",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    *CELL,
    ("n", INT, "test rows with a valid answer, in every repeat; the tests use these"),
    ("n_positive", INT, "rows of class 1 among them"),
    ("n_dropped", INT, "test rows left out because their answer is invalid"),
    ("roc_auc", REAL, "plain ROC-AUC on those rows, mean over repeats of the prompts"),
    ("draws", INT, "random rankings drawn"),
    ("null_mean", REAL, "mean ROC-AUC of the random rankings"),
    ("null_sd", REAL, "sample standard deviation of their ROC-AUCs"),
    ("p_monte_carlo", REAL, "one-sided: (1 + rankings that reach the AUC) / (1 + draws)"),
    ("t", REAL, "the paper's one-sample t; positive above chance"),
    ("z_t", REAL, "standard normal quantile with the tail of t"),
    ("p_t", REAL, "one-sided p-value of t; it shrinks with the number of draws"),
    ("log10_p_t", REAL, "log10 of p_t, also where p_t is below the smallest double"),
)
