"""Responses of the models."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.scitarc.schemas.condition import ASKED

SCITARC_RESPONSES = declare(
    "scitarc_responses",
    ("model", TEXT, "model id"),
    *ASKED,
    ("plan", TEXT, "plan in the prompt, of the data or of the model; null in direct inference"),
    ("plan_status", TEXT, 'whether the model\'s own plan is whole, cut or empty; "" without one'),
    ("prompt", TEXT, "prompt, word for word"),
    ("response", TEXT, "what the model wrote"),
    ("failure", TEXT, 'why there is no response: too_long, refused, or ""'),
    ("ended", FLAG, "false where the response was cut at the most tokens allowed"),
    ("prompt_tokens", INT, "tokens read"),
    ("completion_tokens", INT, "tokens written"),
    ("seconds", REAL, "wall-clock time"),
)
