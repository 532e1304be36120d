"""Names that tables and figures share: context configurations, suites, domains, shots."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Configuration:
    """One of the four graded context configurations (paper, Table V)."""

    name: str
    prompt: str
    serialization: str


CONFIGURATIONS = (
    Configuration("NoCols-NoContext", "context_free", "feat_val_mask"),
    Configuration("Cols-NoContext", "context_free", "feat_val"),
    Configuration("NoCols-Context", "contextual", "feat_val_mask"),
    Configuration("Cols-Context", "contextual", "feat_val"),
)
"""From the poorest to the richest, the order of Table VI."""

POOREST, RICHEST = CONFIGURATIONS[0], CONFIGURATIONS[-1]
EXPERT = Configuration("Expert", "knowledge", "feat_val_mask")
EXPERT_PRIOR = Configuration("Expert + prior", "knowledge", "feat_val")
"""Decision rules in the prompt, columns masked or named (paper, Table IX)."""
MASKED = POOREST
"""What the MLP grid runs under: its columns have no names and its task no description."""


@dataclass(frozen=True)
class Regime:
    """One row of Table IX: entities in the prompt, and how they are asked."""

    name: str
    asked: Configuration
    few_shot: bool
    entities: int


def regimes(k: int) -> tuple[Regime, ...]:
    """Return the seven combinations in the paper's order, the few-shot ones with ``k`` examples."""
    few = f"Few-shot ({k})"
    return (
        Regime(few, POOREST, True, 1),
        Regime("Expert", EXPERT, False, 1),
        Regime("Prior", RICHEST, False, 1),
        Regime(f"{few} + expert", EXPERT, True, 2),
        Regime(f"{few} + prior", RICHEST, True, 2),
        Regime("Expert + prior", EXPERT_PRIOR, False, 2),
        Regime(f"{few} + expert + prior", EXPERT_PRIOR, True, 3),
    )


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

ESTIMATORS = {"lPCA": "lPCA (FO)", "MLE": "MLE", "TwoNN": "TwoNN", "TLE": "TLE"}
"""Estimators of intrinsic dimension (paper, Table XVI), with the name that tables show."""

LLM_METHODS = {"featllm": "FeatLLM", "llm_tree": "LLM tree"}
"""Baselines whose logic a language model writes, by id, with the name that tables show."""

LLM_MARK = "_ls_"
"""Between the real dataset's id and the generator in the id of an LLM-synthetic dataset."""

GROUPS = {"All": ("core", "new"), "Classic": ("core",), "New": ("new",)}
"""Dataset groups of Table II, as suites."""

SUITE_TITLES = {"core": "classic suite", "llm_synthetic": "LLM-synthetic suite"}

_DOMAIN_TITLES = {"people_society": "People and society"}


def domain_title(domain: str) -> str:
    """Return ``Natural science`` for ``natural_science``; MLP levels stay as they are."""
    if domain.startswith("MLP-"):
        return domain
    return _DOMAIN_TITLES.get(domain, domain.replace("_", " ").capitalize())


def llm_baseline_id(method: str, model: str) -> str:
    """Return the id under which a model's rules or trees stand among the predictions."""
    return f"{method}_{model}"


def generator_of(dataset: str) -> str:
    """Return ``qwen`` for ``diabetes_ls_qwen``."""
    return dataset.rpartition(LLM_MARK)[2]


def level_number(level: str) -> int:
    """Return 7 for ``MLP-7``, to order levels by difficulty."""
    return int(level.removeprefix("MLP-"))


def shots_title(k: int) -> str:
    """Return ``16-shot`` for 16."""
    return f"{k}-shot"
