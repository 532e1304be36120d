"""What a model wrote as rules or trees."""

from tabbench.core.frames import FLAG, REAL, TEXT, declare
from tabbench.core.schemas.cell import PROVENANCE
from tabbench.core.schemas.query import QUERY, QUERY_TOKENS

LLM_ANSWERS = declare(
    "llm_answers",
    *QUERY,
    ("rules", TEXT, "the rules in words; empty for trees, which are asked as code at once"),
    ("code", TEXT, "the answer that holds the code"),
    ("failure", TEXT, 'why the code is missing: too_long, refused, or ""'),
    ("ended", FLAG, "whether every answer ended before the most tokens allowed"),
    *QUERY_TOKENS,
    ("seconds", REAL, "wall-clock seconds of its answers"),
    *PROVENANCE,
)
