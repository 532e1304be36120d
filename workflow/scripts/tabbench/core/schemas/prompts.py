"""Prompts of a dataset at one k."""

from tabbench.core.frames import INT, TEXT, declare

PROMPTS = declare(
    "prompts",
    ("dataset", TEXT, "dataset id"),
    ("mode", TEXT, "forward or generation"),
    ("prompt", TEXT, "contextual, context_free, knowledge or rules"),
    ("serialization", TEXT, "text format of a row"),
    ("k", INT, "number of labelled examples"),
    ("seed", INT, "seed of the draw of examples; 0 at k = 0"),
    ("row_id", INT, "row number in the prepared table"),
    ("y_true", INT, "label, 0 or 1"),
    ("system", TEXT, "system message"),
    ("prefix", TEXT, "task text and examples: what the cell's prompts share"),
    ("query", TEXT, "the row to classify, up to the place of its label"),
    repeated=("system", "prefix"),
)
