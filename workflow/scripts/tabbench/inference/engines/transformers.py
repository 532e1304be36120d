"""The engine that runs a model of transformers in this process: shared prefixes, packed rows.

Requests with one system text and one prefix form a group. The tokens that all prompts of a
group begin with are computed once and their keys and values kept; the rows follow in packs, one
forward pass each. Label probabilities equal those of one plain forward pass per prompt within
1e-4 in float32, greedy texts those of ``model.generate`` with penalties off (tested).
"""

import itertools
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch
import transformers

from tabbench.config.model_entry import Model
from tabbench.inference.engines.attention import KeyValues
from tabbench.inference.engines.base import (
    Answer,
    Batch,
    Description,
    Generation,
    LabelScore,
    Mode,
    Request,
    Setting,
    Text,
    TextRequest,
    Usage,
)
from tabbench.inference.engines.decoding import LabelPairs, Stream
from tabbench.inference.engines.lengths import check_prompt
from tabbench.inference.engines.packed_model import PackedModel, load_model
from tabbench.inference.engines.packing import cut, shared_length
from tabbench.inference.engines.rendering import Renderer, Style
from tabbench.inference.engines.scoring import Reading, Row, plan, prompt_rows
from tabbench.inference.engines.writing import Writer, continue_greedily

# Tokens of a pack; measured with benchmarks/prefix_sharing.py.
PACK_TOKENS = 1024


@dataclass(frozen=True)
class _Pack:
    """Rows of one mode behind one prefix; ``asked`` counts the group's requests of that mode."""

    mode: Mode
    prefix: list[int]
    rows: list[Row]
    asked: int


