"""The variance of a ROC-AUC, where only the ROC-AUC and the number of rows are known."""

import numpy as np
import numpy.typing as npt

from tabbench.core.arrays import Floats


def auc_variance(
    auc: npt.ArrayLike, n_positive: npt.ArrayLike, n_negative: npt.ArrayLike
) -> Floats:
    """Return the variance of a ROC-AUC over draws of its test rows.

    The formula of Hanley and McNeil (1982), for exponentially distributed scores; a ROC-AUC below
    0.5 has the variance of the folded one.

    Parameters
    ----------
    auc, n_positive, n_negative : arrays that broadcast; rows of either class, at least 1

    Examples
    --------
    >>> round(float(auc_variance(0.8, 50, 50)) ** 0.5, 4)
    0.0445
    """
    a = np.asarray(auc, dtype=np.float64)
    positive, negative = np.asarray(n_positive), np.asarray(n_negative)
    a = np.maximum(a, 1 - a)
    two_positives, two_negatives = a / (2 - a), 2 * a**2 / (1 + a)
    spread = (
        a * (1 - a)
        + (positive - 1) * (two_positives - a**2)
        + (negative - 1) * (two_negatives - a**2)
    )
    return np.asarray(spread / (positive * negative))
