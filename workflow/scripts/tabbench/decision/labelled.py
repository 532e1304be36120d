"""Answers about labelled rows, the only ones that recalibration and thresholds may learn from.

A model that was given k examples is asked about further labelled rows, those of a larger draw with
the same seed, which are not in its prompt; so is a baseline that was fitted on k examples. What
they answer about the very rows that they were shown would be too good. A baseline that was fitted
on that draw, on more, or on the whole training part has no other labelled rows: it is fitted again
on three quarters of its own in turn, and predicts the rest (out of fold). Test rows are never used.

A draw has as many rows of either class, the table mostly not. Each labelled row counts with its
class's share of the training part over that among the labelled rows.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.core.arrays import Floats
from tabbench.core.baseline_names import FIT_FULL
from tabbench.decision.sides import BASELINE, Answers, Side


class Labelled(NamedTuple):
    """Valid answers about labelled rows of one draw: labels, probabilities, weights; (rows,).

    ``labels`` counts the labels behind them, those in the prompt or fit included.
    """

    y: npt.NDArray[np.int64]
    p: Floats
    weights: Floats
    labels: int


def labelled_answers(
    answers: Answers, predictions: pd.DataFrame, base_rate: float, largest: int
) -> dict[Side, list[Labelled]]:
    """Return each side's answers about labelled rows, one entry per draw in the order of draws.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``, of the labelled rows
    base_rate : share of class 1 in the training part
    largest : size of the larger draw; baselines on as many rows predict their own, out of fold
    """
    valid = predictions[predictions["status"] == "ok"]
    by_cell = dict(list(valid.groupby(["model", "mode", "k", "seed"])))
    modes = predictions[["model", "mode", "k"]].drop_duplicates()
    mode_of: Mapping[tuple[str, int, bool], str] = {
        (model, int(k), mode == FIT_FULL): mode
        for model, mode, k in modes.itertuples(index=False, name=None)
    }
    nothing = predictions.iloc[:0]
    return {
        side: [
            _weighted(by_cell.get((side.model, mode, side.k, seed), nothing), base_rate, shown)
            for seed in curves.seeds
        ]
        for side, curves in answers.curves.items()
        for mode in [mode_of.get((side.model, side.k, side.full), "")]
        for shown in [0 if side.kind == BASELINE and side.k >= largest else side.k]
    }


def _weighted(part: pd.DataFrame, base_rate: float, shown: int) -> Labelled:
    y = part["y_true"].to_numpy(np.int64)
    weights = np.ones(len(y))
    share = y.mean() if len(y) else 0.0
    if 0 < share < 1:
        weights = np.where(y == 1, base_rate / share, (1 - base_rate) / (1 - share))
    return Labelled(y, part["p_1"].to_numpy(np.float64), weights, shown + len(y))