class TransformersEngine:
    """See the module and `tabbench.inference.engines.base.Engine`.

    Parameters
    ----------
    source
        Folder, or name on the hub (then with ``revision``).
    style
        Prompt style: ``completion`` or ``chat``.
    dtype
        Number format of the weights. On a CPU float32 is exact and fastest.
    device
        Device of torch: ``cpu``, ``cuda``.
    template_args, system_role
        See `tabbench.inference.engines.rendering.Renderer`.
    max_new_tokens, stop
        Where greedy generation ends, besides the model's own end tokens. The model's other
        decoding defaults (temperature, repetition penalty) do not apply.
    pack_tokens
        Most tokens of a pack, the prefix not counted.
    context_length
        Most tokens of a prompt and its answer; at most the model's own limit.
    threads
        Threads of torch and of the tokenizer in this process; as they are if None.

    Notes
    -----
    ``seconds`` of an answer is the wall-clock time of its pack divided by the pack's rows, plus
    the time of the prefix divided by the group's requests *of the same mode*. Where both modes
    are asked the prefix is computed once but charged to each, as if each ran alone, so that
    modes and shots can be compared (research question 7). Per mode and group, the seconds add
    up to the time of the model. Loading it and tokenization are not in them.
    """

    whole_groups = True

    def __init__(
        self,
        source: str | Path,
        *,
        revision: str | None = None,
        style: Style,
        dtype: str = "float32",
        device: str = "cpu",
        template_args: Mapping[str, object] | None = None,
        system_role: bool = True,
        max_new_tokens: int = 8,
        stop: Sequence[str] = (),
        pack_tokens: int = PACK_TOKENS,
        context_length: int | None = None,
        threads: int | None = None,
    ) -> None:
        _silence()
        if threads is not None:
            torch.set_num_threads(threads)
            os.environ.setdefault("RAYON_NUM_THREADS", str(threads))  # the tokenizer's
        model = load_model(source, revision, dtype, device)
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(source, revision=revision)
        self._renderer = Renderer(self._tokenizer, style, template_args, system_role)
        self._model = PackedModel(model)
        limits = [n for n in (context_length, self._model.context_length) if n is not None]
        self._limit = min(limits, default=None)
        self._max_new_tokens, self._stop, self._pack_tokens = max_new_tokens, stop, pack_tokens
        self._ends = _end_tokens(model, self._tokenizer)
        self._pairs = LabelPairs(self._tokenizer)
        self._description = Description("transformers", style, dtype, self._renderer.template)
        # The last prefix with its keys and values, and the seconds that they took.
        self._kept: tuple[list[int], KeyValues, float] | None = None
        self.usage = Usage()
        self._writer = Writer(
            self._model,
            self._renderer,
            self._new_stream,
            self._prefix,
            limit=self._limit,
            pack_tokens=pack_tokens,
        )

    @property
    def description(self) -> Description:
        return self._description

    def batches(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Cut requests into packs; see `tabbench.inference.engines.base.Engine.batches`."""

        def group_of(index: int) -> tuple[str, str]:
            prompt = requests[index].prompt
            return prompt.system, prompt.prefix

        for _, members in itertools.groupby(range(len(requests)), group_of):
            yield from self._group(requests, list(members))

    def _group(self, requests: Sequence[Request], indices: list[int]) -> Iterator[Batch]:
        by_mode: dict[Mode, list[int]] = {}
        for index in indices:
            by_mode.setdefault(requests[index].mode, []).append(index)
        rows: dict[int, Row] = {}
        for mode, members in by_mode.items():
            prompts = [requests[index].prompt for index in members]
            rows.update(zip(members, prompt_rows(self._renderer, mode, prompts), strict=True))
        whole = [row.tokens for row in rows.values()]
        shared = shared_length(whole)
        prefix = whole[0][:shared]
        for mode, members in by_mode.items():
            sizes = [rows[index].own(shared) for index in members]
            for pack in cut(sizes, self._pack_tokens):
                chosen = [members[place] for place in pack]
                payload = _Pack(mode, prefix, [rows[index] for index in chosen], len(members))
                yield Batch(tuple(chosen), payload)

    def answer(self, batch: Batch) -> list[dict[int, Answer]]:
        """Answer the requests of a pack, all at once.

        Raises
        ------
        TabBenchError
            When a prompt, with what is generated, is longer than the context; before anything
            is computed. When the model thinks although it must not.
        """
        pack: _Pack = batch.payload
        self._check_lengths(batch.indices, pack)
        prefix, prefix_seconds = self._prefix(pack.prefix)
        start = time.perf_counter()
        answers = (
            self._score(prefix, pack.rows)
            if pack.mode == "forward"
            else self._generate(prefix, pack.rows)
        )
        seconds = prefix_seconds / pack.asked + (time.perf_counter() - start) / len(pack.rows)
        self.usage.count(answers)
        timed = (replace(answer, seconds=seconds) for answer in answers)
        return [dict(zip(batch.indices, timed, strict=True))]

    def _check_lengths(self, indices: Sequence[int], pack: _Pack) -> None:
        room = self._max_new_tokens if pack.mode == "generation" else 0
        for index, row in zip(indices, pack.rows, strict=True):
            check_prompt(index, len(row.tokens), row.length, room, self._limit)

    def _prefix(self, tokens: list[int]) -> tuple[KeyValues, float]:
        if self._kept is None or self._kept[0] != tokens:
            self._kept = None  # free the memory first
            start = time.perf_counter()
            computed = self._model.prefix(tokens)
            self._kept = tokens, computed, time.perf_counter() - start
        return self._kept[1:]

    def _score(self, prefix: KeyValues, rows: Sequence[Row]) -> list[Answer]:
        sequences, readings = plan(rows, prefix.length)
        places = sorted({place for labels in readings for label in labels for place, _ in label})
        at = {place: index for index, place in enumerate(places)}
        logps = self._model.rows(prefix, sequences, places).log_softmax(-1)

        def logp(label: Reading) -> float:
            return sum(float(logps[at[place], token]) for place, token in label)

        return [
            LabelScore(logp(label_0), logp(label_1), len(row.tokens), 0.0)
            for row, (label_0, label_1) in zip(rows, readings, strict=True)
        ]

    def _generate(self, prefix: KeyValues, rows: Sequence[Row]) -> list[Answer]:
        streams = [self._new_stream(self._stop) for _ in rows]
        whole = [row.tokens for row in rows]
        continue_greedily(self._model, prefix, whole, streams, self._max_new_tokens)
        if self._renderer.thinking_off:
            self._renderer.refuse_thoughts([stream.text for stream in streams])
        return [
            Generation(stream.text, stream.label_logps, len(row.tokens), len(stream.tokens), 0.0)
            for row, stream in zip(rows, streams, strict=True)
        ]

    def _new_stream(self, stop: Sequence[str]) -> Stream:
        return Stream(self._tokenizer, self._pairs, self._ends, stop)

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, Text]]:
        """Write texts; see `tabbench.inference.engines.writing.Writer.write`."""
        for texts in self._writer.write(requests):
            self.usage.count(texts.values())
            yield texts


def load(model: Model, setting: Setting) -> TransformersEngine:
    """Load a model of the registry; see `tabbench.inference.models.load_engine`."""
    return TransformersEngine(
        setting.weights or model.weights["hub"],
        revision=None if setting.weights else model.weights["revision"],
        style=cast(Style, model.style),
        dtype=model.dtype,
        device="cuda" if torch.cuda.is_available() else "cpu",
        template_args=model.template_args,
        system_role=model.system_role,
        max_new_tokens=model.max_new_tokens,
        stop=model.stop,
        context_length=model.context_length,
        threads=setting.threads,
    )


def _silence() -> None:
    """Silence messages that users cannot act on."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def _end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Ids that end an answer: the model's (one or several), or else the tokenizer's."""
    ends = model.generation_config.eos_token_id
    if ends is None:
        ends = tokenizer.eos_token_id
    if ends is None:
        return frozenset()
    return frozenset([ends] if isinstance(ends, int) else ends)
