"""A share of right answers from many verdicts of an imperfect judge and a person's labels of some.

Among the answers that the judge found right, a share is right by the labels; among the others,
another share is. Weighted by how many answers the judge found right, they give the corrected share.
For yes-no verdicts this is the estimate of prediction-powered inference with its best weight
(PPI++: Angelopoulos, Duchi and Zrnic, 2023), and of double sampling (Tenenbein, 1970).

The interval is Bayesian with Jeffreys' prior for the three shares, which keeps its coverage where a
judge made no error in the few answers that were labelled and a normal approximation has no width.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tabbench.core.errors import TabBenchError

LEAST = 10
"""Labels needed among the answers that the judge found right, and among the others."""
_DRAWS = 10_000


class CorrectedShare(NamedTuple):
    """A corrected share; the first three are NaN where `enough` is False.

    Attributes
    ----------
    n : answers that were judged
    n_accepted, n_refused : labelled answers that the judge found right, and the others
    accepted_wrongly, refused_wrongly : those of them whose label says otherwise
    enough : whether there are `LEAST` labels of both kinds, or all answers of a kind are labelled
    """

    estimate: float
    low: float
    high: float
    n: int
    n_accepted: int
    n_refused: int
    accepted_wrongly: int
    refused_wrongly: int
    enough: bool


def corrected_share(
    verdicts: npt.ArrayLike, labels: npt.ArrayLike, *, level: float = 0.95, seed: int = 0
) -> CorrectedShare:
    """Correct the share of answers that a judge found right for its errors.

    Parameters
    ----------
    verdicts : (n,) array of 0 and 1, the judge's
    labels : (n,) array of 0 and 1, a person's, NaN where there is none; the labelled answers must
        be a random draw from all, or from those with the same verdict

    Raises
    ------
    TabBenchError
        When a value is neither 0 nor 1, or the arrays differ in length.
    """
    judged, known = np.asarray(verdicts, np.float64), np.asarray(labels, np.float64)
    given = ~np.isnan(known)
    if judged.shape != known.shape or not np.isin([*judged, *known[given]], (0, 1)).all():
        raise TabBenchError("corrected share: verdicts and labels must be 0 or 1, one of each")
    n, accepted = len(judged), int(judged.sum())
    right, others = known[given & (judged == 1)], known[given & (judged == 0)]
    enough = n > 0 and (
        len(right) >= min(LEAST, accepted) and len(others) >= min(LEAST, n - accepted)
    )
    counts = (n, len(right), len(others), int((right == 0).sum()), int(others.sum()), enough)
    if not enough:
        return CorrectedShare(np.nan, np.nan, np.nan, *counts)
    random = np.random.default_rng(seed)

    def drawn(hits: float, of: int) -> npt.NDArray[np.float64]:
        return random.beta(hits + 0.5, of - hits + 0.5, _DRAWS)

    share = drawn(accepted, n)
    shares = share * drawn(right.sum(), len(right)) + (1 - share) * drawn(others.sum(), len(others))
    low, high = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2]).tolist()
    estimate = (
        accepted * (right.mean() if len(right) else 0.0)
        + (n - accepted) * (others.mean() if len(others) else 0.0)
    ) / n
    return CorrectedShare(float(estimate), low, high, *counts)
