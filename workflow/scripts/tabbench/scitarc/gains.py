"""Effect of plans along the difficulty: gain curves (Figure 5) and gain maps (Figures 7 to 9)."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.scitarc.difficulty import difficulty_for_others
from tabbench.scitarc.planning import CONDITIONS
from tabbench.scitarc.scores import SYSTEM, side_by_side

WINDOW = 50
PERMUTATIONS = 1000
_SEED = 0
_LEVEL = 0.95
_ROUNDING = 1e-9
STEPS: Mapping[str, tuple[str, str]] = {
    "autonomous gain": ("direct", "auto"),
    "plan correction": ("auto", "oracle"),
    "total potential": ("direct", "oracle"),
}
"""Figures 7, 8 and 9: from a condition to another."""


def ranked_answers(scores: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Verdicts of each system under the three plan modes, the easiest question first.

    Returns
    -------
    (model, execution) to a DataFrame of a row per question (index ``row``): others_right (see
    `difficulty_for_others`) and direct, auto, oracle; of no row where no other system ranks the
    questions
    """
    found = {}
    for system, answers in side_by_side(scores, CONDITIONS):
        shares = difficulty_for_others(scores, system)
        found[system] = shares[shares.index.isin(answers.index)].to_frame().join(answers)
    return found


def success_probability(correct: npt.ArrayLike, window: int = WINDOW) -> npt.NDArray[np.float64]:
    """Centred sliding mean, as section 6.1 defines it.

    P(i) is the mean over j from max(1, i - floor(w/2)) to min(N, i + floor(w/2)), both included: so
    51 questions for w = 50, and fewer at both ends.

    Parameters
    ----------
    correct : (..., N) array of 0 and 1, or of their differences, the easiest question first

    Examples
    --------
    >>> success_probability([1, 1, 0, 0], window=2).round(2).tolist()
    [1.0, 0.67, 0.33, 0.0]
    """
    values = np.asarray(correct, dtype=np.float64)
    sums = np.concatenate([np.zeros((*values.shape[:-1], 1)), values.cumsum(axis=-1)], axis=-1)
    low, high = _windows(values.shape[-1], window)
    return np.asarray((sums[..., high] - sums[..., low]) / (high - low))


def _windows(n: int, window: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """First place of each question's window, and the one after its last."""
    places = np.arange(n)
    return np.maximum(places - window // 2, 0), np.minimum(places + window // 2 + 1, n)


def null_band(change: npt.ArrayLike, window: int = WINDOW) -> npt.NDArray[np.float64]:
    """How far from 0 the mean change in a window gets by chance alone.

    Without an effect a question's two answers can be swapped: its change keeps its size and has
    either sign. The band holds 95 % of the curves of `PERMUTATIONS` such draws over their whole
    length; at each place it is as wide as a multiple, the same at all, of the standard deviation
    there.

    Parameters
    ----------
    change : (N,) array of -1, 0 and 1, the easiest question first, in an order that does not come
        from the two answers

    Returns
    -------
    (N,) array of half-widths
    """
    values = np.asarray(change, dtype=np.float64)
    low, high = _windows(len(values), window)
    deviation = np.sqrt(success_probability(values**2, window) / (high - low))
    signs = np.random.default_rng(_SEED).choice([-1.0, 1.0], (PERMUTATIONS, len(values)))
    curves = np.abs(success_probability(signs * values, window))
    farthest = np.divide(curves, deviation, out=np.zeros_like(curves), where=deviation > 0)
    factor = np.quantile(farthest.max(axis=1, initial=0.0), _LEVEL, method="higher")
    return np.asarray(factor * deviation)


def gain_curves(scores: pd.DataFrame, window: int = WINDOW) -> pd.DataFrame:
    """Success probability of each system under the three plan modes, along the difficulty.

    Questions are ranked by the share of the other systems in ``scores`` that answer them right
    without a plan; ties are in the order of rows.

    Returns
    -------
    DataFrame with model, execution, condition (direct, auto, oracle), position (1 the easiest),
    row, others_right (of its difficulty), correct, p_success and n (questions of the curve); no row
    of a system whose questions no other system ranks
    """
    frames = [
        pd.DataFrame(
            {
                **dict(zip(SYSTEM, system, strict=True)),
                "condition": name,
                "position": np.arange(1, len(answers) + 1),
                "row": answers.index,
                "others_right": answers["others_right"].to_numpy(),
                "correct": answers[name].to_numpy(),
                "p_success": success_probability(answers[name], window),
                "n": len(answers),
            }
        )
        for system, answers in ranked_answers(scores).items()
        for name in CONDITIONS
    ]
    return pd.concat(frames, ignore_index=True)


def gain_bands(scores: pd.DataFrame, step: str, window: int = WINDOW) -> pd.DataFrame:
    """Net change along the difficulty, and what it would be without an effect.

    Parameters
    ----------
    step : a key of `STEPS`

    Returns
    -------
    DataFrame with model, execution, position (1 the easiest), row, change (mean in the window, -1
    to 1), band (its half-width around 0, see `null_band`) and outside (whether change leaves it)
    """
    before, after = STEPS[step]
    frames = []
    for system, answers in ranked_answers(scores).items():
        changes = answers[after].astype(int) - answers[before].astype(int)
        change, band = success_probability(changes, window), null_band(changes, window)
        frames.append(
            pd.DataFrame(
                {
                    **dict(zip(SYSTEM, system, strict=True)),
                    "position": np.arange(1, len(answers) + 1),
                    "row": answers.index,
                    "change": change,
                    "band": band,
                    "outside": np.abs(change) > band + _ROUNDING,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def gain_map(scores: pd.DataFrame) -> pd.DataFrame:
    """Change of each question from one condition to the next (Figures 7 to 9).

    Returns
    -------
    DataFrame with model, execution, step (a key of `STEPS`), position (1 the easiest), row and
    change: gain, regression, kept (right in both) or failed (wrong in both); no row of a system
    whose questions no other system ranks
    """
    frames = []
    for system, answers in ranked_answers(scores).items():
        for step, (before, after) in STEPS.items():
            then, now = answers[before], answers[after]
            change = np.select([~then & now, then & ~now, then & now], _CHANGED, "failed")
            frames.append(
                pd.DataFrame(
                    {
                        **dict(zip(SYSTEM, system, strict=True)),
                        "step": step,
                        "position": np.arange(1, len(answers) + 1),
                        "row": answers.index,
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
