"""Thresholds: precision, recall and F1 of calling rows class 1 from a probability on."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import precision_recall_curve

from tabbench.core.arrays import Floats
from tabbench.core.schemas.decision import NO_ANSWERS, NONE_FLAGGED, OK, ONE_CLASS, THRESHOLDS
from tabbench.decision.labelled import Labelled
from tabbench.decision.recalibration import PLATT_ROWS, usable_to_fit
from tabbench.decision.sides import LEVEL, RESAMPLES, SEED, Answers, Codes, Side
from tabbench.statistics.bootstrap import row_counts
from tabbench.statistics.draws import DrawnResamples
from tabbench.statistics.proportions import effective_rows, wilson_interval

GRID = tuple(tenth / 10 for tenth in range(1, 10))


def best_f1(labelled: Labelled) -> float:
    """Return the probability among the labelled rows from which on F1 is best; of equals the least.

    Both classes must be there.
    """
    precision, recall, thresholds = precision_recall_curve(
        labelled.y, labelled.p, sample_weight=labelled.weights
    )
    f1 = _f1(precision[:-1], recall[:-1])  # the last point flags nothing and has no threshold
    return float(thresholds[np.argmax(f1)])


def threshold_table(answers: Answers, labelled: dict[Side, list[Labelled]]) -> pd.DataFrame:
    """Return precision, recall and F1 of every side on the test rows, at `GRID` and the best F1.

    The best is chosen on labelled rows that are no test rows and not in the prompt or fit
    (`labelled`), for each draw by itself. Rows are resampled whatever their class, so that the
    number of each class varies as among new rows. The bounds of precision and recall are at least
    as wide as Wilson's, those of F1 where no resample differs as far as theirs allow.

    Returns
    -------
    DataFrame with the columns of ``schemas.decision.THRESHOLDS``
    """
    drawn = answers.resamples(RESAMPLES)
    rows: list[dict[str, Any]] = []
    for side, curves in answers.curves.items():
        usable = answers.usable(side)
        y, p, groups = answers.y[usable], curves.p[:, usable], answers.groups_of(usable)
        status = NO_ANSWERS if not len(y) else ONE_CLASS if y.min() == y.max() else OK
        counts = (
            row_counts(len(y), resamples=RESAMPLES, seed=SEED, groups=groups)
            if status == OK
            else None
        )
        shared: dict[str, Any] = side.named() | answers.counts(side) | {"labelled_rows": 0}
        shared |= {"chosen": False, "status": status}
        for threshold in GRID:
            rows.append(shared | {"threshold": threshold})
            if counts is not None:
                rows[-1] |= _measured(y, p >= threshold, groups, counts, drawn, curves.seeds)
        to_choose = labelled[side]
        found = usable_to_fit(to_choose, PLATT_ROWS)
        rows.append(shared | {"chosen": True})
        if found != OK or counts is None:
            rows[-1]["status"] = found if counts is not None else status
            continue
        chosen = np.array([best_f1(draw) for draw in to_choose])
        rows[-1] |= {
            "threshold": float(chosen.mean()),
            "labelled_rows": round(np.mean([len(draw.y) for draw in to_choose])),
        } | _measured(y, p >= chosen[:, None], groups, counts, drawn, curves.seeds)
    return pd.DataFrame(rows).reindex(columns=THRESHOLDS.names).assign(level=LEVEL)


def _measured(
    y: npt.NDArray[np.int64],
    flags: npt.NDArray[np.bool_],
    groups: Codes | None,
    counts: Floats,
    drawn: DrawnResamples,
    seeds: tuple[int, ...],
) -> dict[str, Any]:
    """Means over the draws and their bounds; flags (draws, n), counts (resamples, n)."""
    once = np.ones((1, len(y)))
    values, resampled = (_shares(y, flags, weights) for weights in (once, counts))
    flagged = float(flags.mean())
    row: dict[str, Any] = {"flagged": flagged}
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    bounds = {}
    for name in ("precision", "recall", "f1"):
        row[name] = float(values[name].mean())
        if np.isnan(row[name]):
            continue
        means = drawn.means(seeds, values[name][0], resampled[name])
        bounds[name] = np.clip(np.nanquantile(means, tails), 0, 1)
    positive = y == 1
    sizes = {
        "precision": _independent([(y[one], _some(groups, one)) for one in flags]),
        "recall": _independent([(one[positive], _some(groups, positive)) for one in flags]),
    }
    for name in sizes.keys() & bounds.keys():
        low, high = wilson_interval(row[name], sizes[name], LEVEL)
        bounds[name] = np.array([min(bounds[name][0], low), max(bounds[name][1], high)])
    if "precision" not in bounds:
        del bounds["f1"]  # it is 0, and how far from 0 it may be hangs on precision
        row["status"] = NONE_FLAGGED
    elif np.ptp(bounds["f1"]) == 0:
        bounds["f1"] = _f1(bounds["precision"], bounds["recall"])
    for name, (low, high) in bounds.items():
        row |= {f"{name}_low": float(low), f"{name}_high": float(high)}
    return row


def _some(groups: Codes | None, rows: npt.NDArray[np.bool_]) -> Codes | None:
    return None if groups is None else groups[rows]


def _independent(draws: list[tuple[npt.ArrayLike, Codes | None]]) -> float:
    """Return how many independent rows tell a share as well as these; a mean over draws."""
    return float(np.mean([effective_rows(outcomes, groups) for outcomes, groups in draws]))


def _shares(
    y: npt.NDArray[np.int64], flags: npt.NDArray[np.bool_], weights: Floats
) -> dict[str, Floats]:
    """Precision, recall and F1 of rows that occur ``weights`` times (b, n): each (b, draws)."""
    found = weights @ (flags & (y == 1)).T
    flagged = weights @ flags.T
    positives = (weights @ y)[:, None]
    with np.errstate(invalid="ignore"):  # 0 / 0 is not defined, and NaN
        return {
            "precision": found / flagged,
            "recall": found / positives,
            "f1": 2 * found / (flagged + positives),
        }


def _f1(precision: Floats, recall: Floats) -> Floats:
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
