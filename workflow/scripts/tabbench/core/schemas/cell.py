"""Columns that name a cell, and what answered it."""

from tabbench.core.frames import INT, TEXT

CELL = (
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "model or baseline id"),
    ("mode", TEXT, "forward, generation, or fit, fit_full, rules, tree (baselines)"),
    ("prompt", TEXT, "contextual, context_free, knowledge, rules, or none (baselines)"),
    ("serialization", TEXT, "text format of a row, or none (baselines)"),
    ("k", INT, "number of labelled examples; of fit_full all training rows"),
    ("seed", INT, "seed of the draw of examples; at k = 0 FeatLLM's, or the repeat or tree"),
)
PROVENANCE = (
    ("engine", TEXT, "engine that answered; mixing engines in one row is an error"),
    ("style", TEXT, "how prompts are put: chat, completion, or none"),
    ("dtype", TEXT, "number format of the weights at inference"),
    (
        "template",
        TEXT,
        "first 12 hex digits of the sha256 of the prompt template (or whose it is); "
        "of a pretrained baseline: of its weights",
    ),
)
