"""Made-up answers about a table whose learning curves are known, for tests of the decision page."""

import numpy as np
import pandas as pd
from scipy.stats import norm
from score_frames import predictions

from tabbench.core.schemas.fits import FITS
from tabbench.decision.sides import Answers, Curves, Side

SEEDS = (864, 460, 142)


def scores(random, y, auc, draws, between=0.0):
    """Scores (draws, n) with a ROC-AUC that varies by draw around that of ``auc``'s distance."""
    distances = np.sqrt(2) * norm.ppf(auc) + between * random.normal(size=draws)
    shared = random.normal(size=len(y))
    own = random.normal(size=(draws, len(y)))
    return distances[:, None] * y + np.sqrt(0.5) * (shared + own)


def labels(n, share=0.35):
    return (np.arange(n) < n * share).astype(np.int64)


def answers(y, curves):
    """Answers from a mapping of (model, kind, k, full) to scores (draws, n)."""
    sides = {
        Side(*side): Curves(SEEDS[: len(p)] if side[2] else (0,), np.asarray(p, dtype=np.float64))
        for side, p in curves.items()
    }
    return Answers(np.asarray(y), np.arange(len(y)), sides)


def table(rows=1000, seed=0):
    """A table with one telling feature, its split, and the share of class 1 near 0.3."""
    random = np.random.default_rng(seed)
    y = (random.random(rows) < 0.3).astype(int)
    made = pd.DataFrame({"row_id": range(rows), "y": y, "x": random.normal(size=rows) + 1.2 * y})
    train, asked = rows * 2 // 3, rows // 4
    parts = ["train"] * train + ["test"] * asked + ["unused"] * (rows - train - asked)
    split = pd.DataFrame({"row_id": range(rows), "part": parts, "position": range(rows)})
    return made, split


def cell(table, rows, noise, random, **columns):
    """Answers of one cell about ``rows``: the feature's probability, the worse the more noise."""
    chosen = table.loc[rows]
    logits = 1.2 * chosen["x"] - 1.6 + noise * random.normal(size=len(rows))
    shown = {"p_1": (1 / (1 + np.exp(-logits))).tolist(), "y_true": chosen["y"].tolist()}
    return predictions(dataset="loans", row_id=list(rows), **shown, **columns)


def asked(table, split, labelled=32):
    """Predictions of two models and a baseline as the workflow has them, labelled rows included."""
    random = np.random.default_rng(1)
    test = split.loc[split["part"] == "test", "row_id"].tolist()
    train = split.loc[split["part"] == "train", "row_id"].tolist()
    learn = table.loc[train]
    balanced = [
        row
        for pair in zip(*(learn.index[learn["y"] == one] for one in (0, 1)), strict=False)
        for row in pair
    ]
    draws = {seed: balanced[at * 40 : at * 40 + labelled] for at, seed in enumerate(SEEDS)}
    cells = []
    for model, worse in (("good", 0.5), ("poor", 4.0)):
        for k in (0, 4, 16):
            for seed in SEEDS if k else (0,):
                rows = test + draws[seed if k else SEEDS[0]][k:]
                cells.append(
                    cell(table, rows, worse, random, model=model, mode="forward", k=k, seed=seed)
                )
        masked = {"serialization": "feat_val_mask", "mode": "forward", "model": model}
        cells.append(cell(table, test, worse + 3, random, **masked))
    fitted = {"prompt": "none", "serialization": "none", "model": "knn"}
    for k, noise in ((4, 4.0), (16, 2.0), (64, 0.7)):
        for seed in SEEDS:
            rows = test + (draws[seed][k:] if k < labelled else train[:k])
            cells.append(cell(table, rows, noise, random, mode="fit", k=k, seed=seed, **fitted))
    full = {"mode": "fit_full", "k": len(train), "seed": SEEDS[0]}
    cells.append(cell(table, test + train, 0.1, random, **full, **fitted))
    return pd.concat(cells, ignore_index=True)


def fits(predicted):
    """One row per fit of the baseline, and one of a baseline that could not be fitted."""
    own = predicted[predicted["prompt"] == "none"]
    rows = [
        {"model": model, "k": k, "seed": seed, "reason": "", "seconds": 1.0, "fit_seconds": 0.75}
        for model, k, seed in own[["model", "k", "seed"]].drop_duplicates().itertuples(index=False)
    ]
    rows.append({"model": "tabpfn", "k": 4, "seed": 1, "reason": "it has no weights"})
    return pd.DataFrame(rows).reindex(columns=FITS.names)
