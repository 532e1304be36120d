"""What is compared: a model or baseline with so many labels, its curves on the test rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.core.arrays import Floats
from tabbench.core.baseline_names import FIT_FULL
from tabbench.core.contexts import RICHEST
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.decision import (
    CONSTANT,
    NO_ANSWERS,
    OK,
    ONE_CLASS,
    ONE_GROUP,
    ONE_ROW,
    PERFECT,
)
from tabbench.statistics.curves import curves_by
from tabbench.statistics.delong import groups_behind
from tabbench.statistics.draws import DrawnResamples

MODEL, BASELINE = "model", "baseline"
LEVEL = 0.95
"""Coverage of every interval."""
RESAMPLES = 1000
SEED = 0

Codes = npt.NDArray[np.int64]
"""Number of each row's group."""
Statistic = Callable[[npt.NDArray[np.int64], Floats], Floats]
"""Of labels (n,) and curves (draws, n): each draw's value, (draws,)."""
Resampled = Callable[[npt.NDArray[np.int64], Floats, Codes | None], Floats]
"""Of the same and the rows' groups: each draw's value in each resample, (resamples, draws)."""


class Side(NamedTuple):
    """A model or baseline with ``k`` labels; ``full``: all of the training part."""

    model: str
    kind: str
    k: int
    full: bool

    def named(self, prefix: str = "") -> dict[str, Any]:
        """The columns that name it; ``reference`` as prefix names what is subtracted."""
        if not prefix:
            return self._asdict()
        fields = {f"{prefix}_{name}": value for name, value in self._asdict().items()}
        return {prefix: fields.pop(f"{prefix}_model")} | fields


@dataclass(frozen=True)
class Curves:
    """Probabilities of class 1, shape (draws, rows), NaN where an answer is invalid.

    ``seeds`` are those of the draws. All sides of a dataset have the same rows in one order.
    """

    seeds: tuple[int, ...]
    p: Floats

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """(rows,) whether every draw has an answer."""
        return np.asarray(np.isfinite(self.p).all(axis=0))


@dataclass(frozen=True)
class Answers:
    """The curves of all sides; ``y``, ``row_ids`` and ``groups`` have the shape (rows,).

    ``groups`` are those of the rows, which are no longer independent; None without any.
    """

    y: npt.NDArray[np.int64]
    row_ids: npt.NDArray[np.int64]
    curves: dict[Side, Curves]
    groups: Codes | None = None

    def groups_of(self, usable: npt.NDArray[np.bool_]) -> Codes | None:
        """The groups of some rows; None without any."""
        return None if self.groups is None else self.groups[usable]

    def resamples(self, number: int) -> DrawnResamples:
        """Resamples of draws, to be joined with those of test rows."""
        behind = 0 if self.groups is None else groups_behind(self.y, self.groups)
        return DrawnResamples(all_seeds(self), number, SEED, groups=behind)

    def usable(self, *sides: Side) -> npt.NDArray[np.bool_]:
        """(rows,) whether every draw of every one of the sides has an answer."""
        return np.asarray(np.logical_and.reduce([self.curves[side].valid for side in sides]))

    def counts(self, *sides: Side) -> dict[str, int]:
        """The columns that say what numbers on these sides rest on."""
        usable = self.usable(*sides)
        groups = self.groups_of(usable)
        return {
            "draws": max(len(self.curves[side].seeds) for side in sides),
            "n": int(usable.sum()),
            "n_positive": int(self.y[usable].sum()),
            "n_dropped": int((~usable).sum()),
            "n_groups": 0 if groups is None else len(np.unique(groups)),
        }

    def paired(self, *sides: Side) -> bool:
        """Whether the draws of the sides are the same ones, so that they are compared in pairs."""
        return len({self.curves[side].seeds for side in sides}) == 1

    def models(self) -> list[str]:
        return list(dict.fromkeys(side.model for side in self.curves if side.kind == MODEL))

    def baselines(self) -> list[str]:
        return list(dict.fromkeys(side.model for side in self.curves if side.kind == BASELINE))

    def of(self, model: str) -> Iterator[Side]:
        """Sides of a model or baseline, fewest labels first."""
        yield from sorted((side for side in self.curves if side.model == model), key=_order)


