"""Effect of plans along the difficulty: gain curves (Figure 5) and gain maps (Figures 7 to 9)."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.scitarc.difficulty import difficulty
from tabbench.scitarc.planning import CONDITIONS
from tabbench.scitarc.scores import SYSTEM, side_by_side

WINDOW = 50
STEPS: Mapping[str, tuple[str, str]] = {
    "autonomous gain": ("direct", "auto"),
    "plan correction": ("auto", "oracle"),
    "total potential": ("direct", "oracle"),
}
"""Figures 7, 8 and 9: from a condition to another."""


def success_probability(correct: npt.ArrayLike, window: int = WINDOW) -> npt.NDArray[np.float64]:
    """Centred sliding mean, as section 6.1 defines it.

    P(i) is the mean over j from max(1, i - floor(w/2)) to min(N, i + floor(w/2)), both included: so
    51 questions for w = 50, and fewer at both ends.

    Parameters
    ----------
    correct : (N,) array of 0 and 1, the easiest question first

    Examples
    --------
    >>> success_probability([1, 1, 0, 0], window=2).round(2).tolist()
    [1.0, 0.67, 0.33, 0.0]
    """
    values = np.asarray(correct, dtype=np.float64)
    sums = np.concatenate([[0.0], values.cumsum()])
    places = np.arange(len(values))
    low = np.maximum(places - window // 2, 0)
    high = np.minimum(places + window // 2 + 1, len(values))
    return np.asarray((sums[high] - sums[low]) / np.maximum(high - low, 1))


def gain_curves(scores: pd.DataFrame, window: int = WINDOW) -> pd.DataFrame:
    """Success probability of each system under the three plan modes, along the difficulty.

    Questions are ranked by the number of systems in ``scores`` that answer them right without a
    plan; ties are in the order of rows.

    Returns
    -------
    DataFrame with model, execution, condition (direct, auto, oracle), position (1 the easiest),
    row, n_correct (of its difficulty), correct, p_success and n (questions of the curve)
    """
    frames = []
    ranked = difficulty(scores)
    for system, answers in side_by_side(scores, CONDITIONS):
        ordered = answers.loc[[row for row in ranked.index if row in answers.index]]
        frames += [
            pd.DataFrame(
                {
                    **dict(zip(SYSTEM, system, strict=True)),
                    "condition": name,
                    "position": np.arange(1, len(ordered) + 1),
                    "row": ordered.index,
                    "n_correct": ranked.loc[ordered.index].to_numpy(),
                    "correct": ordered[name].to_numpy(),
                    "p_success": success_probability(ordered[name], window),
                    "n": len(ordered),
                }
            )
            for name in CONDITIONS
        ]
    return pd.concat(frames, ignore_index=True)


def gain_map(scores: pd.DataFrame) -> pd.DataFrame:
    """Change of each question from one condition to the next (Figures 7 to 9).

    Returns
    -------
    DataFrame with model, execution, step (a key of `STEPS`), position (1 the easiest), row and
    change: gain, regression, kept (right in both) or failed (wrong in both)
    """
    frames = []
    ranked = difficulty(scores)
    for system, answers in side_by_side(scores, CONDITIONS):
        ordered = answers.loc[[row for row in ranked.index if row in answers.index]]
        for step, (before, after) in STEPS.items():
            then, now = ordered[before], ordered[after]
            change = np.select([~then & now, then & ~now, then & now], _CHANGED, "failed")
            frames.append(
                pd.DataFrame(
                    {
                        **dict(zip(SYSTEM, system, strict=True)),
                        "step": step,
                        "position": np.arange(1, len(ordered) + 1),
                        "row": ordered.index,
                        "change": change,
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


_CHANGED = ["gain", "regression", "kept"]
CHANGES = (*_CHANGED, "failed")


def gain_totals(changes: pd.DataFrame) -> pd.DataFrame:
    """Counts of a gain map: a row per model, execution and step.

    Returns
    -------
    DataFrame with gain, regression, kept, failed, n and net (gain minus regression)
    """
    keys = [*SYSTEM, "step"]
    flags = pd.DataFrame({name: changes["change"].eq(name) for name in CHANGES})
    counts = pd.concat([changes[keys], flags], axis=1).groupby(keys, sort=False).sum()
    counts = counts.assign(n=counts.sum(axis=1), net=counts["gain"] - counts["regression"])
    return counts.reset_index()
