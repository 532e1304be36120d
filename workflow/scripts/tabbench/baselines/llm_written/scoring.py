"""From values of rules and trees to scores: FeatLLM's linear model, a tree's leaves."""

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from tabbench.core.arrays import Floats

Integers = npt.NDArray[np.int64]


def tree_scores(values: Floats) -> Floats:
    """Return a tree's scores, shape (rows,): the probability of class 1 that its leaves state.

    Parameters
    ----------
    values : (1, rows); NaN where no leaf was reached
    """
    return np.asarray(values[0], dtype=np.float64)


def rule_scores(values: Floats, classes: Integers, examples: Floats, labels: Integers) -> Floats:
    """Return FeatLLM's scores, shape (rows,): the probability of class 1.

    A class's score is the weighted sum of its rules that hold, with weights that are not negative;
    p_1 is the softmax of both. The weights are fitted on the examples; without any they are
    uniform within a class. Labels of the rows to score are not seen.

    Parameters
    ----------
    values : (rules, rows), 0 or 1; NaN where a rule failed, which then does not hold. A row on
        which all failed has no score
    classes : (rules,) class that each rule speaks for
    examples : (rules, k), like ``values``
    labels : (k,) of the examples
    """
    weights = rule_weights(_held(examples, classes), classes, labels)
    scores = expit(_held(values, classes) @ weights)
    return np.where(np.isnan(values).all(axis=0), np.nan, scores)


def rule_weights(held: Floats, classes: Integers, labels: Integers) -> Floats:
    """Return the weights of the rules, shape (rules,), none of them negative.

    They minimize the examples' log loss plus half the squared distance to the uniform weights. The
    distance keeps them uniform where examples are few or uninformative. (FeatLLM starts at the
    uniform weights and stops gradient descent early, to the same end; this has one solution.)

    Parameters
    ----------
    held : (k, rules); 1 where a rule of class 1 holds, -1 where one of class 0 does, else 0
    classes : (rules,)
    labels : (k,) 0 or 1
    """
    uniform = 1.0 / np.bincount(classes, minlength=2)[classes]
    if len(labels) == 0:
        return uniform
    signed = held * (2 * labels - 1)[:, None]

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin, away = signed @ weights, weights - uniform
        value = np.logaddexp(0, -margin).sum() + 0.5 * away @ away
        return float(value), away - signed.T @ expit(-margin)

    found = minimize(loss, uniform, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(uniform))
    return np.asarray(found.x, dtype=np.float64)


def _held(values: Floats, classes: Integers) -> Floats:
    """Return (rows, rules): whether each rule holds, with the sign of its class."""
    return np.nan_to_num(values, nan=0.0).T * (2 * classes - 1)
