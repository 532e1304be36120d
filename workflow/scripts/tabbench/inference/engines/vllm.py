"""The engine that runs a model with vLLM in this process: thousands of prompts at a time.

vLLM schedules the prompts of a batch itself and keeps the keys and values of what they begin with
(prefix caching). Labels are scored by ``logprob_token_ids``: the log-probabilities of exactly the
tokens named, before any penalty or temperature. A list of the likeliest tokens may lack a label,
and log-probabilities of a prompt's own tokens make vLLM compute the whole prompt without its cache.
"""

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    Outcome,
    Prompt,
    Request,
    Setting,
    Text,
    TextOutcome,
    TextRequest,
    Usage,
)
from tabbench.inference.engines.decoding import LabelPairs, Stream
from tabbench.inference.engines.lengths import misfit, misfit_of_text, room
from tabbench.inference.engines.own_files import read_renderer
from tabbench.inference.engines.rendering import Style
from tabbench.inference.engines.scoring import Row, prompt_rows
from tabbench.inference.engines.vllm_queue import IN_FLIGHT, Given, Job, from_time_to_time, run

SPAN = 32_768
"""Requests that are given to vLLM as one queue, of several datasets where each has few."""

EVERY = 2.0
"""Seconds after which finished answers are handed on."""

_TOKENIZED = 256
"""Prompts that are tokenized at a time."""

_ENOUGH = 64
"""Answers of which most may be thoughts before the model is taken to think."""


