"""Columns of a query for rules or trees."""

from tabbench.core.frames import INT, TEXT

QUERY = (
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "model id"),
    ("method", TEXT, "featllm, llm_tree or llm_tree_ensemble"),
    ("k", INT, "number of labelled examples"),
    ("seed", INT, "seed of the draw of examples; 0 at k = 0"),
    ("query", INT, "number of the query in its ensemble, from 1"),
)
QUERY_TOKENS = (
    ("prompt_tokens", INT, "tokens of its prompts, all turns"),
    ("completion_tokens", INT, "tokens that the model wrote, all turns"),
)
