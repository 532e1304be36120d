"""What went into a user dataset: the rows of its file, its classes, columns and findings."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare

USED, FILTERED, NOT_SAMPLED = "used", "filtered", "not_sampled"
FILE_ROWS = declare(
    "file_rows",
    ("file_row", INT, "row of the file, from 1, its header not counted"),
    ("row_id", INT, "row number in the prepared table; null where the row is not used"),
    ("status", TEXT, "used, filtered (by the entry's rows) or not_sampled"),
    ("value", TEXT, "cell of the target"),
    ("part", TEXT, "train or test, where the entry's split names a column; else empty"),
    ("group", TEXT, "cell of the entry's groups; empty without it"),
)
"""``results/own/<dataset>/rows.parquet``"""
CLASSES = declare(
    "classes",
    ("value", TEXT, "value of the target in the file"),
    ("label", INT, "class that it means, 0 or 1; null where its rows were all left out"),
    ("merged", FLAG, "whether other values mean the same class"),
    ("file_rows", INT, "rows of the file with it"),
    ("filtered", INT, "those that the entry's rows leave out"),
    ("not_sampled", INT, "those that were not drawn"),
    ("used", INT, "those in the table"),
)
AUDIT = declare(
    "audit",
    (
        "finding",
        TEXT,
        "of a column: leak, near_unique, constant, near_constant, missing, task_word; of test "
        "rows: duplicates, contradicting",
    ),
    ("column", TEXT, "column concerned; empty where it concerns rows"),
    (
        "value",
        REAL,
        "leak: ROC-AUC of the column alone; near_unique: share of distinct values; near_constant: "
        "share of the commonest; missing: share of missing cells; duplicates: test rows that equal "
        "a training row; contradicting: those with another label; else NaN",
    ),
    (
        "detail",
        TEXT,
        "near_constant: the commonest value; task_word: the word; duplicates: number of all test "
        "rows, those over the cap included; else empty",
    ),
)
SHARING = declare(
    "sharing",
    ("model", TEXT, "model id"),
    ("address", TEXT, "address that requests are sent to; empty where the model computes here"),
    ("leaves", FLAG, "whether requests leave this machine"),
    ("column", TEXT, "column of the table"),
    ("role", TEXT, "feature, target (as labels of examples), split, groups or dropped"),
    ("sent", FLAG, "whether its cells leave this machine"),
    ("personal", TEXT, "why the column looks personal; empty where it does not"),
)
PARTS = declare(
    "parts",
    ("part", TEXT, "train, test (asked) or unused (test rows over test_rows)"),
    ("rows", INT, "rows of the part"),
    ("positive", INT, "rows of class 1 among them"),
    ("groups", INT, "different groups among them; 0 without groups"),
)
"""The last four lie in ``results/own/<dataset>/evidence/``."""
