"""Numbers of tokens of prompts, by the model's own tokenizer or else estimated.

Only tokenizers that are on this machine are used; weights are never loaded.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from tabbench.inference.engines.base import Prompt, TextRequest

CHARACTERS_PER_TOKEN = 2.2
"""For models whose tokenizer is not on this machine. Rows of tables are mostly digits and
punctuation, which make more tokens than prose: 2.2 was measured with SmolLM2 on the prompts of the
default."""


_END = 16  # characters


class TokenCounter(Protocol):
    """Counts tokens of one model's prompts; ``exact`` says whether by its own tokenizer."""

    exact: bool

    def count(self, prompts: Sequence[Prompt]) -> tuple[list[int], int]:
        """Tokens of each prompt, and of the beginning that all share.

        Parameters
        ----------
        prompts : at least one, all with the same ``system`` and ``prefix``
        """
        ...

    def count_text(self, request: TextRequest) -> int:
        """Tokens of the prompt of a free text."""
        ...


class Rendering(Protocol):
    """What is needed of `tabbench.inference.engines.rendering.Renderer`."""

    def text(self, prompt: Prompt) -> str: ...

    def tokens(self, texts: Sequence[str]) -> list[list[int]]: ...

    def dialogue_tokens(self, request: TextRequest) -> list[int]: ...


class EstimatedTokens:
    """Characters by `CHARACTERS_PER_TOKEN`, rounded up."""

    exact = False

    def count(self, prompts: Sequence[Prompt]) -> tuple[list[int], int]:
        shared = len(prompts[0].system) + len(prompts[0].prefix)
        counts = [_tokens(shared + len(prompt.query)) for prompt in prompts]
        return counts, _tokens(shared)

    def count_text(self, request: TextRequest) -> int:
        return _tokens(sum(len(message.content) for message in request.messages))


def _tokens(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)


class TokenizerTokens:
    """Tokens of a renderer.

    A group's shared text is tokenized once, and a row behind the end of it once for all groups
    whose shared text ends alike. That is exact where no token reaches further back than that end;
    the first and the last prompt of every group are tokenized whole to see it, and all of them
    where it is not so, or where a chat template changes what it is given.
    """

    exact = True

    def __init__(self, renderer: Rendering) -> None:
        self._renderer = renderer
        self._known: dict[tuple[str, str], int] = {}

    def count(self, prompts: Sequence[Prompt]) -> tuple[list[int], int]:
        first, last = (self._renderer.text(prompts[place]) for place in (0, -1))
        found = first.find(prompts[0].prefix)
        head = first[: found + len(prompts[0].prefix)] if found >= 0 else first
        shared, *whole = self._lengths([head, first, last])
        rows = self._rows(prompts, head)
        if rows and last == head + rows[-1]:
            counts = [shared + more for more in self._behind(head[-_END:], rows)]
            if whole == [counts[0], counts[-1]]:
                return counts, shared
        return self._lengths([self._renderer.text(prompt) for prompt in prompts]), shared

    def count_text(self, request: TextRequest) -> int:
        return len(self._renderer.dialogue_tokens(request))

    def _rows(self, prompts: Sequence[Prompt], head: str) -> list[str]:
        """The part of each prompt after the shared text; empty where it cannot be separated."""
        if not prompts[0].prefix.strip():
            return []
        bare, spaced = (
            self._renderer.text(replace(prompts[0], query=query)).removeprefix(head)
            for query in ("x", "x ")
        )
        if not bare.startswith("x"):
            return []
        closing = bare.removeprefix("x")
        if spaced == bare:
            return [prompt.query.rstrip() + closing for prompt in prompts]
        return [prompt.query + closing for prompt in prompts]

    def _behind(self, end: str, rows: Sequence[str]) -> list[int]:
        """Tokens that each row adds behind a text that ends with ``end``."""
        new = list({row: None for row in rows if (end, row) not in self._known})
        if new:
            alone, *together = self._lengths([end, *(end + row for row in new)])
            for row, length in zip(new, together, strict=True):
                self._known[end, row] = length - alone
        return [self._known[end, row] for row in rows]

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        return [len(tokens) for tokens in self._renderer.tokens(texts)]
