"""Rows continued word for word."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.probed import PROBED

PROBE_COMPLETIONS = declare(
    "probe_completions",
    *PROBED,
    ("row_id", INT, "row number in the prepared table"),
    ("cells", INT, "cells to complete"),
    ("right", INT, "completed cells that are right and in their place"),
    ("verbatim", FLAG, "whether all cells are right"),
    ("chance", REAL, "expected share of right cells, each drawn from its column"),
    ("chance_verbatim", REAL, "probability that all cells so drawn are right"),
    ("truth", TEXT, "the rest of the row, as CSV"),
    ("answer", TEXT, "the whole answer"),
)
