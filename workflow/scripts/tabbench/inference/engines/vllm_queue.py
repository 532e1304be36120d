"""vLLM's queue, kept full: prompts are handed in while others run, and come back as they end."""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tabbench.inference.engines.base import Answer, Failure, Text

Given = TypeVar("Given", bound=Answer | Text)

IN_FLIGHT = 2048
"""Most prompts that vLLM holds: twice as many as it runs at a time on the largest GPUs, so that
some always wait."""

_FAULTS = ("abort", "error")
"""Why vLLM ends a prompt without an answer."""


@dataclass(eq=False)
class Job(Generic[Given]):
    """A request, what vLLM is to complete for it, and what came of it.

    Attributes
    ----------
    index
        Of the request.
    parts
        Token lists, each with vLLM's parameters: several where a label has several tokens.
    read
        Makes the answer of the parts' outputs and of the seconds that they took.
    failure
        Why it has no answer; one that has a failure at the start is not sent.
    outputs
        By number of the part.
    """

    index: int
    parts: Sequence[tuple[list[int], Any]]
    read: Callable[[Sequence[Any], float], Given]
    failure: Failure | None = None
    outputs: dict[int, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def done(self) -> bool:
        return self.failure is not None or len(self.outputs) == len(self.parts)

    def answer(self) -> Given:
        """Of a job that is done and has not failed."""
        return self.read([self.outputs[part] for part in range(len(self.parts))], self.seconds)


class _Queue(Generic[Given]):
    """What vLLM holds of some jobs."""

    def __init__(self, engine: Any) -> None:
        from vllm.exceptions import VLLMClientError
        from vllm.inputs import tokens_input

        self._engine, self._refusal, self._input = engine, VLLMClientError, tokens_input
        self._flying: dict[str, tuple[Job[Given], int]] = {}
        self._numbers = itertools.count()
        self._seconds = 0.0  # since tokens came

    def __len__(self) -> int:
        return len(self._flying)

    def send(self, job: Job[Given]) -> None:
        """Hand in the parts of a job; none where vLLM refuses one."""
        for part, (tokens, params) in enumerate(job.parts):
            name = str(next(self._numbers))
            try:
                self._engine.add_request(name, self._input(tokens), params)
            except self._refusal as error:
                self._give_up(job, "vllm_refused", str(error))
                return
            self._flying[name] = job, part

    def step(self) -> list[Job[Given]]:
        """Let vLLM compute once; return the jobs that ended.

        The time is shared by the parts that got a token.
        """
        start = time.perf_counter()
        outputs = self._engine.step()
        self._seconds += time.perf_counter() - start
        ended: list[Job[Given]] = []
        for output in outputs:
            if output.request_id not in self._flying:
                continue  # another part of its job failed in this step
            job, part = self._flying[output.request_id]
            job.seconds += self._seconds / len(outputs)
            if output.finished:
                del self._flying[output.request_id]
                (job.outputs[part],) = output.outputs
                reason = job.outputs[part].finish_reason
                if reason in _FAULTS:
                    self._give_up(job, f"vllm_{reason}", "vLLM ended it without an answer")
                if job.done:
                    ended.append(job)
        if outputs:
            self._seconds = 0.0
        return ended

    def _give_up(self, job: Job[Given], kind: str, message: str) -> None:
        job.failure = Failure(kind, message)
        self.withdraw([name for name, (one, _) in self._flying.items() if one is job])

    def withdraw(self, names: Sequence[str] | None = None) -> None:
        """Take parts back, all by default."""
        names = list(self._flying) if names is None else names
        self._engine.abort_request(list(names))
        for name in names:
            del self._flying[name]


def run(engine: Any, jobs: Iterator[Job[Given]], in_flight: int) -> Iterator[list[Job[Given]]]:
    """Keep the queue full while there are jobs; yield those that ended, step by step.

    A job that vLLM refuses or gives up fails alone.

    Parameters
    ----------
    engine
        A ``vllm.LLMEngine`` in this process.
    in_flight
        Most prompts that it holds, but for further parts of the last job.
    """
    queue: _Queue[Given] = _Queue(engine)
    try:
        while True:
            ended: list[Job[Given]] = []
            while len(queue) < in_flight and (job := next(jobs, None)):
                if not job.failure:
                    queue.send(job)
                if job.failure:
                    ended.append(job)
            if queue:
                ended += queue.step()
            elif not ended:
                return
            yield ended
    finally:
        queue.withdraw()


def from_time_to_time(
    steps: Iterator[list[Job[Given]]], seconds: float
) -> Iterator[list[Job[Given]]]:
    """Join what ended within some seconds, so that a disk is not asked after each step."""
    found: list[Job[Given]] = []
    last = time.monotonic()
    for ended in steps:
        found += ended
        if found and time.monotonic() - last >= seconds:
            yield found
            found, last = [], time.monotonic()
    if found:
        yield found
