"""Free texts of the transformers engine: greedy ones packed behind a shared beginning."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from tabbench.inference.engines.attention import KeyValues
from tabbench.inference.engines.base import (
    OWN_TOKENS,
    Decoding,
    Text,
    TextOutcome,
    TextRequest,
)
from tabbench.inference.engines.decoding import Stream
from tabbench.inference.engines.lengths import misfit_of_text
from tabbench.inference.engines.packed_model import PackedModel
from tabbench.inference.engines.packing import cut, shared_length
from tabbench.inference.engines.rendering import Renderer


@dataclass(frozen=True)
class Growing:
    """A stream, the kept row behind which it grows, and that row's tokens behind the prefix."""

    stream: Stream
    row: int
    length: int


def continue_greedily(
    model: PackedModel,
    prefix: KeyValues,
    keep: KeyValues,
    growing: Sequence[Growing],
    logits: Tensor,
    max_new_tokens: int,
) -> None:
    """Let streams grow behind rows that were run, all together, until each ends.

    Parameters
    ----------
    keep
        Keys and values of the rows, with room for the new tokens.
    logits
        After the last token of each: shape (streams, vocabulary).
    """
    active = list(growing)
    for step in range(1, max_new_tokens + 1):
        logps = logits.log_softmax(-1)
        chosen = logits.argmax(-1).tolist()
        for place, one in enumerate(active):
            one.stream.add(chosen[place], logps[place])
        active = [one for one in active if not one.stream.finished]
        if not active or step == max_new_tokens:
            break
        logits = model.step(
            prefix,
            keep,
            [one.row for one in active],
            [one.length + step - 1 for one in active],
            [one.stream.tokens[-1] for one in active],
        )


class Writer:
    """Writes texts with one model.

    Parameters
    ----------
    new_stream
        From stop strings to an empty answer.
    prefix
        From tokens to their keys and values, and the seconds that these took.
    limit
        Most tokens of a dialogue and its answer.
    pack_tokens
        Most tokens of a pack, the prefix not counted.
    """

    def __init__(
        self,
        model: PackedModel,
        renderer: Renderer,
        new_stream: Callable[[Sequence[str]], Stream],
        prefix: Callable[[list[int]], tuple[KeyValues, float]],
        *,
        limit: int | None,
        pack_tokens: int,
    ) -> None:
        self._model, self._renderer = model, renderer
        self._new_stream, self._prefix = new_stream, prefix
        self._limit, self._pack_tokens = limit, pack_tokens

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, TextOutcome]]:
        """Write texts: greedy ones in packs behind what their dialogues begin with, others alone.

        Dialogues that do not fit into the context with their answer fail first, and are in no pack.

        Raises
        ------
        TabBenchError
            When the model has no chat template.
        """
        rows = {
            index: self._renderer.dialogue_tokens(request) for index, request in enumerate(requests)
        }
        by_decoding: dict[Decoding, list[int]] = {}
        for index, request in enumerate(requests):
            failure = misfit_of_text(request, rows[index], self._limit)
            if failure:
                yield {index: failure}
            elif request.decoding is not None and request.decoding.greedy:
                by_decoding.setdefault(request.decoding, []).append(index)
            else:
                yield {index: self._alone(rows[index], request)}
        for decoding, members in by_decoding.items():
            yield from self._packed({index: rows[index] for index in members}, decoding)

    def _packed(
        self, rows: Mapping[int, list[int]], decoding: Decoding
    ) -> Iterator[dict[int, TextOutcome]]:
        indices, shared = list(rows), shared_length(list(rows.values()))
        for pack in cut([len(tokens) - shared for tokens in rows.values()], self._pack_tokens):
            members = [indices[place] for place in pack]
            prefix, prefix_seconds = self._prefix(rows[members[0]][:shared])
            start = time.perf_counter()
            streams = [self._new_stream(decoding.stop) for _ in members]
            own = [rows[index][shared:] for index in members]
            keep = KeyValues(len(own), max(map(len, own)) + decoding.max_new_tokens)
            logits = self._model.rows(prefix, own, keep=keep)
            growing = [
                Growing(stream, row, len(tokens))
                for row, (stream, tokens) in enumerate(zip(streams, own, strict=True))
            ]
            continue_greedily(self._model, prefix, keep, growing, logits, decoding.max_new_tokens)
            seconds = (time.perf_counter() - start) / len(members) + prefix_seconds / len(rows)
            yield {
                index: Text(
                    stream.text, len(rows[index]), len(stream.tokens), seconds, stream.finished
                )
                for index, stream in zip(members, streams, strict=True)
            }

    def _alone(self, tokens: list[int], request: TextRequest) -> Text:
        """Decode one text by sampling, or with a penalty, which packs do not know."""
        decoding = request.decoding
        room = OWN_TOKENS if decoding is None else decoding.max_new_tokens
        if self._limit is not None:
            room = min(room, self._limit - len(tokens))
        stream = self._new_stream(() if decoding is None else decoding.stop)
        start = time.perf_counter()
        for token in self._model.sample(tokens, request.seed, room, decoding):
            if stream.finished:
                break
            stream.add(token)
        seconds = time.perf_counter() - start
        return Text(stream.text, len(tokens), len(stream.tokens), seconds, stream.finished)
