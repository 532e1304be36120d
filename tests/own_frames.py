"""Evidence on a made-up user dataset, for the decision page: every table with its own columns."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from tabbench.core.frames import Schema
from tabbench.core.schemas import decision as schema
from tabbench.core.schemas.own import AUDIT, CLASSES, PARTS, SHARING
from tabbench.decision.sentences import Evidence

NAN = float("nan")
MODELS = {"small": "Small-1B", "large": "Large <8B>"}
BASELINES = {"logistic": "Logistic regression", "forest": "Random forest"}
ROWS, TRAINING = 331, 669


def frame(table: Schema, rows: Iterable[Mapping[str, Any]], **common: Any) -> pd.DataFrame:
    """Rows of a table of evidence; what a row does not state is NaN, 0, or empty."""
    empty = {pa.string(): "", pa.float64(): NAN, pa.bool_(): False}
    defaults = {column.name: empty.get(column.type, 0) for column in table.columns}
    stated = {"level": 0.95, "status": schema.OK, "draws": 1, "n": ROWS, "n_positive": 99}
    base = {key: value for key, value in stated.items() if key in defaults}
    made = [defaults | base | common | dict(row) for row in rows]
    assert all(set(row) <= set(table.names) for row in made)
    types = {
        column.name: column.type.to_pandas_dtype()
        for column in table.columns
        if column.type != pa.string()
    }
    return pd.DataFrame(made, columns=table.names).astype(types)


def point(model: str, k: int, auc: float, half: float = 0.05, **more: Any) -> dict[str, Any]:
    """A point of a learning curve; better than guessing where its interval is above 0.5."""
    p = 0.001 if auc - half > 0.5 else 0.4
    return {
        "model": model,
        "kind": "baseline" if model in BASELINES else "model",
        "k": k,
        "full": k == TRAINING,
        "draws": 3 if 0 < k < TRAINING else 1,
        "roc_auc": auc,
        "roc_auc_low": auc - half,
        "roc_auc_high": auc + half,
        "pr_auc": auc - 0.2,
        "pr_auc_low": auc - 0.2 - half,
        "pr_auc_high": auc - 0.2 + half,
        "base_rate": 0.3,
        "p_chance": p,
        "p_chance_holm": p,
    } | more


def pair(
    comparison: str, model: str, k: int, auc: float, reference: str, reference_auc: float,
    p: float = 0.001, half: float = 0.04, **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """A difference between a model and another side."""
    all_labels = comparison == schema.ALL_LABELS
    return {
        "comparison": comparison,
        "model": model,
        "kind": "model",
        "k": k,
        "reference": reference,
        "reference_kind": "baseline" if reference in BASELINES else "model",
        "reference_k": TRAINING if all_labels else 0 if comparison == schema.EXAMPLES else k,
        "reference_full": all_labels,
        "roc_auc": auc,
        "reference_roc_auc": reference_auc,
        "difference": auc - reference_auc,
        "low": auc - reference_auc - half,
        "high": auc - reference_auc + half,
        "p": p,
        "p_holm": p,
    } | more


def crossing(model: str, baseline: str, status: str, labels: float = NAN, **more: Any):
    return {
        "model": model,
        "comparison": schema.FIXED,
        "model_k": 0,
        "baseline": baseline,
        "first": 4,
        "last": TRAINING,
        "draws": 3,
        "labels": labels,
        "low": labels / 2,
        "high": labels * 2,
        "share_before": 0.02,
        "share_beyond": 0.11,
        "status": status,
    } | more


def curves(levels: Mapping[str, Mapping[int, float]]) -> list[dict[str, Any]]:
    return [point(model, k, auc) for model, line in levels.items() for k, auc in line.items()]


def evidence(
    points: Iterable[Mapping[str, Any]] = (),
    differences: Iterable[Mapping[str, Any]] = (),
    crossings: Iterable[Mapping[str, Any]] = (),
    models: Iterable[str] = ("small",),
    baselines: Mapping[str, str] = BASELINES,
    **more: pd.DataFrame,
) -> Evidence:
    """Evidence with these rows; every other table is empty."""
    tables = {
        "curves": frame(schema.CURVES, points),
        "differences": frame(schema.DIFFERENCES, differences),
        "crossings": frame(schema.CROSSINGS, crossings),
    } | more
    tables = {name: frame(table, ()) for name, table in schema.EVIDENCE.items()} | tables
    return Evidence(**tables, models={name: MODELS[name] for name in models}, baselines=baselines)


def classes(**more: Any) -> pd.DataFrame:
    rows = [
        {"value": "paid", "label": 0, "file_rows": 600, "used": 600, "merged": True},
        {"value": "late", "label": 0, "file_rows": 100, "used": 100, "merged": True},
        {"value": "lost", "label": 1, "file_rows": 300, "used": 300},
    ]
    return frame(CLASSES, [row | more for row in rows])


def parts() -> pd.DataFrame:
    return frame(
        PARTS,
        [
            {"part": "train", "rows": 669, "positive": 201, "groups": 40},
            {"part": "test", "rows": ROWS, "positive": 99},
            {"part": "unused"},
        ],
    )


def audit(*rows: tuple[str, str, float, str]) -> pd.DataFrame:
    return frame(AUDIT, [dict(zip(AUDIT.names, row, strict=True)) for row in rows])


def sharing(*rows: tuple[str, str, bool, str, str, bool, str]) -> pd.DataFrame:
    return frame(SHARING, [dict(zip(SHARING.names, row, strict=True)) for row in rows])
