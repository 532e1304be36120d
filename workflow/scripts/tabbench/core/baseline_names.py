"""Baselines by id, with the names that tables and figures show."""

from collections.abc import Iterable

BASELINES = {
    "majority": "Majority class",
    "logistic_regression": "Logistic regression",
    "knn": "k-nearest neighbours",
    "random_forest": "Random forest",
    "xgboost": "XGBoost",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost",
    "tabpfn": "TabPFN",
    "tabicl": "TabICL",
}
"""Baselines by id, with the name that tables and figures show."""
PRETRAINED = ("tabpfn", "tabicl")
"""Those of the baselines that need weights."""
FIT_FULL = "fit_full"
"""Mode of a baseline that was fitted on the whole training part; on k examples it is ``fit``."""
LLM_METHODS = {
    "featllm": "FeatLLM",
    "llm_tree": "LLM tree",
    "llm_tree_ensemble": "LLM tree ensemble",
}
"""Baselines whose logic a language model writes, by id, with the name that tables show."""


def llm_baseline_id(method: str, model: str) -> str:
    """Return the id under which a model's rules or trees stand among the predictions."""
    return f"{method}_{model}"


def reference_shots(fitted: Iterable[int], wanted: int = 16) -> int:
    """Return the baseline training-set size: ``wanted``, or the largest that was fitted."""
    shots = {int(k) for k in fitted if k > 0}
    return wanted if wanted in shots else max(shots, default=wanted)


def is_tabpfn(model: str) -> bool:
    """Whether a baseline's id is that of a TabPFN; they come in versions."""
    return model.lower().startswith("tabpfn")
