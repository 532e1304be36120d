"""Control tokens: those that a chat template writes, and text of cells that is spelled like one.

A tokenizer makes a control token of ``<|im_end|>`` wherever it stands. In a prompt it may only do
so where the template wrote it. `guard` marks the text of cells; `encode` reads it as plain text.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from tabbench.core.errors import TabBenchError

# Noncharacters of Unicode: no text that is meant to be read holds them.
_PLAIN, _REAL = "\ufdd0", "\ufdd1"

# Not every added token is a control token: some tokenizers add spaces or tags of HTML.
_SPELLED = re.compile(
    r"<\|.+\|>|</?(?:think|tool_\w+)>|<(?:start|end)_of_\w+>|\[/?[A-Z_]{2,}\]|◁.+▷"
)

Encode = Callable[[Sequence[str], bool], list[list[int]]]


class ControlTokens:
    """The control tokens of one tokenizer.

    Parameters
    ----------
    tokenizer
        A fast tokenizer of transformers.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._ids = {
            token.content: number
            for number, token in tokenizer.added_tokens_decoder.items()
            if token.special or _SPELLED.fullmatch(token.content)
        }
        longest_first = sorted(self._ids, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def guard(self, text: str) -> str:
        """Mark the control tokens in the text of a cell, so that `encode` takes them as text."""
        return self._pattern.sub(lambda found: found[0][:1] + _PLAIN + found[0][1:], text)

    @staticmethod
    def unguarded(text: str) -> str:
        """The text as it was before `guard`."""
        return text.replace(_PLAIN, "")

    def encode(self, texts: Sequence[str], encode: Encode, add: bool) -> list[list[int]]:
        """Tokenize texts, marked ones by a tokenizer that knows control tokens by another name.

        Parameters
        ----------
        encode
            From texts to tokens by the tokenizer as it is.
        add
            Whether the tokenizer adds its own first and last tokens.

        Raises
        ------
        TabBenchError
            When the tokenizer's vocabulary itself makes a control token of a cell's text.
        """
        found = encode([self.unguarded(text) for text in texts], add)
        for place, text in enumerate(texts):
            if _PLAIN in text:
                found[place] = self._as_plain_text(text, add)
        return found

    def _as_plain_text(self, text: str, add: bool) -> list[int]:
        backend, old_ids = self._renamed
        named = self._pattern.sub(lambda one: _REAL + one[0], text)
        bare = self.unguarded(named)
        own = set(backend.encode(bare, add_special_tokens=False).ids) - set(old_ids)
        if own & set(self._ids.values()) or self._numbered_twice:
            cell = next(name for name in self._ids if self.guard(name) in text)
            raise TabBenchError(
                f"{self._tokenizer.name_or_path}: a cell holds {cell!r}, which is a control token "
                "of this model and cannot be written as text; replace it in the data"
            )
        tokens = backend.encode(bare, add_special_tokens=add).ids
        return [old_ids.get(token, token) for token in tokens]

    @cached_property
    def _renamed(self) -> tuple[Any, dict[int, int]]:
        """The tokenizer with other names of its control tokens, which are numbered anew.

        With it the ids of all added tokens, new to old.
        """
        backend = type(self._tokenizer.backend_tokenizer)
        content = json.loads(self._tokenizer.backend_tokenizer.to_str())
        for token in content["added_tokens"]:
            if token["content"] in self._ids:
                token["content"] = _REAL + token["content"]
        renamed = backend.from_str(json.dumps(content))
        return renamed, {
            renamed.token_to_id(token["content"]): token["id"] for token in content["added_tokens"]
        }

    @cached_property
    def _numbered_twice(self) -> bool:
        """Whether a new id is also one of the vocabulary, which then has gaps."""
        backend, old_ids = self._renamed
        return bool(set(backend.get_vocab(with_added_tokens=False).values()) & set(old_ids))
