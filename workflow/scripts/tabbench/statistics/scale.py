"""A scale of levels: the place of a measured value among the levels' values."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from tabbench.core.arrays import Floats
from tabbench.core.errors import TabBenchError


@dataclass(frozen=True)
class Scale:
    """Levels, ascending, with values that rise, or fall, from level to level or stay equal."""

    levels: Floats
    values: Floats
    rising: bool

    def place(self, value: float) -> float:
        """Return the level that has ``value``, by linear interpolation between levels.

        Returns
        -------
        float
            -inf before the first level's value and inf beyond the last one's: nothing is
            extrapolated. Of several levels with that very value their mean. NaN for NaN.

        Examples
        --------
        >>> scale = fit_scale([0, 1, 3], [1.0, 0.75, 0.25], rising=False)
        >>> scale.place(0.5), scale.place(1.5), scale.place(0.0)
        (2.0, -inf, inf)
        """
        if math.isnan(value):
            return math.nan
        equal = self.values == value
        if equal.any():
            return float(self.levels[equal].mean())
        sign = 1 if self.rising else -1
        return float(
            np.interp(sign * value, sign * self.values, self.levels, left=-math.inf, right=math.inf)
        )


def fit_scale(levels: npt.ArrayLike, values: npt.ArrayLike, *, rising: bool) -> Scale:
    """Fit the monotone values closest to the given ones (isotonic regression, equal weights).

    Parameters
    ----------
    levels : (m,) array, ascending
    values : (m,) array; levels with a NaN are left out
    rising : whether values rise with the level, or fall

    Raises
    ------
    TabBenchError
        When levels do not ascend, or none has a value.
    """
    x, y = np.asarray(levels, dtype=np.float64), np.asarray(values, dtype=np.float64)
    known = ~np.isnan(y)
    if x.shape != y.shape or (np.diff(x) <= 0).any() or not known.any():
        raise TabBenchError(
            f"scale: levels {x.tolist()} with values {y.tolist()}; levels must ascend and at "
            "least one have a value"
        )
    return Scale(x[known], isotonic_regression(y[known], increasing=rising).x, rising)
