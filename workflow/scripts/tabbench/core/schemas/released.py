"""Cells of the paper's released repository, and where their test rows are others than ours."""

from tabbench.core.frames import INT, REAL, TEXT, declare

RELEASED = declare(
    "released cells",
    ("dataset", TEXT, "dataset id; a released name where the cell is of an MLP level"),
    ("level", TEXT, "MLP level whose tables are averaged over; else empty"),
    ("model", TEXT, "the released name"),
    ("mode", TEXT, "generation, forward, or fit for baselines"),
    ("prompt", TEXT, "contextual or context_free; none for baselines"),
    ("serialization", TEXT, "none for baselines"),
    ("k", INT, "number of labelled examples"),
    ("metric", TEXT, "roc_auc, or roc_auc_folded where values below 0.5 count as 1 - value"),
    ("mean", REAL, "mean over 5 draws of examples"),
    ("std", REAL, "sample standard deviation over them"),
    ("source", TEXT, "file and commit"),
    ("not_compared", TEXT, "why the cell is compared with nothing; else empty"),
)
RELEASED_ROWS = declare(
    "released rows",
    ("dataset", TEXT, "dataset id"),
    ("unshared", REAL, "share of the test rows that are others than ours"),
    ("incomplete", REAL, "share of rows with a missing value, which the released runs left out"),
    ("reason", TEXT, "what differs"),
)
