"""Hidden cells and their lifts."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.probed import PROBED

PROBE_CELLS = declare(
    "probe_cells",
    *PROBED,
    ("copy", TEXT, "real, or shuffled (columns permuted independently)"),
    ("row_id", INT, "row number in the prepared table"),
    ("column", TEXT, "column of the hidden cell"),
    ("truth", TEXT, "the hidden value"),
    ("answer", TEXT, "the whole answer"),
    ("value", TEXT, "the value read from it; empty where there is none"),
    ("valid", FLAG, "whether a number, or a category of the column, was answered"),
    ("window", REAL, "largest error that counts as right; 0 for categories"),
    ("correct", FLAG, "whether the value is right; an invalid answer is not"),
    ("chance", REAL, "share of the column's values that would be right"),
)
_LIFT_NUMBERS = (
    ("lift", "accuracy minus that of"),
    ("low", "lower bound of the 95 % bootstrap interval of the lift over"),
    ("high", "upper bound of the 95 % bootstrap interval of the lift over"),
    ("p", "one-sided p-value of an exact permutation test against"),
)
PROBE_LIFTS = declare(
    "probe_lifts",
    *PROBED,
    ("n", INT, "hidden cells of the real rows, and as many of the copy"),
    ("rows", INT, "different rows that they lie in"),
    ("invalid", INT, "answers about real rows without a readable value; they count as wrong"),
    ("invalid_shuffled", INT, "the same about the shuffled copy"),
    ("accuracy", REAL, "share of the hidden cells of real rows that are filled right"),
    ("random", REAL, "mean chance of a random value of the column"),
    ("shuffled", REAL, "share of the hidden cells of the shuffled copy that are filled right"),
    *(
        (f"{key}_{name}", REAL, f"{meaning} {against}")
        for name, against in (("random", "a random value"), ("shuffled", "the shuffled copy"))
        for key, meaning in _LIFT_NUMBERS
    ),
)