def _order(side: Side) -> tuple[bool, int]:
    return side.full, side.k


def main_context(predictions: pd.DataFrame) -> pd.DataFrame:
    """Keep the models' answers with named columns and task text, and all of the baselines'."""
    pairs = zip(predictions["prompt"], predictions["serialization"], strict=True)
    return predictions[[pair in (RICHEST.pair, ("none", "none")) for pair in pairs]]


def read_answers(predictions: pd.DataFrame, groups: "pd.Series[Any] | None" = None) -> Answers:
    """Align the answers of every model and baseline under one context each, by test row.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``, of one dataset
    groups : group by row id; None where rows are independent

    Raises
    ------
    TabBenchError
        When a row occurs twice in a cell or has two labels, or a model was asked in several modes.
    """
    dataset = str(predictions["dataset"].iloc[0])
    kinds = predictions[["model", "mode", "k", "prompt"]].drop_duplicates()
    twice = kinds[~kinds["mode"].str.startswith("fit")].duplicated(["model", "k"])
    if twice.any():
        raise TabBenchError(
            f"dataset '{dataset}': a model was asked in several modes or contexts at one k; "
            "compare one of them"
        )
    y, wide = curves_by(predictions, ["model", "mode", "k", "seed"], f"dataset '{dataset}'")
    curves = {}
    for model, mode, k, prompt in kinds.itertuples(index=False, name=None):
        kind = BASELINE if prompt == "none" else MODEL
        part = wide[model, mode, k]
        seeds = tuple(int(seed) for seed in part.columns)
        side = Side(str(model), kind, int(k), mode == FIT_FULL)
        curves[side] = Curves(seeds, part.to_numpy(np.float64).T)
    codes = None if groups is None else pd.factorize(groups.loc[wide.index])[0].astype(np.int64)
    return Answers(y, wide.index.to_numpy(np.int64), curves, codes)


def mean_and_bounds(
    answers: Answers,
    side: Side,
    statistic: Statistic,
    resampled: Resampled,
    draws: DrawnResamples,
) -> tuple[float, float, float]:
    """Return the mean of a statistic over the draws, and its interval over rows and draws."""
    usable, curves = answers.usable(side), answers.curves[side]
    y, p = answers.y[usable], curves.p[:, usable]
    values = statistic(y, p)
    means = draws.means(curves.seeds, values, resampled(y, p, answers.groups_of(usable)))
    low, high = np.clip(np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]), 0, 1).tolist()
    return float(values.mean()), low, high


def ranking_status(y: npt.NDArray[np.int64], p: Floats, groups: Codes | None = None) -> str:
    """Say what of a ROC-AUC is defined: ``OK`` or a constant of ``schemas.decision``.

    Parameters
    ----------
    y : (n,) labels of the usable rows
    p : (draws, n) probabilities
    groups : (n,) groups of the rows, if any
    """
    positives = int(y.sum())
    if not len(y):
        return NO_ANSWERS
    if positives in (0, len(y)):
        return ONE_CLASS
    if 1 in (positives, len(y) - positives):
        return ONE_ROW
    if groups is not None and groups_behind(y, groups) < 2:
        return ONE_GROUP
    if (np.ptp(p, axis=1) == 0).all():
        return CONSTANT
    of_positives, of_negatives = p[:, y == 1], p[:, y == 0]
    apart = of_positives.min(axis=1) > of_negatives.max(axis=1)
    inverted = of_positives.max(axis=1) < of_negatives.min(axis=1)
    return PERFECT if apart.all() or inverted.all() else OK


def all_seeds(answers: Answers) -> list[int]:
    """The seeds of all draws, in order."""
    return sorted({seed for curves in answers.curves.values() for seed in curves.seeds})
