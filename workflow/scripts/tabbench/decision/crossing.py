"""From how many labels on a baseline is better than a model: the crossing of learning curves."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.core.arrays import Floats
from tabbench.core.schemas.decision import (
    BEFORE_FIRST,
    CROSSINGS,
    FIXED,
    NOT_WITHIN,
    SAME_LABELS,
    UNDEFINED,
    WITHIN,
)
from tabbench.decision.learning_curves import each_auc
from tabbench.decision.sides import LEVEL, RESAMPLES, SEED, Answers, Side
from tabbench.statistics.bootstrap import resampled_aucs
from tabbench.statistics.scale import fit_scale


def crossing(labels: npt.ArrayLike, gaps: npt.ArrayLike) -> float:
    """Return from how many labels on the gap, baseline less model, is above 0.

    The gap is taken to rise with the labels: the closest rising values are fitted (isotonic
    regression) and interpolated on the logarithm of the labels.

    Parameters
    ----------
    labels : (m,) array, ascending, above 0
    gaps : (m,) array

    Returns
    -------
    float
        -inf where the first gap is above 0 already, inf where none is.

    Examples
    --------
    >>> round(crossing([4, 16, 64], [-0.2, -0.1, 0.1]), 6)
    32.0
    """
    place = fit_scale(np.log(labels), gaps, rising=True).place(0.0)
    return math.exp(place) if math.isfinite(place) else place


def crossings(answers: Answers) -> pd.DataFrame:
    """Return the crossing of every model with every baseline.

    The model stays at its number of examples (``fixed``), or gets the labels that the baseline
    gets, at most as many as it was asked with (``same_labels``). Test rows and draws are resampled
    together, the same for both.

    Returns
    -------
    DataFrame with the columns of ``schemas.decision.CROSSINGS``
    """
    drawn = _Resampled(answers)
    rows = []
    for model in answers.models():
        for baseline in answers.baselines():
            rows += [row | {"model": model} for row in _of_pair(drawn, model, baseline)]
    return pd.DataFrame(rows).reindex(columns=CROSSINGS.names).assign(level=LEVEL)


class _Resampled:
    """Mean AUC over draws of each side, on the rows themselves and in each resample."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self._draws = answers.resamples(RESAMPLES)
        self._found: dict[tuple[Side, bytes], Floats] = {}

    def means(self, side: Side, usable: npt.NDArray[np.bool_]) -> Floats:
        """Shape (1 + resamples,), the rows themselves first."""
        key = side, usable.tobytes()
        if key not in self._found:
            y, curves = self.answers.y[usable], self.answers.curves[side]
            p = curves.p[:, usable]
            values = each_auc(y, p)
            groups = self.answers.groups_of(usable)
            resampled = resampled_aucs(y, p, resamples=RESAMPLES, seed=SEED, groups=groups)
            means = self._draws.means(curves.seeds, values, resampled)
            self._found[key] = np.r_[values.mean(), means]
        return self._found[key]


def _of_pair(drawn: _Resampled, model: str, baseline: str) -> Iterator[dict[str, Any]]:
    answers = drawn.answers
    fitted = list({side.k: side for side in answers.of(baseline)}.values())
    asked = list(answers.of(model))
    labels = [side.k for side in fitted]
    several = [len(answers.curves[side].seeds) for side in fitted if not side.full]
    planned = [(FIXED, side, [side] * len(fitted)) for side in asked]
    most = asked[-1]
    if most.k:
        as_many = [next((one for one in asked[::-1] if one.k <= k), asked[0]) for k in labels]
        planned.append((SAME_LABELS, most, as_many))
    for comparison, side, opposite in planned:
        usable = answers.usable(*fitted, *opposite)
        row = {
            "comparison": comparison,
            "model_k": side.k,
            "baseline": baseline,
            "first": labels[0],
            "last": labels[-1],
            "draws": min(several, default=1),
            "n": int(usable.sum()),
        }
        classes = np.bincount(answers.y[usable], minlength=2)
        if len(labels) < 2 or classes.min() < 2:
            yield row | {"status": UNDEFINED}
            continue
        gaps = np.array(
            [
                drawn.means(ours, usable) - drawn.means(theirs, usable)
                for ours, theirs in zip(fitted, opposite, strict=True)
            ]
        )
        found = np.array([crossing(labels, gap) for gap in gaps.T])
        yield row | _stated(found)


def _stated(found: Floats) -> dict[str, Any]:
    """The columns that follow from the crossing, first in ``found``, and its resamples."""
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = np.quantile(found[1:], tails, method="inverted_cdf").tolist()
    statuses = {-math.inf: BEFORE_FIRST, math.inf: NOT_WITHIN}
    return {
        "labels": found[0] if math.isfinite(found[0]) else math.nan,
        "low": max(low, 0.0),
        "high": max(high, 0.0),
        "share_before": float((found[1:] == -math.inf).mean()),
        "share_beyond": float((found[1:] == math.inf).mean()),
        "status": statuses.get(float(found[0]), WITHIN),
    }
