"""Predictions of the baselines under the benchmark's splits, examples and seeds."""

import contextlib
import json
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tabbench.baselines.fitting import Fitted, fit, table_size
from tabbench.baselines.model import Baseline, Choice
from tabbench.core.baseline_names import FIT_FULL
from tabbench.core.draws import held_out
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.fits import FITS
from tabbench.core.schemas.predictions import PREDICTIONS

CLASSES = 2


def training_categories(features: pd.DataFrame, train_ids: pd.Index) -> dict[str, list[str]]:
    """Sorted values of each text column over the whole training part, never the test rows."""
    text = features.select_dtypes(exclude="number")
    return {name: sorted(text.loc[train_ids, name].dropna().unique()) for name in text.columns}


def run_baselines(
    dataset: str,
    baselines: Sequence[Baseline],
    table: pd.DataFrame,
    split: pd.DataFrame,
    shots: pd.DataFrame,
    full_seed: int | None = None,
    labelled: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Fit every baseline on every draw, or also on all training rows, and predict the test rows.

    Parameters
    ----------
    table, split, shots : frames with the columns of ``schemas.TABLE``, ``SPLIT`` and ``SHOTS``;
        ``shots`` may hold several k
    full_seed : seed of one more fit, on the whole training part; None for none
    labelled : draws of one larger k (``schemas.SHOTS``), whose rows are predicted too, as far as
        the fit with the same seed lacks them; a fit on as many rows or more predicts its own, out
        of fold. None: test rows alone.

    Returns
    -------
    predictions : DataFrame
        With the columns of ``schemas.PREDICTIONS``; mode ``fit``, or `FIT_FULL` with k the number
        of all training rows; prompt, serialization and style
        ``none``, engine the model's package. ``seconds`` is the time of search, fit and prediction
        divided by the test rows. No rows of a fit that is left out.
    fits : DataFrame
        With the columns of ``schemas.FITS``: one row per fit, also of one that is left out because
        the table exceeds the model's limits.
    """
    features = table.set_index("row_id").drop(columns="y")
    y = table.set_index("row_id")["y"]
    train_ids = pd.Index(split.loc[split["part"] == "train", "row_id"])
    test_ids = pd.Index(split[split["part"] == "test"].sort_values("position")["row_id"])
    categories = training_categories(features, train_ids)
    predictions: list[pd.DataFrame] = []
    fits: list[dict[str, object]] = []
    draws = list(_draws(shots))
    if full_seed is not None:
        draws.append(Draw(FIT_FULL, len(train_ids), full_seed, train_ids.to_series()))
    for draw in draws:
        size = table_size(features.loc[draw.rows], categories)
        for baseline in baselines:
            reason = baseline.limits.broken_by(size, CLASSES)
            if reason:
                nothing = Times(np.nan, np.nan)
                reason = f"the table has {reason}"
                fits.append(_fit(dataset, baseline, draw, Choice(), reason, nothing))
                continue
            with _named(dataset, baseline.name, draw):
                train_x, train_y = features.loc[draw.rows], y.loc[draw.rows].to_numpy()
                start = time.perf_counter()
                fitted = fit(baseline, train_x, train_y, categories, draw.seed)
                ready = time.perf_counter()
                p_1 = pd.Series(fitted.predict(features.loc[test_ids]), test_ids)
                times = Times(time.perf_counter() - start, ready - start)
                p_labelled = _labelled(fitted, draw, labelled, features, y)
            fits.append(_fit(dataset, baseline, draw, fitted.choice, fitted.reason, times))
            seconds = times.whole / len(test_ids)
            both = pd.concat([p_1, p_labelled])
            predictions.append(
                _predictions(dataset, baseline, draw, both, y.loc[both.index], seconds)
            )
    return _joined(predictions), pd.DataFrame(fits, columns=FITS.names)


def _labelled(
    fitted: Fitted,
    draw: "Draw",
    labelled: pd.DataFrame | None,
    features: pd.DataFrame,
    y: pd.Series,
) -> pd.Series:
    """Probabilities of labelled rows by row id: of those it was not fitted on, or out of fold."""
    if labelled is None:
        return pd.Series(dtype=np.float64)
    if draw.k < labelled["k"].iloc[0]:
        ids = pd.Index(held_out(labelled, draw.seed, draw.rows))
        return pd.Series(fitted.predict(features.loc[ids]), ids)
    ids = pd.Index(draw.rows)
    return pd.Series(fitted.out_of_fold(features.loc[ids], y.loc[ids]), ids).dropna()


def leave_out(
    dataset: str, model: str, shots: pd.DataFrame, reason: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what `run_baselines` does for a model that cannot run at all."""
    fits = [
        dict.fromkeys(FITS.names, "")
        | {"dataset": dataset, "model": model, "k": k, "seed": seed, "reason": reason}
        | {"candidates": 0, "folds": 0, "cv_roc_auc": np.nan}
        | {"seconds": np.nan, "fit_seconds": np.nan}
        for _, k, seed, _ in _draws(shots)
    ]
    return _joined([]), pd.DataFrame(fits, columns=FITS.names)


@contextlib.contextmanager
def _named(dataset: str, model: str, draw: "Draw") -> Iterator[None]:
    """Add to an error the fit that it ended."""
    fit = f"baseline '{model}' on '{dataset}', k = {draw.k}, seed {draw.seed}"
    try:
        yield
    except TabBenchError as error:
        raise TabBenchError(f"{fit}: {error}") from error
    except Exception as error:
        error.add_note(f"The error ended the fit of {fit}.")
        raise


class Draw(NamedTuple):
    """Rows that a model is fitted on, in their order, and how they are named."""

    mode: str
    k: int
    seed: int
    rows: pd.Series


class Times(NamedTuple):
    """Seconds: search, fit and prediction of the test rows; search and fit alone."""

    whole: float
    fit: float


def _draws(shots: pd.DataFrame) -> Iterator[Draw]:
    draws = shots[["k", "seed"]].drop_duplicates().sort_values(["k", "seed"])
    for k, seed in draws.itertuples(index=False, name=None):
        draw = shots[(shots["k"] == k) & (shots["seed"] == seed)]
        yield Draw("fit", int(k), int(seed), draw.sort_values("position")["row_id"])


def _joined(predictions: list[pd.DataFrame]) -> pd.DataFrame:
    if not predictions:
        return pd.DataFrame(columns=PREDICTIONS.names)
    return pd.concat(predictions, ignore_index=True)


def _predictions(
    dataset: str,
    baseline: Baseline,
    draw: Draw,
    p_1: pd.Series,
    y_true: pd.Series,
    seconds: float,
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "dataset": dataset,
            "model": baseline.name,
            "mode": draw.mode,
            "prompt": "none",
            "serialization": "none",
            "k": draw.k,
            "seed": draw.seed,
            "row_id": y_true.index,
            "y_true": y_true.to_numpy(),
            "logp_0": np.nan,
            "logp_1": np.nan,
            "p_1": p_1.to_numpy(),
            "label_mass": np.nan,
            "y_pred": (p_1 >= 0.5).to_numpy().astype("int8"),
            "status": "ok",
            "bounded": False,
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "seconds": seconds,
            "engine": baseline.package,
            "style": "none",
            "dtype": baseline.dtype,
            "template": baseline.weights.sha256[:12] if baseline.weights else "none",
        }
    )


def _fit(
    dataset: str,
    baseline: Baseline,
    draw: Draw,
    choice: Choice,
    reason: str,
    times: "Times",
) -> dict[str, object]:
    """A row of ``schemas.FITS``."""
    weights = baseline.weights
    return {
        "dataset": dataset,
        "model": baseline.name,
        "k": draw.k,
        "seed": draw.seed,
        "reason": reason,
        "package": f"{baseline.package} {baseline.version}",
        "candidates": choice.candidates,
        "folds": choice.folds,
        "cv_roc_auc": np.nan if choice.roc_auc is None else choice.roc_auc,
        "settings": json.dumps(dict(choice.settings), sort_keys=True),
        "weights": f"{weights.file} {weights.sha256}" if weights else "",
        "licence": weights.licence if weights else "",
        "seconds": times.whole,
        "fit_seconds": times.fit,
    }
