"""The engine that runs a model with vLLM in this process: thousands of prompts at a time.

vLLM schedules the prompts of a batch itself and keeps the keys and values of what they begin with
(prefix caching). Labels are scored by ``logprob_token_ids``: the log-probabilities of exactly the
tokens named, before any penalty or temperature. A list of the likeliest tokens may lack a label,
and log-probabilities of a prompt's own tokens make vLLM compute the whole prompt without its cache.
"""

import itertools
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from tabbench.config.model_entry import Model
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import (
    OWN_TOKENS,
    Answer,
    Batch,
    Description,
    Generation,
    LabelScore,
    Mode,
    Request,
    Setting,
    Text,
    TextOutcome,
    TextRequest,
    Usage,
)
from tabbench.inference.engines.decoding import LabelPairs, Stream
from tabbench.inference.engines.lengths import check_prompt, misfit_of_text, room
from tabbench.inference.engines.own_files import read_renderer
from tabbench.inference.engines.rendering import Style
from tabbench.inference.engines.scoring import Row, prompt_rows

BATCH = 2048
"""Most requests of a batch, after which its answers are written to the log."""


@dataclass(frozen=True)
class _Load:
    """Rows of one mode that one call of vLLM answers."""

    mode: Mode
    rows: list[Row]


class VLLMEngine:
    """See the module and `tabbench.inference.engines.base.Engine`.

    Parameters
    ----------
    source
        Folder, or name on the hub (then with ``revision``).
    style
        Prompt style: ``completion`` or ``chat``.
    dtype
        Number format of the weights.
    gpus
        Over how many GPUs the weights are spread; 0 and 1 are one device.
    template_args, system_role
        See `tabbench.inference.engines.rendering.Renderer`.
    max_new_tokens, stop
        Where greedy generation ends, besides the model's own end tokens.
    context_length
        Most tokens of a prompt and its answer; the model's own limit if None.
    batch
        Most requests of a batch.
    eager
        Run the model without compiling it: it loads faster and answers more slowly.

    Raises
    ------
    TabBenchError
        When vLLM is not installed, or does not load the model.

    Notes
    -----
    ``seconds`` of an answer is the wall-clock time of its batch divided by the batch's requests.
    A batch holds one mode and one kind of prompt and begins with an empty prefix cache: times of
    the modes can be compared (research question 7), none is averaged over formats, and numbers do
    not depend on what ran before. Scheduling depends on the batch alone too, as vLLM runs in this
    process and not in a second one.
    """

    whole_groups = True

    def __init__(
        self,
        source: str | Path,
        *,
        revision: str | None = None,
        style: Style,
        dtype: str = "bfloat16",
        gpus: int = 1,
        template_args: Mapping[str, object] | None = None,
        system_role: bool = True,
        max_new_tokens: int = 8,
        stop: Sequence[str] = (),
        context_length: int | None = None,
        batch: int = BATCH,
        eager: bool = False,
    ) -> None:
        # Read by vLLM when it is imported.
        os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        try:
            import vllm
        except ImportError as error:
            raise TabBenchError(
                f"engine 'vllm': vLLM is not installed here ({error}); run with --use-conda, which "
                "makes envs/vllm.yaml, or put 'engine: transformers' into the model's entry"
            ) from error
        how = (style, template_args, system_role)
        self._renderer = read_renderer(source, *how, revision=revision)
        self._tokenizer = self._renderer.tokenizer
        try:
            self.llm = vllm.LLM(
                model=str(source),
                revision=revision,
                tokenizer_revision=revision,
                dtype=dtype,
                max_model_len=context_length,
                tensor_parallel_size=max(1, gpus),
                enable_prefix_caching=True,
                enforce_eager=eager,
                seed=0,
                disable_log_stats=False,  # its counters are read
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise TabBenchError(
                f"{source}: the model cannot be loaded by vLLM ({error})"
            ) from error
        self._params: Any = vllm.SamplingParams
        self._limit: int = self.llm.model_config.max_model_len
        self._max_new_tokens, self._stop, self._batch = max_new_tokens, tuple(stop), batch
        self._pairs = LabelPairs(self._tokenizer)
        self._label_ids = self._pairs.tokens()
        self._description = Description("vllm", style, dtype, self._renderer.template)
        self.usage = Usage()

    @property
    def description(self) -> Description:
        return self._description

    def batches(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Batch whole groups (equal prefix) of a kind, as many as a batch holds, one mode each.

        See `tabbench.inference.engines.base.Engine.batches`.
        """

        def group_of(index: int) -> tuple[str, str]:
            prompt = requests[index].prompt
            return prompt.system, prompt.prefix

        kinds = itertools.groupby(range(len(requests)), lambda index: requests[index].kind)
        for _, alike in kinds:
            groups = [list(group) for _, group in itertools.groupby(alike, group_of)]
            for chunk in _chunks(groups, self._batch):
                yield from self._loads(requests, chunk)

    def _loads(self, requests: Sequence[Request], chunk: Sequence[int]) -> Iterator[Batch]:
        """Part the requests of a chunk by mode; a group that is too large fills several batches."""
        by_mode: dict[Mode, list[int]] = {}
        for index in chunk:
            by_mode.setdefault(requests[index].mode, []).append(index)
        for mode, members in by_mode.items():
            for start in range(0, len(members), self._batch):
                chosen = members[start : start + self._batch]
                prompts = [requests[index].prompt for index in chosen]
                yield Batch(tuple(chosen), _Load(mode, prompt_rows(self._renderer, mode, prompts)))

    def answer(self, batch: Batch) -> list[dict[int, Answer]]:
        """Answer the requests of a batch, all at once.

        Raises
        ------
        TabBenchError
            When a prompt, with what is generated, is longer than the context (before anything is
            computed), or when the model thinks although it must not.
        """
        load: _Load = batch.payload
        forward = load.mode == "forward"
        to_generate = room(load.mode, self._max_new_tokens)
        for index, row in zip(batch.indices, load.rows, strict=True):
            check_prompt(index, row.length, to_generate, self._limit)
        self.llm.reset_prefix_cache()
        start = time.perf_counter()
        answers = self._score(load.rows) if forward else self._generate(load.rows)
        seconds = (time.perf_counter() - start) / len(load.rows)
        self.usage.count(answers)
        timed = (replace(answer, seconds=seconds) for answer in answers)
        return [dict(zip(batch.indices, timed, strict=True))]

    def _score(self, rows: Sequence[Row]) -> list[Answer]:
        """Ask for one token after each context in which a token of a label is predicted."""
        steps = [(place, *step) for place, row in enumerate(rows) for step in _steps(row)]
        outputs = self._ask(
            [rows[place].tokens + list(further) for place, further, _ in steps],
            [self._greedy(1, logprob_token_ids=ids) for *_, ids in steps],
        )
        self._renderer.refuse_thoughts([self._text(output.token_ids[:1]) for output in outputs])
        found = {
            (place, further): output.logprobs[0]
            for (place, further, _), output in zip(steps, outputs, strict=True)
        }

        def logp(place: int, label: list[int]) -> float:
            return sum(
                float(found[place, tuple(label[:at])][token].logprob)
                for at, token in enumerate(label)
            )

        answers: list[Answer] = []
        for place, row in enumerate(rows):
            logp_0, logp_1 = (logp(place, label) for label in row.labels)
            answers.append(LabelScore(logp_0, logp_1, len(row.tokens), 0.0))
        return answers

    def _generate(self, rows: Sequence[Row]) -> list[Answer]:
        params = self._greedy(
            self._max_new_tokens, stop=list(self._stop), logprob_token_ids=self._label_ids
        )
        outputs = self._ask([row.tokens for row in rows], [params] * len(rows))
        streams = [self._stream(output, self._stop) for output in outputs]
        if self._renderer.thinking_off:
            self._renderer.refuse_thoughts([stream.text for stream in streams])
        return [
            Generation(stream.text, stream.label_logps, len(row.tokens), len(stream.tokens), 0.0)
            for row, stream in zip(rows, streams, strict=True)
        ]

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, TextOutcome]]:
        """Write texts, as many at a time as a batch holds; those that do not fit fail first.

        Raises
        ------
        TabBenchError
            When the model has no chat template; before anything is computed.
        """
        whole = [self._renderer.dialogue_tokens(request) for request in requests]
        failed: dict[int, TextOutcome] = {
            index: failure
            for index, (request, tokens) in enumerate(zip(requests, whole, strict=True))
            if (failure := misfit_of_text(request, tokens, self._limit))
        }
        if failed:
            yield failed
        fitting = [index for index in range(len(requests)) if index not in failed]
        for first in range(0, len(fitting), self._batch):
            chosen = fitting[first : first + self._batch]
            start = time.perf_counter()
            outputs = self._ask(
                [whole[index] for index in chosen],
                [self._decoding(requests[index], len(whole[index])) for index in chosen],
            )
            seconds = (time.perf_counter() - start) / len(chosen)
            texts: dict[int, Text] = {}
            for index, output in zip(chosen, outputs, strict=True):
                decoding = requests[index].decoding
                stream = self._stream(output, decoding.stop if decoding else ())
                sizes = len(whole[index]), len(stream.tokens)
                texts[index] = Text(stream.text, *sizes, seconds, output.finish_reason == "stop")
            self.usage.count(texts.values())
            yield {**texts}

    def _ask(self, prompts: Sequence[list[int]], params: Sequence[Any]) -> list[Any]:
        """Complete prompts with vLLM; texts in the prompts' order."""
        tokens = [{"prompt_token_ids": prompt} for prompt in prompts]
        done = self.llm.generate(tokens, list(params), use_tqdm=False)
        return [request.outputs[0] for request in done]

    def _greedy(self, max_tokens: int, **fields: Any) -> Any:
        return self._params(temperature=0.0, max_tokens=max_tokens, **fields)

    def _decoding(self, request: TextRequest, length: int) -> Any:
        """How vLLM decodes a text; None leaves it to the model's own defaults."""
        decoding = request.decoding
        if decoding is None:
            params = self.llm.get_default_sampling_params()
            params.max_tokens, params.seed = min(OWN_TOKENS, self._limit - length), request.seed
            return params
        return self._params(
            max_tokens=decoding.max_new_tokens,
            temperature=decoding.temperature,
            top_p=decoding.top_p,
            repetition_penalty=decoding.repetition_penalty,
            stop=list(decoding.stop),
            seed=request.seed,
        )

    def _stream(self, output: Any, stop: Sequence[str]) -> Stream:
        """A text as the other engine in process makes it of the same tokens."""
        tokens = list(output.token_ids)
        # An end token is the last one; a stop string is named.
        ended = output.finish_reason == "stop" and not isinstance(output.stop_reason, str)
        stream = Stream(self._tokenizer, self._pairs, tokens[-1:] if ended else (), stop)
        for place, token in enumerate(tokens):
            listed = output.logprobs[place] if output.logprobs else None
            logps = listed and {one: float(found.logprob) for one, found in listed.items()}
            stream.add(token, logps)
        return stream

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens)))


