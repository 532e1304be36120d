"""Types of arrays."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
"""Real numbers in double precision, of any shape."""


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; NaN where the denominator is 0."""
    out = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator > 0)
    return out
