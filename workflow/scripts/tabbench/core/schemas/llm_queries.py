"""How the code of rules or trees ran."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.query import QUERY, QUERY_TOKENS

LLM_QUERIES = declare(
    "llm_queries",
    *QUERY,
    ("ended", FLAG, "whether every answer ended before the most tokens allowed"),
    (
        "status",
        TEXT,
        "ok, or why it gives no scores: too_long, refused, unreadable, invalid, or the sandbox's",
    ),
    ("message", TEXT, "what went wrong, or the first call that failed; empty where none did"),
    ("functions", INT, "rules or trees found in its code"),
    ("calls", INT, "functions times rows (test rows and examples); 0 where it gives no scores"),
    ("calls_failed", INT, "calls without a valid value; a rule then does not hold"),
    *QUERY_TOKENS,
    ("sandbox_seconds", REAL, "wall-clock seconds of the sandbox; equal code runs once"),
    ("program", TEXT, "the code that was run; empty where none was read"),
)
