"""Labels among the likeliest tokens of a position, for engines that see only these tokens."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tabbench.inference.engines.base import LABELS

FORMS = ("", " ", "\n")
"""Text that may precede a label within its token."""

UNLIKELY = -9999.0
"""What endpoints report for "very unlikely"; it is no probability."""


@dataclass(frozen=True)
class LabelPair:
    """Natural-log probabilities of "0" and "1" in one surface form.

    ``bounded`` names the labels that were not listed; theirs is the smallest listed one, which
    they cannot exceed.
    """

    logps: tuple[float, float]
    bounded: tuple[int, ...]


def clean(listed: Mapping[str, float]) -> dict[str, float]:
    """Drop values that are no log-probability: infinite, NaN, or a placeholder."""
    return {
        token: min(logp, 0.0)
        for token, logp in listed.items()
        if math.isfinite(logp) and logp > UNLIKELY
    }


def in_form(listed: Mapping[str, float], form: str) -> LabelPair:
    """The labels written as ``form + label``; ``listed`` must not be empty."""
    least = min(listed.values())
    tokens = [form + label for label in LABELS]
    zero, one = (listed.get(token, least) for token in tokens)
    missing = tuple(label for label, token in enumerate(tokens) if token not in listed)
    return LabelPair((zero, one), missing)


def label_pair(listed: Mapping[str, float]) -> LabelPair:
    """The labels at the answer's position, in the surface form with more probability.

    Both labels are read in one form, as "0" and " 1" are answers to different questions. Of
    forms with equal probability the first of `FORMS` counts.

    Parameters
    ----------
    listed : text of a token to its natural-log probability; not empty

    Examples
    --------
    >>> label_pair({"1": -0.1, "0": -2.5, " 1": -9.0})
    LabelPair(logps=(-2.5, -0.1), bounded=())
    >>> label_pair({" 1": -0.1, "yes": -4.0})
    LabelPair(logps=(-4.0, -0.1), bounded=(0,))
    """

    def mass(form: str) -> float:
        return sum(math.exp(listed.get(form + label, -math.inf)) for label in LABELS)

    return in_form(listed, max(FORMS, key=mass))


def lone_label(token: str) -> str | None:
    """The form of a token that is a lone label, else None.

    Examples
    --------
    >>> lone_label(" 1"), lone_label("10")
    (' ', None)
    """
    return token[:-1] if token.strip() in LABELS and token[-1:] in LABELS else None
