"""Predictions of the baselines under the benchmark's splits, examples and seeds."""

import time
from collections.abc import Sequence

import numpy as np
import pandas as pd

from tabbench.baselines import fit_predict


def training_categories(features: pd.DataFrame, train_ids: pd.Index) -> dict[str, list[str]]:
    """Sorted values of each text column over the whole training part, never the test rows."""
    text = features.select_dtypes(exclude="number")
    return {name: sorted(text.loc[train_ids, name].dropna().unique()) for name in text.columns}


def run_baselines(
    dataset: str,
    models: Sequence[str],
    table: pd.DataFrame,
    split: pd.DataFrame,
    shots: pd.DataFrame,
) -> pd.DataFrame:
    """Fit every baseline on every draw and predict the test rows.

    Parameters
    ----------
    table, split, shots : frames with the columns of ``schemas.TABLE``, ``SPLIT`` and ``SHOTS``;
        ``shots`` may hold several k

    Returns
    -------
    DataFrame with the columns of ``schemas.PREDICTIONS``; mode ``fit``, prompt, serialization,
    engine, style and template ``none``. ``seconds`` is the time of fit and prediction divided by
    the test rows.
    """
    features = table.set_index("row_id").drop(columns="y")
    y = table.set_index("row_id")["y"]
    train_ids = pd.Index(split.loc[split["part"] == "train", "row_id"])
    test_ids = pd.Index(split[split["part"] == "test"].sort_values("position")["row_id"])
    categories = training_categories(features, train_ids)
    frames = []
    draws = shots[["k", "seed"]].drop_duplicates().sort_values(["k", "seed"])
    for k, seed in draws.itertuples(index=False, name=None):
        draw = shots[(shots["k"] == k) & (shots["seed"] == seed)]
        rows = draw.sort_values("position")["row_id"]
        for model in models:
            start = time.perf_counter()
            p_1 = fit_predict(
                model,
                features.loc[rows],
                y.loc[rows].to_numpy(),
                features.loc[test_ids],
                categories,
                int(seed),
            )
            seconds = (time.perf_counter() - start) / len(test_ids)
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": dataset,
                        "model": model,
                        "mode": "fit",
                        "prompt": "none",
                        "serialization": "none",
                        "k": k,
                        "seed": seed,
                        "row_id": test_ids,
                        "y_true": y.loc[test_ids].to_numpy(),
                        "logp_0": np.nan,
                        "logp_1": np.nan,
                        "p_1": p_1,
                        "label_mass": np.nan,
                        "y_pred": (p_1 >= 0.5).astype("int8"),
                        "status": "ok",
                        "bounded": False,
                        "prompt_tokens": 0,
                        "completion_tokens": 0,
                        "seconds": seconds,
                        "engine": "none",
                        "style": "none",
                        "dtype": "float64",
                        "template": "none",
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)
