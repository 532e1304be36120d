"""Columns that name what was probed."""

from tabbench.core.frames import TEXT

PROBED = (
    ("model", TEXT, "model id"),
    ("dataset", TEXT, "dataset id, or canary for the planted one"),
)