def _chunks(groups: Sequence[list[int]], most: int) -> Iterator[list[int]]:
    """Join consecutive groups while they are together at most so long.

    From the first: what follows a chunk is cut as if the chunk were not there.
    """
    chunk: list[int] = []
    for group in groups:
        if chunk and len(chunk) + len(group) > most:
            yield chunk
            chunk = []
        chunk = chunk + group
    if chunk:
        yield chunk


def _steps(row: Row) -> list[tuple[tuple[int, ...], list[int]]]:
    """What is to follow a row's prompt, and the tokens whose probability is read there.

    >>> _steps(Row([5, 6], ([7], [8])))
    [((), [7, 8])]
    >>> _steps(Row([5, 6], ([7], [8, 9])))
    [((), [7, 8]), ((8,), [9])]
    """
    steps: dict[tuple[int, ...], list[int]] = {}
    for label in row.labels:
        for at, token in enumerate(label):
            steps.setdefault(tuple(label[:at]), []).append(token)
    return [(further, sorted(set(tokens))) for further, tokens in steps.items()]


def load(model: Model, setting: Setting) -> VLLMEngine:
    """Load a model of the registry; see `tabbench.inference.models.load_engine`."""
    return VLLMEngine(
        setting.weights or model.weights["hub"],
        revision=None if setting.weights else model.weights["revision"],
        style=cast(Style, model.style),
        dtype=model.dtype,
        gpus=setting.gpus,
        template_args=model.template_args,
        system_role=model.system_role,
        max_new_tokens=model.max_new_tokens,
        stop=model.stop,
        context_length=model.context_length,
    )
