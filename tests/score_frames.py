"""Synthetic PREDICTIONS, SCORES, TESTS and CHANCE frames for tests from metrics to figures."""

import math
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import norm

from tabbench.complexity.estimators import ESTIMATORS
from tabbench.core.contexts import CONTEXTS, EXPERT, EXPERT_PRIOR
from tabbench.core.schemas.chance import CHANCE
from tabbench.core.schemas.gains import TESTS
from tabbench.core.schemas.placement import COMPLEXITY_SCALE, PLACEMENT
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.scores import SCORES
from tabbench.statistics.chance import chance_test, null_aucs

DOMAINS = (
    "healthcare",
    "finance",
    "software_engineering",
    "education",
    "business",
    "law",
    "natural_science",
    "people_society",
)
SEEDS = (864, 460, 142)


def predictions(**columns: object) -> pd.DataFrame:
    """Return a PREDICTIONS frame; one cell unless ``columns`` say otherwise."""
    length = max(len(values) for values in columns.values() if isinstance(values, list))
    defaults = {
        "dataset": "diabetes",
        "model": "small",
        "mode": "forward",
        "prompt": "contextual",
        "serialization": "feat_val",
        "k": 0,
        "seed": 0,
        "row_id": range(length),
        "logp_0": -1.0,
        "logp_1": -1.0,
        "label_mass": 0.9,
        "status": "ok",
        "bounded": False,
        "prompt_tokens": 10,
        "completion_tokens": 0,
        "seconds": 0.5,
        "engine": "transformers",
        "style": "completion",
        "dtype": "float32",
        "template": "abc",
    }
    frame = pd.DataFrame(defaults | columns, index=range(length))
    if "y_pred" not in frame:
        frame["y_pred"] = (frame["p_1"] >= 0.5).astype("Int8")
    return frame.reindex(columns=PREDICTIONS.names)


def score_row(**values: object) -> dict[str, object]:
    """Return one row of SCORES, plain values where none are given."""
    row: dict[str, object] = {
        "suite": "core",
        "domain": "healthcare",
        "dataset": "diabetes",
        "model": "small",
        "mode": "generation",
        "prompt": "contextual",
        "serialization": "feat_val",
        "k": 0,
        "seed": 0,
        "n": 100,
        "n_positive": 40,
        "n_scored": 98,
        "n_errors": 0,
        "n_too_long": 0,
        "invalid_rate": 0.02,
        "bounded_rate": 0.0,
        "roc_auc": 0.6,
        "roc_auc_all_rows": values.get("roc_auc", 0.6),
        "roc_auc_folded": 0.6,
        "accuracy": 0.5,
        "label_mass": 0.9,
        "prompt_tokens": 80.0,
        "completion_tokens": 1.0,
        "seconds": 0.25,
        "test_rows": 256,
        "capped": True,
        "engine": "transformers",
        "style": "completion",
        "dtype": "float32",
        "template": "0123456789ab",
    }
    unknown = set(values) - set(row)
    assert not unknown, unknown
    return row | values


def scores_frame(rows: Iterable[dict[str, object]]) -> pd.DataFrame:
    return pd.DataFrame([score_row(**row) for row in rows], columns=SCORES.names)


def grid(
    models: Sequence[str],
    datasets: Sequence[str],
    *,
    suite: str = "core",
    shots: Sequence[int] = (0, 4, 16, 64),
    modes: Sequence[str] = ("generation", "forward"),
    seed: int = 0,
) -> pd.DataFrame:
    """Return plausible scores of a whole grid, with two baselines; mlp tables get their level."""
    random = np.random.default_rng(seed)
    rows = []
    for (index, dataset), k in product(enumerate(datasets), shots):
        mlp = suite == "mlp"
        domain = f"MLP-{dataset[3]}" if mlp else DOMAINS[index % len(DOMAINS)]
        ease = 0.03 if mlp and dataset[3] != "0" else 0.1
        common = {"suite": suite, "domain": domain, "dataset": dataset, "k": k}
        shown = (*CONTEXTS, *((EXPERT, EXPERT_PRIOR) if suite == "llm_synthetic" else ()))
        for (place, model), mode, one in product(enumerate(models), modes, shown):
            base = 0.5 + ease * (0.3 * place + len(one.prompt) % 3 + len(one.serialization) % 5 / 5)
            gain = ease * np.log2(1 + k) / 4
            for draw in SEEDS if k else (0,):
                rows.append(
                    common
                    | {
                        "model": model,
                        "mode": mode,
                        "prompt": one.prompt,
                        "serialization": one.serialization,
                        "seed": draw,
                        "roc_auc": min(base + gain + random.normal(0, 0.04), 1.0),
                        "seconds": 0.3 if mode == "generation" else 0.2,
                        "completion_tokens": 3.0 if mode == "generation" else 0.0,
                    }
                )
        for model, draw in product(("logistic", "forest"), SEEDS if k else ()):
            rows.append(
                common
                | {
                    "model": model,
                    "mode": "fit",
                    "prompt": "none",
                    "serialization": "none",
                    "seed": draw,
                    "n_scored": 100,
                    "invalid_rate": 0.0,
                    "label_mass": float("nan"),
                    "roc_auc": 0.52
                    + 2 * ease * np.log2(k) / 6
                    + (0.02 if model == "logistic" else 0)
                    + random.normal(0, 0.03),
                    "engine": "scikit-learn",
                    "style": "none",
                    "dtype": "float64",
                    "template": "none",
                }
            )
    return scores_frame(rows)


