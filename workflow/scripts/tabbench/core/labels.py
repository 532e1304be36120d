"""Definition of a label's probability."""

import math


def label_probability(logp_0: float, logp_1: float) -> tuple[float, float]:
    """Probability of class 1 given that a label is answered, and the mass on both labels.

    Parameters
    ----------
    logp_0, logp_1 : natural-log probabilities of the labels at the position of the answer

    Returns
    -------
    p_1 : ``sigmoid(logp_1 - logp_0)`` (paper, section III-A)
    mass : ``exp(logp_0) + exp(logp_1)``, at most 1 up to rounding

    Examples
    --------
    >>> import math
    >>> p_1, mass = label_probability(math.log(0.2), math.log(0.6))
    >>> round(p_1, 3), round(mass, 3)
    (0.75, 0.8)
    """
    difference = logp_1 - logp_0
    if difference >= 0:
        p_1 = 1 / (1 + math.exp(-difference))
    else:
        p_1 = math.exp(difference) / (1 + math.exp(difference))
    return p_1, math.exp(logp_0) + math.exp(logp_1)
