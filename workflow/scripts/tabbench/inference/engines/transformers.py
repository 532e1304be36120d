"""The engine that runs a model of transformers in this process: shared prefixes, packed rows.

Requests with one system text and one prefix form a group. The tokens that all prompts of a
group begin with are computed once and their keys and values kept; the rows follow in packs, one
forward pass each. Label probabilities equal those of one plain forward pass per prompt within
1e-4 in float32, greedy texts those of ``model.generate`` with penalties off (tested).
"""

import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch
import transformers
from torch import Tensor

from tabbench.config.model_entry import Model
from tabbench.inference.engines.attention import KeyValues
from tabbench.inference.engines.base import (
    Answer,
    Batch,
    Description,
    Generation,
    LabelScore,
    Mode,
    Prompt,
    Request,
    Setting,
    Text,
    TextOutcome,
    TextRequest,
    Usage,
)
from tabbench.inference.engines.decoding import LabelPairs, Stream
from tabbench.inference.engines.lengths import check_prompt, room
from tabbench.inference.engines.own_files import read_renderer
from tabbench.inference.engines.packed_model import PackedModel, load_model
from tabbench.inference.engines.packing import cut, shared_length
from tabbench.inference.engines.precision import compare_with_float32
from tabbench.inference.engines.rendering import Style
from tabbench.inference.engines.scoring import Row, label_logps, plan, prompt_rows, sequences
from tabbench.inference.engines.writing import Growing, Writer, continue_greedily

# Tokens of a pack, measured with benchmarks/prefix_sharing.py: a generated token reads all weights
# once per pack.
PACK_TOKENS = 4096


@dataclass
class _Asked:
    """One prompt: its row of each mode, and the requests that it answers."""

    rows: dict[Mode, Row]
    requests: dict[Mode, list[int]]


@dataclass(frozen=True)
class _Pack:
    """Prompts behind one prefix; ``group`` counts the group's requests of each mode."""

    prefix: list[int]
    prompts: list[_Asked]
    group: Mapping[Mode, int]


