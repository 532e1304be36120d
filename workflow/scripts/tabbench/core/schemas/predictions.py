"""One row per test row and cell."""

import pyarrow as pa

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.cell import CELL, PROVENANCE

PREDICTIONS = declare(
    "predictions",
    *CELL,
    ("row_id", INT, "row number in the prepared table"),
    ("y_true", INT, "label, 0 or 1"),
    ("logp_0", REAL, "natural-log probability of the label 0; NaN where not defined"),
    ("logp_1", REAL, "natural-log probability of the label 1; NaN where not defined"),
    ("p_1", REAL, "probability of class 1 given that one of the labels is answered"),
    ("label_mass", REAL, "probability that one of the two labels is answered"),
    ("y_pred", pa.int8(), "predicted label; null when there is none"),
    (
        "status",
        TEXT,
        "ok, label_only (no probabilities), invalid (cannot be read), too_long (for the model's "
        "context: not asked) or error",
    ),
    ("bounded", FLAG, "whether p_1 rests on a bound: an endpoint did not list one of the labels"),
    ("prompt_tokens", INT, "tokens of the prompt; 0 for baselines, null where nothing was read"),
    ("completion_tokens", INT, "tokens generated; 0 in forward mode and for baselines"),
    ("seconds", REAL, "wall-clock seconds, shared prefix spread over the rows that use it"),
    *PROVENANCE,
)
