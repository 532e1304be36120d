"""Recalibration on labelled rows: Platt's method, and isotonic regression on many of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from tabbench.core.arrays import Floats
from tabbench.core.schemas.decision import (
    AS_ANSWERED,
    CALIBRATIONS,
    ISOTONIC,
    NO_ANSWERS,
    NO_LABELLED_ROWS,
    OK,
    ONE_CLASS,
    PLATT,
    RELIABILITY_BINS,
    TOO_FEW_ROWS,
)
from tabbench.decision.labelled import Labelled
from tabbench.decision.sides import LEVEL, RESAMPLES, SEED, Answers, Codes, Side
from tabbench.scoring.calibration import (
    BINS,
    bin_of,
    brier_score,
    calibration_error,
    calibration_error_if_right,
    log_loss,
)
from tabbench.statistics.bootstrap import row_counts
from tabbench.statistics.draws import DrawnResamples
from tabbench.statistics.proportions import effective_rows, wilson_interval

Labels = npt.NDArray[np.int64]
Recalibrate = Callable[[Floats], Floats]
PLATT_ROWS, ISOTONIC_ROWS = 10, 200
"""Fewest labelled rows of a draw for either method. Below some 200 rows isotonic regression fits
noise, and Platt's method is better (Niculescu-Mizil and Caruana 2005)."""
_FEWEST = {PLATT: PLATT_ROWS, ISOTONIC: ISOTONIC_ROWS}
_SMALLEST = 1e-6
"""Probabilities nearer to 0 or 1 count as this near, so that their logits are finite."""


def fit_platt(labelled: Labelled) -> Recalibrate:
    """Fit Platt's method: a sigmoid of the logit, to targets that are shrunk from 0 and 1."""
    y, p, weights = labelled.y, labelled.p, labelled.weights
    positive, negative = weights[y == 1].sum(), weights[y == 0].sum()
    targets = np.where(y == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))
    x = _logits(p)
    middle = x.mean()  # so that equal probabilities, which tell no slope, get none
    # A row with target t is a row of class 1 with weight t and one of class 0 with 1 - t.
    model = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000).fit(
        np.r_[x, x] - middle,
        np.repeat([1, 0], len(y)),
        np.r_[weights * targets, weights * (1 - targets)],
    )
    return lambda new: np.asarray(model.predict_proba(_logits(new) - middle)[:, 1])


def fit_isotonic(labelled: Labelled) -> Recalibrate:
    """Fit the closest rising steps; beyond the labelled rows' probabilities the outermost hold."""
    steps = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    steps.fit(labelled.p, labelled.y, sample_weight=labelled.weights)
    return lambda new: np.asarray(steps.predict(new), dtype=np.float64)


_FIT = {PLATT: fit_platt, ISOTONIC: fit_isotonic}


def _logits(p: Floats) -> Floats:
    return np.asarray(logit(np.clip(p, _SMALLEST, 1 - _SMALLEST)))[:, None]


def usable_to_fit(labelled: list[Labelled], fewest: int) -> str:
    """Say whether the labelled rows of every draw suffice: ``OK``, or why not."""
    rows = min((len(draw.y) for draw in labelled), default=0)
    if rows == 0:
        return NO_LABELLED_ROWS
    if rows < fewest:
        return TOO_FEW_ROWS
    if any(len(set(draw.y.tolist())) < 2 for draw in labelled):
        return ONE_CLASS
    return OK