def gains_frame(scores: pd.DataFrame) -> pd.DataFrame:
    """Return TESTS that agree in sign with the scores' gains over zero-shot."""
    random = np.random.default_rng(1)
    key = ["suite", "domain", "dataset", "model", "mode", "prompt", "serialization"]
    means = scores.groupby([*key, "k"], as_index=False)["roc_auc"].mean()
    zero = means[means["k"] == 0].drop(columns="k")
    tests = means[means["k"] > 0].merge(zero, on=key, suffixes=("", "_zero"))
    tests["difference"] = tests["roc_auc"] - tests["roc_auc_zero"]
    tests["z"] = tests["difference"] / 0.04 + random.normal(0, 0.5, len(tests))
    tests["p_greater"] = norm.sf(tests["z"])
    tests["p_two_sided"] = 2 * norm.sf(tests["z"].abs())
    tests = tests.assign(
        n=100,
        n_dropped=0,
        n_seeds=3,
        test_rows=256,
        capped=True,
        se=0.04,
        auc_zero_shot=tests["roc_auc_zero"],
        auc_k_shot=tests["roc_auc"],
    )
    frame: pd.DataFrame = tests.reindex(columns=TESTS.names)
    return frame


def chance_frame(scores: pd.DataFrame) -> pd.DataFrame:
    """Return CHANCE of the scores' zero-shot cells, on 98 rows with 40 positives each."""
    null = null_aucs([1] * 40 + [0] * 58, draws=200)
    cells = scores[(scores["k"] == 0) & (scores["mode"] != "fit")].reset_index(drop=True)
    tests = pd.DataFrame([chance_test(auc, null) for auc in cells["roc_auc"]])
    shown = cells.assign(n=98, n_dropped=2).join(tests.drop(columns="auc"))
    frame: pd.DataFrame = shown.reindex(columns=CHANCE.names)
    return frame


def placement_row(**values: object) -> dict[str, object]:
    """Return one row of PLACEMENT: in the middle of the scale where no values are given."""
    row: dict[str, object] = {
        **{"suite": "core", "domain": "healthcare", "dataset": "diabetes", "model": "forest"},
        **{"k": 16, "n_draws": 3, "n": 100, "test_rows": 256, "capped": True, "roc_auc": 0.7},
        **{"level_auc": 2.0, "level_auc_low": 0.5, "level_auc_high": math.inf},
        **{
            "determined": True,
            "coverage": 0.95,
            "resamples": 2000,
            "n_estimators": 4,
            "dimension": 8.0,
        },
        **dict.fromkeys(ESTIMATORS, 8.0),
        **{"level_dimension": 0.8, "level_dimension_low": -math.inf, "level_dimension_high": 2.0},
        **{"columns_left_out": "", "n_rows": 1000, "n_left_out": 5, "n_not_drawn": 0},
        **{"failures": "", "undefined": ""},
    }
    unknown = set(values) - set(row)
    assert not unknown, unknown
    return row | values


def placement_frame(rows: Iterable[dict[str, object]]) -> pd.DataFrame:
    return pd.DataFrame([placement_row(**row) for row in rows], columns=PLACEMENT.names)


def scale_frame(aucs: dict[int, float] | None = None) -> pd.DataFrame:
    """Return COMPLEXITY_SCALE of these ROC-AUCs, which fall from level to level."""
    values = aucs or {0: 0.8, 1: 0.75, 3: 0.65}
    rows = [
        {"level": level, "n_tables": 2, "roc_auc": auc, "roc_auc_fitted": auc, "n_estimated": 2}
        | dict.fromkeys(ESTIMATORS, 5.0 + 4 * level)
        for level, auc in values.items()
    ]
    return pd.DataFrame(rows, columns=COMPLEXITY_SCALE.names)
