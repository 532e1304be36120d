"""SciTaRC's questions."""

import pyarrow as pa

from tabbench.core.frames import FLAG, INT, TEXT, declare

SCITARC_QUESTIONS = declare(
    "scitarc_questions",
    ("row", INT, "place in the file, from 0"),
    ("paper", TEXT, "paper that the tables are from"),
    ("question", TEXT, "question"),
    ("answer", TEXT, "gold answer; null when there is none"),
    ("plan", TEXT, "gold plan; null when there is none"),
    ("relevant_tables", pa.list_(TEXT), "LaTeX of the tables needed"),
    ("asked", FLAG, "whether models are asked this question"),
)
