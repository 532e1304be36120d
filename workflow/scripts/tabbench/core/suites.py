"""Suites of datasets, and the ids of the datasets that are made."""

LLM_MARK = "_ls_"
"""Between the real dataset's id and the generator in the id of an LLM-synthetic dataset."""
GROUPS = {"All": ("core", "new"), "Classic": ("core",), "New": ("new",)}
"""Dataset groups of Table II, as suites."""


def generator_of(dataset: str) -> str:
    """Return ``qwen`` for ``diabetes_ls_qwen``."""
    return dataset.rpartition(LLM_MARK)[2]


def level_number(level: str) -> int:
    """Return 7 for ``MLP-7``, to order levels by difficulty."""
    return int(level.removeprefix("MLP-"))
