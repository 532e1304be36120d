"""Put real datasets on the scale of the complexity grid (RQ6 in practice).

A dataset lies at the level whose tables a baseline ranks as well, given as many examples, and at
the level whose tables have its intrinsic dimension. Beyond the grid's ends there is no number.
"""

import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.complexity.estimators import ESTIMATORS
from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.placement import COMPLEXITY_SCALE, PLACEMENT
from tabbench.core.suites import level_number
from tabbench.statistics.bootstrap import resampled_aucs
from tabbench.statistics.curves import curves_by
from tabbench.statistics.roc_auc import roc_auc
from tabbench.statistics.scale import Scale, fit_scale

JOINED_LATER = ("suite", "domain", "test_rows", "capped")
"""Columns of ``schemas.PLACEMENT`` that the caller joins; they belong to the dataset."""


def first_fitted(predictions: pd.DataFrame, models: Sequence[str]) -> str:
    """Return the first model with predictions; the first of all where none has any.

    A pretrained baseline without weights has no predictions.
    """
    there = set(predictions["model"])
    return next((name for name in models if name in there), models[0])


def place_datasets(
    predictions: pd.DataFrame,
    intrinsic: pd.DataFrame,
    dimensions: pd.DataFrame,
    *,
    model: str,
    k: int,
    coverage: float = 0.95,
    resamples: int = 2000,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Place each real dataset by ROC-AUC and by intrinsic dimension.

    The interval of a level by ROC-AUC is the percentile interval of ``resamples`` bootstrap
    resamples: of the dataset's test rows within each class, of its draws of examples, and of the
    MLP tables within each level, to which the scale is fitted anew. The range of a level by
    dimension spans what each estimator alone gives. Without any predictions, as of a baseline whose
    weights are missing, datasets are placed by dimension alone.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``: of ``model`` fitted on
        ``k`` examples, real datasets and MLP tables
    intrinsic : DataFrame with the columns of ``schemas.INTRINSIC``, of the MLP tables
    dimensions : DataFrame with the columns of ``schemas.DIMENSION``, of the datasets to place

    Returns
    -------
    placement : DataFrame with the columns of ``schemas.PLACEMENT`` without `JOINED_LATER`, in the
        order of ``dimensions``
    scale : DataFrame with the columns of ``schemas.COMPLEXITY_SCALE``

    Raises
    ------
    TabBenchError
        When there are predictions, and no MLP table has a ROC-AUC.
    """
    levels = dict(zip(intrinsic["dataset"], intrinsic["level"].map(level_number), strict=True))
    of_dataset = {str(name): part for name, part in predictions.groupby("dataset", observed=True)}
    tables = {
        level: _table_aucs(
            [of_dataset[name] for name in levels if levels[name] == level and name in of_dataset]
        )
        for level in sorted(set(levels.values()))
    }
    tables = {level: aucs for level, aucs in tables.items() if len(aucs)}
    if not tables and of_dataset:
        raise TabBenchError(
            f"placement: {model} has no ROC-AUC on any MLP table at k = {k}; raise test_rows, or "
            "name another baseline under complexity.model"
        )
    scale = _scale_frame(tables, intrinsic)
    by_auc, resampled = None, list[Scale]()
    if tables:
        by_auc = fit_scale(list(tables), scale.loc[list(tables), "roc_auc"], rising=False)
        scale.loc[list(tables), "roc_auc_fitted"] = by_auc.values
        resampled = _resampled_scales(tables, resamples)
    rows = []
    for line in dimensions.to_dict("records"):
        part = of_dataset.get(line["dataset"])
        found = _auc(part, f"the baseline was not fitted on {k} examples")
        low = high = math.nan
        if part is not None and not found["undefined"]:
            low, high = _level_interval(part, resampled, coverage)
        rows.append(
            line
            | {"model": model, "k": k, "coverage": coverage, "resamples": resamples}
            | found
            | {"level_auc": by_auc.place(found["roc_auc"]) if by_auc else math.nan}
            | {"level_auc_low": low, "level_auc_high": high}
            | {"determined": (low, high) != (-math.inf, math.inf)}
            | _by_dimension(line, scale)
        )
    placement = pd.DataFrame(
        rows, columns=[name for name in PLACEMENT.names if name not in JOINED_LATER]
    )
    return placement, scale.reset_index()[COMPLEXITY_SCALE.names]


def _table_aucs(parts: list[pd.DataFrame]) -> Floats:
    """Return each MLP table's mean ROC-AUC over draws, where one is defined."""
    means = [
        np.nanmean(aucs)
        for part in parts
        if not np.isnan(
            aucs := [roc_auc(one["y_true"], one["p_1"]) for _, one in part.groupby("seed")]
        ).all()
    ]
    return np.array(means, dtype=np.float64)


def _scale_frame(tables: dict[int, Floats], intrinsic: pd.DataFrame) -> pd.DataFrame:
    """Return COMPLEXITY_SCALE by level, not yet fitted."""
    grouped = intrinsic.groupby(intrinsic["level"].map(level_number))
    # As in Table XVI: no mean of an estimator that failed on one of the level's tables.
    frame = grouped[list(ESTIMATORS)].mean(skipna=False)
    frame["n_estimated"] = grouped.size()
    frame["n_tables"] = [len(tables.get(level, ())) for level in frame.index]
    means = {level: aucs.mean() for level, aucs in tables.items()}
    frame["roc_auc"] = pd.Series(means, dtype="float64")
    frame["roc_auc_fitted"] = math.nan
    frame.index.name = "level"
    return frame.sort_index()


def _resampled_scales(tables: dict[int, Floats], resamples: int) -> list[Scale]:
    """Fit the scale to tables drawn with replacement within each level."""
    random = np.random.default_rng(0)
    means = [random.choice(aucs, (resamples, len(aucs))).mean(axis=1) for aucs in tables.values()]
    return [fit_scale(list(tables), row, rising=False) for row in np.column_stack(means)]


def _auc(part: pd.DataFrame | None, not_fitted: str) -> dict[str, Any]:
    """Return a dataset's mean ROC-AUC over draws, or why there is none."""
    if part is None:
        return {"n_draws": 0, "n": 0, "roc_auc": math.nan, "undefined": not_fitted}
    y, scores = _curves(part)
    counts = {"n_draws": len(scores), "n": len(y)}
    if len(set(y)) < 2:
        undefined = f"all {len(y)} test rows are of one class"
        return counts | {"roc_auc": math.nan, "undefined": undefined}
    mean = float(np.mean([roc_auc(y, curve) for curve in scores]))
    return counts | {"roc_auc": mean, "undefined": ""}


def _curves(part: pd.DataFrame) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return labels (n,) and, per draw of examples, the rows' probabilities (draws, n)."""
    y, curves = curves_by(part, ["seed"], f"placement of '{part['dataset'].iloc[0]}'")
    return y, curves.to_numpy(np.float64).T


def _level_interval(
    part: pd.DataFrame, scales: Sequence[Scale], coverage: float
) -> tuple[float, float]:
    """Return the percentile interval of a dataset's level; NaN where a class has one row."""
    y, scores = _curves(part)
    if np.bincount(y).min() < 2:
        return math.nan, math.nan
    seed = zlib.crc32(str(part["dataset"].iloc[0]).encode())
    per_draw = resampled_aucs(y, scores, resamples=len(scales), seed=seed)
    chosen = np.random.default_rng([seed, 1]).integers(len(scores), size=per_draw.shape)
    aucs = np.take_along_axis(per_draw, chosen, axis=1).mean(axis=1)
    levels = [scale.place(auc) for scale, auc in zip(scales, aucs.tolist(), strict=True)]
    tails = [(1 - coverage) / 2, (1 + coverage) / 2]
    # One of the levels found: between a finite and an infinite one there is no middle.
    low, high = np.quantile(levels, tails, method="inverted_cdf").tolist()
    return low, high


def _by_dimension(line: Mapping[Any, Any], scale: pd.DataFrame) -> dict[str, Any]:
    """Return a dataset's dimension by the estimators that worked, and the level with the same.

    An estimator that failed on an MLP table has no scale and is left out.
    """
    worked = [
        name for name in ESTIMATORS if not math.isnan(line[name]) and scale[name].notna().all()
    ]
    if not worked:
        names = ("dimension", "level_dimension", "level_dimension_low", "level_dimension_high")
        return dict.fromkeys(names, math.nan) | {"n_estimators": 0}
    mean = float(np.mean([line[name] for name in worked]))
    level = _dimension_scale(scale, worked).place(mean)
    alone = [_dimension_scale(scale, [name]).place(line[name]) for name in worked]
    return {
        "n_estimators": len(worked),
        "dimension": mean,
        "level_dimension": level,
        "level_dimension_low": min(level, *alone),
        "level_dimension_high": max(level, *alone),
    }


def _dimension_scale(scale: pd.DataFrame, estimators: list[str]) -> Scale:
    return fit_scale(scale.index, scale[estimators].mean(axis=1), rising=True)
