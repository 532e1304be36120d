"""Paired differences over datasets: Wilcoxon's signed-rank test."""

from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata, wilcoxon

from tabbench.core.arrays import Floats

_COUNTED, _EXACT = 12, 50
_DIGITS = 12
"""Decimal places beyond which differences are rounding errors, and ties."""


def signed_rank_p(differences: npt.ArrayLike) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; a dataset is one observation.

    Exact for up to 50 differences, with zeros or ties for up to 12; else the normal approximation.
    Zeros take part in the ranking and are dropped after it (Pratt).

    Parameters
    ----------
    differences : (n,) array; NaN is left out

    Returns
    -------
    float
        1 where all differences are 0, NaN where there is none.

    Examples
    --------
    >>> signed_rank_p([0.1, 0.2, 0.3, 0.4, 0.5])
    0.0625
    """
    values = np.asarray(differences, dtype=np.float64)
    values = np.round(values[~np.isnan(values)], _DIGITS)
    if not values.size:
        return float("nan")
    if not values.any():
        return 1.0
    if len(values) <= _COUNTED:
        return _counted(values)
    tied = len(np.unique(np.abs(values))) < len(values) or not values.all()
    method = "asymptotic" if tied or len(values) > _EXACT else "exact"
    return float(wilcoxon(values, zero_method="pratt", method=method).pvalue)


def _counted(values: Floats) -> float:
    """Count the sign patterns whose rank sum is as far from its mean as the one found."""
    ranks = rankdata(np.abs(values))[values != 0]
    patterns = np.array(list(product((-1, 1), repeat=len(ranks))))
    found = np.abs(np.sign(values[values != 0]) @ ranks)
    return float(np.mean(np.abs(patterns @ ranks) >= found))