class TransformersEngine:
    """See the module and `tabbench.inference.engines.base.Engine`.

    Parameters
    ----------
    source
        Folder, or name on the hub (then with ``revision``).
    style
        Prompt style: ``completion`` or ``chat``.
    dtype
        Number format of the weights. On a CPU half precision is that of the linear layers'
        products alone, see `tabbench.inference.engines.processor.use_half_products`; the first
        pack's scores are then compared with float32, in a warning and in ``records``.
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
    records
        Folder for ``precision.csv``; nothing is recorded if None.

    Notes
    -----
    Prompts asked in both modes are run once: generation goes on from the pass that scores the
    labels. Equal prompts of a group are run once, too.

    ``seconds`` of an answer is what its mode would cost alone, so that modes and shots can be
    compared (research question 7): the wall-clock time of its pack's pass divided by the pack's
    rows, the time of what is generated divided by the rows that generate, and the time of the
    prefix divided by the group's requests of the same mode. A pass that serves both modes is
    charged to each, and a prompt that is asked several times to each of its requests. Loading
    the model and tokenization are not in them.
    """

    whole_groups = True
    span = 0

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
        records: Path | None = None,
    ) -> None:
        _silence()
        if threads is not None:
            torch.set_num_threads(threads)
            os.environ.setdefault("RAYON_NUM_THREADS", str(threads))  # the tokenizer's
        model = load_model(source, revision, dtype, device)
        how = (style, template_args, system_role)
        self._renderer = read_renderer(source, *how, revision=revision)
        self._tokenizer = self._renderer.tokenizer
        self._model = PackedModel(model)
        limits = [n for n in (context_length, self._model.context_length) if n is not None]
        self._limit = min(limits, default=None)
        self._max_new_tokens, self._stop, self._pack_tokens = max_new_tokens, stop, pack_tokens
        self._ends = _end_tokens(model, self._tokenizer)
        self._pairs = LabelPairs(self._tokenizer)
        self._description = Description("transformers", style, dtype, self._renderer.template)
        self._records = records
        # Gives the model in float32, until the scores in half precision are compared with it.
        self._exact: Callable[[], PackedModel] | None = None
        if device == "cpu" and dtype != "float32":
            self._exact = lambda: PackedModel(load_model(source, revision, "float32", device))
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
        by_mode: dict[Mode, dict[Prompt, list[int]]] = {}
        for index in indices:
            of_mode = by_mode.setdefault(requests[index].mode, {})
            of_mode.setdefault(requests[index].prompt, []).append(index)
        prompts: dict[Prompt, _Asked] = {}
        for mode, members in by_mode.items():
            rows = prompt_rows(self._renderer, mode, list(members))
            for (prompt, places), row in zip(members.items(), rows, strict=True):
                one = prompts.setdefault(prompt, _Asked({}, {}))
                one.rows[mode], one.requests[mode] = row, places
        planned = list(prompts.values())
        whole = [row.tokens for one in planned for row in one.rows.values()]
        shared = shared_length(whole)
        prefix = whole[0][:shared]
        group = {mode: sum(map(len, members.values())) for mode, members in by_mode.items()}
        sizes = [
            sum(len(tokens) - shared for tokens in sequences(list(one.rows.values())))
            for one in planned
        ]
        for pack in cut(sizes, self._pack_tokens):
            chosen = [planned[place] for place in pack]
            asked = (index for one in chosen for part in one.requests.values() for index in part)
            yield Batch(tuple(sorted(asked)), _Pack(prefix, chosen, group))

    def answer(self, batch: Batch) -> list[dict[int, Answer]]:
        """Answer the requests of a pack, all at once.

        Raises
        ------
        TabBenchError
            When a prompt, with what is generated, is longer than the context; before anything
            is computed. When the model thinks although it must not.
        """
        pack: _Pack = batch.payload
        self._check_lengths(pack)
        prefix, prefix_seconds = self._prefix(pack.prefix)
        found = self._run(prefix, pack.prompts)
        self._check_precision(pack, found)
        answers = {
            index: replace(answer, seconds=answer.seconds + prefix_seconds / pack.group[mode])
            for asked, of_prompt in zip(pack.prompts, found, strict=True)
            for mode, answer in of_prompt.items()
            for index in asked.requests[mode]
        }
        self.usage.count(answers.values())
        return [answers]

    def _check_lengths(self, pack: _Pack) -> None:
        for asked in pack.prompts:
            for mode, row in asked.rows.items():
                to_generate = room(mode, self._max_new_tokens)
                check_prompt(asked.requests[mode][0], row.length, to_generate, self._limit)

    def _check_precision(self, pack: _Pack, found: Sequence[Mapping[Mode, Answer]]) -> None:
        """Compare the first pack of scores in half precision with float32, and say what differs."""
        scores = [one["forward"] for one in found if "forward" in one]
        if self._exact is None or not scores:
            return
        rows = [asked.rows["forward"] for asked in pack.prompts if "forward" in asked.rows]
        load, self._exact = self._exact, None
        scored = cast(list[LabelScore], scores)
        difference = compare_with_float32(load, self._description.dtype, pack.prefix, rows, scored)
        print(f"WARNING: {difference}", flush=True)
        if self._records is not None:
            difference.append(self._records / "precision.csv")

    def _prefix(self, tokens: list[int]) -> tuple[KeyValues, float]:
        if self._kept is None or self._kept[0] != tokens:
            self._kept = None  # free the memory first
            start = time.perf_counter()
            computed = self._model.prefix(tokens)
            self._kept = tokens, computed, time.perf_counter() - start
        return self._kept[1:]

    def _run(self, prefix: KeyValues, prompts: Sequence[_Asked]) -> list[dict[Mode, Answer]]:
        """Answer prompts behind a prefix: one pass for both modes, then what is generated.

        ``seconds`` are those of the row in its mode, the prefix apart.
        """
        start = time.perf_counter()
        runs, readings = plan([asked.rows for asked in prompts], prefix.length)
        generates = any("generation" in asked.rows for asked in prompts)
        longest = max(map(len, runs)) + self._max_new_tokens
        keep = KeyValues(len(runs), longest) if generates else None
        places = sorted({at for found in readings for one in found.values() for at in one.places})
        logits = self._model.rows(prefix, runs, places, keep)
        at = {place: index for index, place in enumerate(places)}
        logps = logits.log_softmax(-1)
        each = (time.perf_counter() - start) / len(runs)

        answers: list[dict[Mode, Answer]] = [{} for _ in prompts]
        for asked, found, answer in zip(prompts, readings, answers, strict=True):
            if reading := found.get("forward"):
                zero, one = label_logps(reading, logps, at)
                tokens, seconds = asked.rows["forward"].tokens, each * len(reading.sequences)
                answer["forward"] = LabelScore(zero, one, len(tokens), seconds)
        if keep is not None:
            chosen = [number for number, found in enumerate(readings) if "generation" in found]
            rows = [prompts[number].rows["generation"] for number in chosen]
            ends = [readings[number]["generation"] for number in chosen]
            after = logits[[at[end.last] for end in ends]]
            held = [end.sequences[0] for end in ends]
            written = self._generate(prefix, keep, rows, held, after)
            for number, text in zip(chosen, written, strict=True):
                answers[number]["generation"] = replace(text, seconds=each + text.seconds)
        return answers

    def _generate(
        self,
        prefix: KeyValues,
        keep: KeyValues,
        rows: Sequence[Row],
        held: Sequence[int],
        logits: Tensor,
    ) -> list[Generation]:
        """Continue rows that ``keep`` holds; ``seconds`` are those of the new tokens."""
        start = time.perf_counter()
        streams = [self._new_stream(self._stop) for _ in rows]
        growing = [
            Growing(stream, number, len(row.tokens) - prefix.length)
            for stream, number, row in zip(streams, held, rows, strict=True)
        ]
        continue_greedily(self._model, prefix, keep, growing, logits, self._max_new_tokens)
        if self._renderer.thinking_off:
            self._renderer.refuse_thoughts([stream.text for stream in streams])
        seconds = (time.perf_counter() - start) / len(rows)
        return [
            Generation(
                stream.text, stream.label_logps, len(row.tokens), len(stream.tokens), seconds
            )
            for row, stream in zip(rows, streams, strict=True)
        ]

    def _new_stream(self, stop: Sequence[str]) -> Stream:
        return Stream(self._tokenizer, self._pairs, self._ends, stop)

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, TextOutcome]]:
        """Write texts; see `tabbench.inference.engines.writing.Writer.write`."""
        for outcomes in self._writer.write(requests):
            self.usage.count(one for one in outcomes.values() if isinstance(one, Text))
            yield outcomes


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
        records=setting.records,
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
