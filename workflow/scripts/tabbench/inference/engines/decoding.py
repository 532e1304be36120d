"""One growing answer: when it ends, what its text is, which of its tokens are labels."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from torch import Tensor

from tabbench.inference.engines.base import LABELS


class LabelPairs:
    """Finds tokens that are a lone label, and the same surface form of the other label."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[int, tuple[int, int] | None] = {}

    def of(self, token: int) -> tuple[int, int] | None:
        """Return the tokens of "0" and "1" in the form of ``token``; None if it is no label."""
        if token not in self._known:
            self._known[token] = self._find(token)
        return self._known[token]

    def tokens(self) -> list[int]:
        """All tokens of such pairs."""
        vocabulary: dict[str, int] = self._tokenizer.get_vocab()
        surfaces = (surface for surface in vocabulary if any(label in surface for label in LABELS))
        pairs = (self.of(vocabulary[surface]) for surface in surfaces)
        return sorted({token for pair in pairs if pair for token in pair})

    def _find(self, token: int) -> tuple[int, int] | None:
        label = self._tokenizer.decode([token]).strip()
        if label not in LABELS:
            return None
        other = LABELS[1 - LABELS.index(label)]
        surface = self._tokenizer.convert_ids_to_tokens(token)
        if surface.count(label) != 1:
            return None
        counterpart = self._tokenizer.convert_tokens_to_ids(surface.replace(label, other))
        if counterpart is None or self._tokenizer.decode([counterpart]).strip() != other:
            return None
        return (token, counterpart) if label == LABELS[0] else (counterpart, token)


class Stream:
    """The tokens that a model adds to one prompt.

    Parameters
    ----------
    ends
        Token ids that end an answer.
    stop
        Strings that end an answer; the text is cut before the first of them.
    """

    def __init__(
        self, tokenizer: Any, pairs: LabelPairs, ends: Collection[int], stop: Sequence[str]
    ) -> None:
        self._tokenizer, self._pairs, self._ends, self._stop = tokenizer, pairs, ends, stop
        self.tokens: list[int] = []
        self.text = ""
        self.finished = False
        self.label_logps: dict[int, tuple[float, float]] = {}

    def add(self, token: int, logps: Tensor | Mapping[int, float] | None = None) -> None:
        """Append a token.

        Parameters
        ----------
        logps
            Natural-log probabilities at this step, of all tokens (shape (vocabulary,)) or at
            least of the lone labels; without them no label's are kept.
        """
        self.tokens.append(token)
        if token in self._ends:
            self.finished = True
            return
        text = self._tokenizer.decode(
            self.tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        pair = None if logps is None else self._pairs.of(token)
        if logps is not None and pair is not None:
            digit = LABELS[pair.index(token)]
            self.label_logps[text.rindex(digit)] = (float(logps[pair[0]]), float(logps[pair[1]]))
        found = [at for at in map(text.find, self._stop) if at >= 0]
        if found:
            self.finished = True
            text = text[: min(found)]
            self.label_logps = {at: pair for at, pair in self.label_logps.items() if at < len(text)}
        self.text = text
