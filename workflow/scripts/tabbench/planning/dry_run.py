"""Free texts that a job would ask, found by running what asks them without its model.

What runs is the code of the job itself, so that prompts are those that it will send, to the letter.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tabbench.inference.context import Context
from tabbench.inference.engines.base import OWN_TOKENS, Text, TextOutcome, TextRequest
from tabbench.inference.engines.lengths import misfit, room_of_text
from tabbench.inference.responses import Identity, Response, read_responses, text_key

_MARK = "\ue000"  # of Unicode's private use: in no text
_UNWRITTEN = re.compile(f"{_MARK}\\d+ (\\d+){_MARK}")

SEAMS = 2
"""Tokens that a text may have more within a prompt, as its ends join what is around it."""


def unwritten(number: int, tokens: int) -> str:
    """Stand for a text that a model has yet to write.

    Parameters
    ----------
    number : makes prompts with it different
    tokens : the most that it may have
    """
    return f"{_MARK}{number} {tokens}{_MARK}"


class TextCounts(NamedTuple):
    """Distinct texts: all, answered, too long, to ask; ``written`` is the most of the answers.

    ``read`` are the tokens of all prompts, ``open_read`` of those to ask. A text that is part of a
    later prompt and is not written yet counts there with the most tokens that it may have, but not
    in ``open_known``.
    """

    prompts: int
    answered: int
    too_long: int
    open: int
    read: int
    open_read: int
    open_known: int
    written: int


class DryModel:
    """Stand for a model's `AskTexts`: answers what is in its log, and sends nothing.

    Parameters
    ----------
    log : the response log, which may not exist; None where answers are kept elsewhere
    """

    def __init__(self, identity: Identity, log: Path | None) -> None:
        self._identity = identity
        self._known: Mapping[str, Response] = {} if log is None else read_responses(log)
        self._requests: dict[str, TextRequest] = {}
        self._answered: set[str] = set()

    def __call__(self, requests: Sequence[TextRequest]) -> list[TextOutcome]:
        return [self._outcome(request) for request in requests]

    def _outcome(self, request: TextRequest) -> TextOutcome:
        key = text_key(self._identity, request)
        self._requests.setdefault(key, request)
        answer = self._known[key].answer if key in self._known else None
        if isinstance(answer, Text):
            self._answered.add(key)
            return answer
        return Text(unwritten(len(self._requests), most_written(request)), 0, 0, 0.0, True)

    def note(self, request: TextRequest, answered: bool) -> None:
        """Count a text whose answer is kept elsewhere than in a response log."""
        key = text_key(self._identity, request)
        self._requests.setdefault(key, request)
        if answered:
            self._answered.add(key)

    def count(self, context: Context) -> TextCounts:
        """Count what was asked so far."""
        known = {key: _known(request, context) for key, request in self._requests.items()}
        sizes = {key: known[key] + _pending(request) for key, request in self._requests.items()}
        missing = [key for key in sizes if key not in self._answered]
        long = {
            key
            for key in missing
            if misfit(known[key], room_of_text(self._requests[key]), context.limit)
        }
        # Where tokens are estimated it is the endpoint that decides.
        asked = [key for key in missing if not (context.counter.exact and key in long)]
        return TextCounts(
            len(sizes),
            len(self._answered),
            len(long),
            len(asked),
            sum(sizes.values()),
            sum(sizes[key] for key in asked),
            sum(known[key] for key in asked),
            sum(most_written(self._requests[key]) for key in asked),
        )


def most_written(request: TextRequest) -> int:
    """Most tokens of the answer."""
    return OWN_TOKENS if request.decoding is None else request.decoding.max_new_tokens


def _pending(request: TextRequest) -> int:
    """Most tokens of the unwritten texts in the prompt."""
    return sum(
        int(tokens) + SEAMS
        for one in request.messages
        for tokens in _UNWRITTEN.findall(one.content)
    )


def _known(request: TextRequest, context: Context) -> int:
    """Tokens of the prompt without them."""
    messages = (replace(one, content=_UNWRITTEN.sub("", one.content)) for one in request.messages)
    return context.counter.count_text(replace(request, messages=tuple(messages)))
