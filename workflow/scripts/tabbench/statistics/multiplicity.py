"""Correct the p-values of a table that makes many claims: Holm's step-down method."""

import numpy as np
import numpy.typing as npt

from tabbench.core.errors import TabBenchError

LEVEL = 0.05
"""Significance level of every test whose outcome is stated or marked."""


def holm(p_values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return p-values adjusted by Holm's method.

    If the claims with an adjusted p below the level are made, the probability of at least one false
    claim in the family stays below the level, whatever the dependence between the tests.

    Parameters
    ----------
    p_values : array of any shape, in [0, 1]; all of one family
        NaN is a test that could not be made: it makes no claim, stays NaN and does not count.

    Returns
    -------
    array of the same shape

    Raises
    ------
    TabBenchError
        When a p-value is outside [0, 1].

    Examples
    --------
    >>> holm([0.01, float("nan"), 0.04, 0.03]).tolist()
    [0.03, nan, 0.06, 0.06]
    """
    p = np.array(p_values, dtype=np.float64)
    wrong = p[(p < 0) | (p > 1)]
    if wrong.size:
        raise TabBenchError(f"Holm: {wrong[0]} is no p-value: they lie between 0 and 1")
    made = p[~np.isnan(p)]
    order = np.argsort(made, kind="stable")
    stepped = made[order] * np.arange(len(made), 0, -1)
    made[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    p[~np.isnan(p)] = made
    return p
