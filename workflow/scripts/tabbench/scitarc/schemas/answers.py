"""Answers read from it."""

from tabbench.core.frames import FLAG, TEXT, declare
from tabbench.scitarc.schemas.condition import ASKED

SCITARC_ANSWERS = declare(
    "scitarc_answers",
    ("model", TEXT, "model id"),
    *ASKED,
    ("prediction", TEXT, "answer found in the response; null when there is none"),
    (
        "passage",
        TEXT,
        "what a model as judge is given where it is not sure which text is the answer; else null",
    ),
    ("released", TEXT, "what the released code takes instead; null when a program gave none"),
    (
        "source",
        TEXT,
        "form of the answer (language) or status of the program (code); or too_long, refused",
    ),
    ("message", TEXT, 'why a program gave no answer, or ""'),
    ("printed", TEXT, "what its program printed, cut where it is long; null without one"),
    ("response", TEXT, "what the model wrote"),
    ("ended", FLAG, "false where the response was cut at the most tokens allowed"),
)