@dataclass(frozen=True)
class _Load:
    """Prompts of one mode, in the order in which vLLM is given them."""

    mode: Mode
    prompts: list[Prompt]


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
    in_flight
        Most prompts that vLLM holds at a time.
    every
        Seconds after which finished answers are handed on.
    eager
        Run the model without compiling it: it loads faster and answers more slowly.

    Raises
    ------
    TabBenchError
        When vLLM is not installed, or does not load the model.

    Notes
    -----
    A batch is one queue, which vLLM keeps full: of all requests of one mode and one kind of prompt,
    those of equal prefix next to each other, so that the prefix is computed once however many they
    are. It begins with an empty prefix cache: times of the modes can be compared (research question
    7), none is averaged over formats.

    ``seconds`` of an answer: the wall-clock time of each step of vLLM is shared by the answers that
    got a token in it, so that the sum over a batch is the time that it took. A free text has its
    share of the time since others ended before it.

    What vLLM computes together depends on what is there: numbers of a resumed run, which sends only
    what is missing, differ by rounding, unless VLLM_BATCH_INVARIANT=1 is set on a GPU that allows
    it. vLLM runs in this process and not in a second one.
    """

    span = SPAN
    whole_groups = False

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
        in_flight: int = IN_FLIGHT,
        every: float = EVERY,
        eager: bool = False,
    ) -> None:
        # Read by vLLM when it is imported.
        os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        try:
            import vllm
            from vllm.sampling_params import RequestOutputKind
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
        self._whole = RequestOutputKind.FINAL_ONLY
        self._limit: int = self.llm.model_config.max_model_len
        self._max_new_tokens, self._stop = max_new_tokens, tuple(stop)
        self._in_flight, self._every = in_flight, every
        self._pairs = LabelPairs(self._tokenizer)
        self._label_ids = self._pairs.tokens()
        self._description = Description("vllm", style, dtype, self._renderer.template)
        self.usage = Usage()

    @property
    def description(self) -> Description:
        return self._description

    def batches(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Batch all requests of a kind and mode, those of equal prefix next to each other.

        See `tabbench.inference.engines.base.Engine.batches`.
        """
        alike: dict[tuple[str, Mode], dict[tuple[str, str], list[int]]] = {}
        for index, request in enumerate(requests):
            prompt = request.prompt
            groups = alike.setdefault((request.kind, request.mode), {})
            groups.setdefault((prompt.system, prompt.prefix), []).append(index)
        for (_, mode), groups in alike.items():
            indices = tuple(itertools.chain.from_iterable(groups.values()))
            yield Batch(indices, _Load(mode, [requests[index].prompt for index in indices]))

    def answer(self, batch: Batch) -> Iterator[dict[int, Outcome]]:
        """Answer the requests of a batch; one that is too long or not taken by vLLM fails alone.

        Raises
        ------
        TabBenchError
            When the model thinks although it must not.
        """
        load: _Load = batch.payload
        watched = load.mode == "forward" or self._renderer.thinking_off
        said: list[str] = []
        left = len(batch.indices)
        self.llm.reset_prefix_cache()
        for jobs in self._ended(self._row_jobs(batch.indices, load)):
            left -= len(jobs)
            answers = {job.index: job.answer() for job in jobs if not job.failure}
            if watched:
                said += [
                    answer.text
                    if isinstance(answer := answers[job.index], Generation)
                    else self._text(job.outputs[0].token_ids[:1])
                    for job in jobs
                    if not job.failure
                ]
                if not left or len(said) >= _ENOUGH:
                    self._renderer.refuse_thoughts(said)
            self.usage.count(answers.values())
            yield {**answers, **{job.index: job.failure for job in jobs if job.failure}}

    def _row_jobs(self, indices: Sequence[int], load: _Load) -> Iterator[Job[Answer]]:
        """Tokenize prompts when they are called for: those of a queue would fill the memory."""
        to_generate = room(load.mode, self._max_new_tokens)
        for first in range(0, len(indices), _TOKENIZED):
            chosen = slice(first, first + _TOKENIZED)
            rows = prompt_rows(self._renderer, load.mode, load.prompts[chosen])
            for index, row in zip(indices[chosen], rows, strict=True):
                job = self._score(index, row) if row.labels else self._generate(index, row)
                job.failure = misfit(row.length, to_generate, self._limit)
                yield job

    def _score(self, index: int, row: Row) -> Job[Answer]:
        """Ask for one token after each context in which a token of a label is predicted."""
        steps = _steps(row)

        def read(outputs: Sequence[Any], seconds: float) -> LabelScore:
            found = {
                step[0]: output.logprobs[0] for step, output in zip(steps, outputs, strict=True)
            }
            logp_0, logp_1 = (
                sum(float(found[tuple(label[:at])][one].logprob) for at, one in enumerate(label))
                for label in row.labels
            )
            return LabelScore(logp_0, logp_1, len(row.tokens), seconds)

        parts = [
            (row.tokens + list(further), self._greedy(1, logprob_token_ids=ids))
            for further, ids in steps
        ]
        return Job(index, parts, read)

    def _generate(self, index: int, row: Row) -> Job[Answer]:
        def read(outputs: Sequence[Any], seconds: float) -> Generation:
            stream = self._stream(outputs[0], self._stop)
            sizes = len(row.tokens), len(stream.tokens)
            return Generation(stream.text, stream.label_logps, *sizes, seconds)

        params = self._greedy(
            self._max_new_tokens, stop=list(self._stop), logprob_token_ids=self._label_ids
        )
        return Job(index, [(row.tokens, params)], read)

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, TextOutcome]]:
        """Write texts, those that begin alike next to each other; those that do not fit fail first.

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
        fitting = (index for index in range(len(requests)) if index not in failed)
        order = sorted(fitting, key=whole.__getitem__)
        for jobs in self._ended(self._dialogue(at, requests[at], whole[at]) for at in order):
            texts = {job.index: job.answer() for job in jobs if not job.failure}
            self.usage.count(texts.values())
            yield {**texts, **{job.index: job.failure for job in jobs if job.failure}}

    def _dialogue(self, index: int, request: TextRequest, tokens: list[int]) -> Job[Text]:
        def read(outputs: Sequence[Any], seconds: float) -> Text:
            (output,) = outputs
            stream = self._stream(output, request.decoding.stop if request.decoding else ())
            sizes = len(tokens), len(stream.tokens)
            return Text(stream.text, *sizes, seconds, output.finish_reason == "stop")

        return Job(index, [(tokens, self._decoding(request, len(tokens)))], read)

    def _ended(self, jobs: Iterator[Job[Given]]) -> Iterator[list[Job[Given]]]:
        return from_time_to_time(run(self.llm.llm_engine, jobs, self._in_flight), self._every)

    def _greedy(self, max_tokens: int, **fields: Any) -> Any:
        return self._params(temperature=0.0, max_tokens=max_tokens, **fields)

    def _decoding(self, request: TextRequest, length: int) -> Any:
        """How vLLM decodes a text; None leaves it to the model's own defaults."""
        decoding = request.decoding
        if decoding is None:
            params = self.llm.get_default_sampling_params()
            params.max_tokens, params.seed = min(OWN_TOKENS, self._limit - length), request.seed
            params.output_kind = self._whole
            return params
        return self._params(
            max_tokens=decoding.max_new_tokens,
            temperature=decoding.temperature,
            top_p=decoding.top_p,
            repetition_penalty=decoding.repetition_penalty,
            stop=list(decoding.stop),
            seed=request.seed,
            output_kind=self._whole,
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
