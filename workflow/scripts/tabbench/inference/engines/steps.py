"""The tokens of a reply with their log-probabilities, in either form that endpoints use."""

import math
import sys
from dataclasses import dataclass
from typing import Any

from tabbench.inference.engines.label_forms import clean


class ReplyError(Exception):
    """A reply that is no answer; ``kind`` is a word for counting."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


REST = "\ud800"
"""Stands for all other tokens where an endpoint lists none but the token that it chose. No token of
a reply is half a character, but one may have an empty text."""


@dataclass(frozen=True)
class Step:
    """One generated token: its bytes, its text, and the likeliest tokens at its place."""

    raw: bytes
    token: str
    listed: dict[str, float]


def read_steps(logprobs: Any) -> tuple[Step, ...] | None:
    """Steps in either form: a list ``content``, or the older parallel lists."""
    if logprobs is None:
        return None
    try:
        content = logprobs.get("content")
        if content is not None:
            return tuple(
                _step(one["token"], one["logprob"], one.get("top_logprobs"), one.get("bytes"))
                for one in content
            )
        if logprobs.get("tokens") is None:
            return None
        tokens, logps = logprobs["tokens"], logprobs["token_logprobs"]
        listed = logprobs.get("top_logprobs") or [None] * len(tokens)
        rows = zip(tokens, logps, listed, strict=True)
        return tuple(_step(token, logp, others, None) for token, logp, others in rows)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReplyError("bad_logprobs", f"log-probabilities in an unknown form ({error!r})") from (
            error
        )


def _step(token: str, logp: float | None, listed: Any, raw: Any) -> Step:
    pairs: list[tuple[Any, Any]] = []
    if isinstance(listed, list):
        pairs = [(one["token"], one["logprob"]) for one in listed]
    elif listed is not None:
        pairs = list(listed.items())
    likeliest: dict[str, float] = {}
    for name, value in [*pairs, (token, logp)]:
        if type(name) is not str:
            raise TypeError(f"a token is {name!r}")
        if value is None:  # this one alternative is not scored
            continue
        if type(value) not in (int, float) or value > 0.01:
            raise ValueError(f"{name!r}: {value!r}")
        # A whole number may be too long for a float.
        value = float(value) if value > -sys.float_info.max else -math.inf
        # Several tokens may have one text; the likeliest is meant.
        likeliest[name] = max(value, likeliest.get(name, value))
    found = clean(likeliest)
    if not pairs and token in found:
        # All others together have what is left, which bounds each of them.
        found[REST] = math.log(max(-math.expm1(found[token]), sys.float_info.min))
    whole = isinstance(raw, list) and all(type(one) is int and 0 <= one < 256 for one in raw)
    return Step(bytes(raw) if whole else token.encode(), token, found)
