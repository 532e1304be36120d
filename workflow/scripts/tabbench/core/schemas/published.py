"""The paper's numbers, and those that do not add up."""

from tabbench.core.frames import INT, REAL, TEXT, declare

PUBLISHED = declare(
    "published",
    ("table", TEXT, "table of the paper, in Roman numerals"),
    ("question", TEXT, "research question that it answers"),
    ("condition", TEXT, "what the row is about, in the paper's words"),
    ("name", TEXT, "the paper's name of the model"),
    ("suites", TEXT, "suites of the datasets averaged over, '; ' between them"),
    ("level", TEXT, "MLP level, where the number is of one; else empty"),
    ("only_dataset", TEXT, "dataset id, where the number is of one; else empty"),
    ("mode", TEXT, "forward or generation"),
    ("configuration", TEXT, "context configuration (Table V), or with rules (Table IX)"),
    ("minus_mode", TEXT, "of a difference: mode of what is subtracted; else empty"),
    ("minus_configuration", TEXT, "of a difference: configuration of what is subtracted"),
    ("k", INT, "number of labelled examples"),
    ("mean", REAL, "ROC-AUC or difference, as printed"),
    ("std", REAL, "the printed ±; NaN where none is printed"),
    ("spread", TEXT, "what ± is: over_seeds or over_datasets (see aggregate)"),
    ("n_datasets", TEXT, "datasets averaged over, as the paper says"),
)
DISCREPANCIES = declare(
    "discrepancies",
    ("place", TEXT, "where the paper prints the number"),
    ("statement", TEXT, "what the number is said to be"),
    ("relation", TEXT, "what the parts give should be = the printed number, or ≥ or ≤ it"),
    ("printed", REAL, "the printed number, or the bound that is stated"),
    ("derived", REAL, "what the printed parts give"),
    ("difference", REAL, "derived - printed"),
    ("tolerance", REAL, "difference that rounding of the printed numbers can make"),
)
