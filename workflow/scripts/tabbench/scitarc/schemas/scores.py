"""Verdicts on the answers."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.scitarc.schemas.condition import ASKED

SCITARC_SCORES = declare(
    "scitarc_scores",
    ("model", TEXT, "model id"),
    *ASKED,
    ("id", TEXT, "of the answer, see answer_ids.answer_id"),
    ("gold", TEXT, "gold answer"),
    ("prediction", TEXT, "answer found in the response; null when there is none"),
    (
        "source",
        TEXT,
        "form of the answer (language) or status of the program (code); or too_long, refused",
    ),
    ("judge", TEXT, "who gave the verdict: matcher, or a model id"),
    (
        "status",
        TEXT,
        "correct, partly correct, wrong, no answer, judge failed, too_long or refused",
    ),
    ("score", REAL, "1, 0.5 or 0; null when the judge failed or the model gave no response"),
    ("correct", FLAG, "score is 1; null where score is"),
    ("reasoning", TEXT, "the judge's, or the matcher's; what a failed judge said last"),
    ("asked", INT, "times a model was asked for the verdict; 0: matcher, or no answer"),
    ("exact_match", FLAG, "the released code's answer equals the gold one but for blanks"),
    ("exact_match_normalised", FLAG, "equal once LaTeX, Markdown, case and dashes are folded"),
)