def calibrations(
    answers: Answers, labelled: dict[Side, list[Labelled]], base_rate: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score the probabilities of every side, as answered and recalibrated, on the test rows.

    Each draw is recalibrated by itself, on its labelled rows; scores are means over the draws. The
    interval of the change of the Brier score covers test rows and draws, and with a single draw
    not the choice of the labelled rows.

    Returns
    -------
    calibrations, bins : DataFrames with the columns of ``CALIBRATIONS`` and ``RELIABILITY_BINS``
    """
    drawn = answers.resamples(RESAMPLES)
    rows, bins = [], []
    for side, curves in answers.curves.items():
        usable = answers.usable(side)
        y, before, groups = answers.y[usable], curves.p[:, usable], answers.groups_of(usable)
        to_fit = labelled[side]
        for method in (AS_ANSWERED, PLATT, ISOTONIC):
            used = [] if method == AS_ANSWERED else to_fit
            shared: dict[str, Any] = side.named() | {"method": method}
            labels = {
                "labels": _mean([draw.labels for draw in used]) if used else side.k,
                "labelled_rows": _mean([len(draw.y) for draw in used]),
            }
            row = shared | labels | answers.counts(side) | {"base_rate": base_rate}
            status = OK if method == AS_ANSWERED else usable_to_fit(to_fit, _FEWEST[method])
            if not len(y):
                status = NO_ANSWERS
            rows.append(row | {"status": status})
            if status != OK:
                continue
            after = before
            if method == AS_ANSWERED:
                rows[-1]["brier_change"] = 0.0
            else:
                fitted = [_FIT[method](draw) for draw in to_fit]
                after = np.array([f(p) for f, p in zip(fitted, before, strict=True)])
                rows[-1] |= _change(y, before, after, groups, drawn, curves.seeds)
            rows[-1] |= _scores(y, after, base_rate)
            bins += [shared | one for one in _bins(y, after, groups)]
    found = pd.DataFrame(rows).reindex(columns=CALIBRATIONS.names).assign(level=LEVEL)
    return found, pd.DataFrame(bins).reindex(columns=RELIABILITY_BINS.names).assign(level=LEVEL)


def _mean(counts: list[int]) -> int:
    return round(sum(counts) / len(counts)) if counts else 0


def _scores(y: Labels, p: Floats, base_rate: float) -> dict[str, float]:
    """Means over the draws; p (draws, n)."""
    constant = np.full(len(y), base_rate)
    found = {
        "brier": np.mean([brier_score(y, one) for one in p]),
        "log_loss": np.mean([log_loss(y, one) for one in p]),
        "calibration_error": np.mean([calibration_error(y, one) for one in p]),
        "calibration_error_if_right": np.mean([calibration_error_if_right(one) for one in p]),
    }
    return {name: float(value) for name, value in found.items()} | {
        "brier_base_rate": brier_score(y, constant),
        "log_loss_base_rate": log_loss(y, constant),
    }


def _change(
    y: Labels,
    before: Floats,
    after: Floats,
    groups: Codes | None,
    drawn: DrawnResamples,
    seeds: tuple[int, ...],
) -> dict[str, float]:
    gained = (after - y) ** 2 - (before - y) ** 2
    counts = row_counts(len(y), resamples=RESAMPLES, seed=SEED, groups=groups)
    resampled = counts @ gained.T / counts.sum(axis=1, keepdims=True)
    means = drawn.means(seeds, gained.mean(axis=1), resampled)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return {
        "brier_change": float(gained.mean()),
        "brier_change_low": low,
        "brier_change_high": high,
    }


def _bins(y: Labels, p: Floats, groups: Codes | None) -> list[dict[str, Any]]:
    """Pool the answers of all draws; p (draws, n)."""
    place = bin_of(p)
    labels = np.broadcast_to(y, p.shape)
    found = []
    for number in np.unique(place):
        inside = place == number
        rows = inside.any(axis=0)
        observed = float(labels[inside].mean())
        independent = effective_rows(y[rows], None if groups is None else groups[rows])
        low, high = wilson_interval(observed, independent, LEVEL)
        found.append(
            {
                "bin": int(number),
                "low": number / BINS,
                "high": (number + 1) / BINS,
                "mean_predicted": float(p[inside].mean()),
                "observed": observed,
                "observed_low": float(low),
                "observed_high": float(high),
                "n": int(inside.sum()),
                "n_rows": int(rows.sum()),
            }
        )
    return found
