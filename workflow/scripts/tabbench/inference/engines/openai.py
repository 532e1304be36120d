"""The engine that asks an OpenAI-compatible endpoint: OpenAI itself, vLLM, llama.cpp's server.

Labels are read from the log-probabilities of the first token, of which an endpoint lists at most
20; a label that is missing there is bounded by the least likely one listed, and flagged.
"""

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from tabbench.config.model_entry import Model
from tabbench.inference.engines.base import (
    OWN_TOKENS,
    TOO_LONG,
    Answer,
    Batch,
    Description,
    Failure,
    Mode,
    Outcome,
    Prompt,
    Request,
    Setting,
    StopError,
    TextOutcome,
    TextRequest,
)
from tabbench.inference.engines.batches import Ask, Batches
from tabbench.inference.engines.client import Client, GaveUpError, RefusedError
from tabbench.inference.engines.messages import (
    COMPLETION_LAYOUT,
    chat_messages,
    completion_text,
    fold_system,
    template_hash,
)
from tabbench.inference.engines.meter import Meter
from tabbench.inference.engines.probe import (
    Capabilities,
    known_capabilities,
    probe,
    write_capabilities,
)
from tabbench.inference.engines.replies import Reply, free_text, generation, label_score
from tabbench.inference.engines.retrying import patience

TOP = 20
"""Most tokens that endpoints list at a place."""

FAILURES_IN_A_ROW = 50
"""Number of failures in a row after which the endpoint counts as unusable. Those by something that
passes, such as a storm of errors, must also last as long as one request is tried again."""


Asked = TypeVar("Asked", Request, TextRequest)


class OpenAIEngine:
    """See the module and `tabbench.inference.engines.base.Engine`.

    Parameters
    ----------
    model
        Its entry, with an endpoint.
    records
        Folder for ``capabilities.json`` and ``spending.csv``.

    Notes
    -----
    ``seconds`` of an answer is the wall-clock time from sending its request to the whole reply,
    of the try that was answered. With several requests in flight it includes the time that the
    request waited at the server. In a batch it is the batch's time divided by its requests.
    """

    whole_groups = False
    span = 0

    def __init__(self, model: Model, records: Path) -> None:
        assert model.endpoint is not None
        self._model, self._endpoint, self._records = model, model.endpoint, records
        self._meter = Meter(model, records)
        self.usage = self._meter.usage
        self._chance = random.Random()
        chat = model.style == "chat"
        self._path = "/chat/completions" if chat else "/completions"
        template = "the server's own" if chat else template_hash(COMPLETION_LAYOUT)
        self._description = Description(
            f"openai ({model.server})", model.style, model.dtype, template
        )
        self._capabilities: Capabilities | None = None
        self._row = _Row()
        self._batches = (
            Batches(model, records / "batches", self._meter, self._ask, self._client)
            if model.batch
            else None
        )

    @property
    def description(self) -> Description:
        return self._description

    def batches(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """All requests as one batch; the number in flight at a time is bounded nevertheless.

        Raises
        ------
        TabBenchError
            When the endpoint cannot do what the requests need; then no request was sent.
        """
        if requests:
            modes = {request.mode for request in requests}
            self.capabilities().require(self._model, modes)
            yield Batch(tuple(range(len(requests))), list(requests))

    def capabilities(self) -> Capabilities:
        """Capabilities of the endpoint: probed once, kept in the model's folder."""
        if self._capabilities is None:
            path = self._records / "capabilities.json"
            found = known_capabilities(path, self._model)
            if found is None:
                with asyncio.Runner() as runner:
                    found = runner.run(self._probe())
                write_capabilities(path, self._model, found)
            print(f"{self._endpoint.url}: {found}")
            self._capabilities = found
        return self._capabilities

    async def _probe(self) -> Capabilities:
        async with self._client() as client:
            return await probe(client, self._model, self._path, self._body)

    def _client(self) -> Client:
        return Client(self._endpoint, self._model.limits, self._meter, self._chance)

    def answer(self, batch: Batch) -> Iterator[dict[int, Outcome]]:
        """Yield outcomes in the order in which they arrive; see `_in_flight` and `Batches`."""
        return self._outcomes(list(zip(batch.indices, batch.payload, strict=True)))

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, TextOutcome]]:
        """Yield texts in the order in which they arrive; see `_in_flight` and `Batches`."""
        return self._outcomes(list(enumerate(requests)))

    def expect(self, upcoming: Iterator[Sequence[Request]]) -> None:
        """Hand in these requests, too, while batches are waited for; without batches nothing."""
        if self._batches is not None:
            self._batches.expect(upcoming)

    def _outcomes(self, requests: Sequence[tuple[int, Asked]]) -> Iterator[dict[int, Any]]:
        """A single request is not worth the wait for a batch, unless it was handed in already."""
        batches = self._batches
        if batches is None or (
            len(requests) < 2 and not batches.covers([one.key for _, one in requests])
        ):
            return self._in_flight(requests)
        return batches.answer(requests)

    def _in_flight(
        self, requests: Iterable[tuple[int, Asked]]
    ) -> Iterator[dict[int, Any | Failure]]:
        """Ask all requests, a bounded number of them at a time.

        Whatever stops the run, requests in flight end and their outcomes are yielded first.

        Raises
        ------
        TabBenchError
            When the budget is spent or the endpoint is unusable.
        """

        async def one(request: Asked) -> Any | Failure:
            try:
                given = await client.ask(*self._ask(request))
                self._row = _Row()
                return given
            except GaveUpError as error:
                if error.failure.kind != TOO_LONG:  # says nothing of the endpoint
                    self._row.add(error.transient)
                return error.failure
            finally:
                self.usage.requests += 1

        waiting = iter(requests)
        stop: Exception | None = None
        with asyncio.Runner() as runner:
            # Some parts of a client belong to the running event loop.
            client: Client = runner.run(_made(self._client))
            flying: dict[asyncio.Task[Any | Failure], int] = {}
            try:
                while True:
                    while stop is None and len(flying) < self._model.limits.in_flight:
                        following = next(waiting, None)
                        if following is None:
                            break
                        index, request = following
                        flying[runner.get_loop().create_task(one(request))] = index
                    if not flying:
                        break
                    outcomes: dict[int, Any | Failure] = {}
                    for task in runner.run(_first(flying)):
                        index = flying.pop(task)
                        try:
                            outcomes[index] = task.result()
                        except RefusedError as error:
                            outcomes[index], stop = error.failure, stop or error
                        except Exception as error:
                            stop = stop or error
                    if outcomes:
                        yield outcomes
                    last = next((o for o in outcomes.values() if isinstance(o, Failure)), None)
                    stop = stop or self._hopeless(last)
                if stop is not None:
                    raise stop
            finally:
                for task in flying:
                    task.cancel()
                runner.run(client.__aexit__())

    def _ask(self, request: Request | TextRequest) -> Ask:
        return self._label(request) if isinstance(request, Request) else self._text(request)

    def _label(self, request: Request) -> Ask:
        def read(reply: Reply, seconds: float) -> Answer:
            if request.mode == "forward":
                return label_score(reply, seconds)
            return generation(reply, seconds, with_logprobs)

        with_logprobs = self.capabilities().logprobs
        body = self._body(request.mode, request.prompt, with_logprobs)
        return Ask(self._path, body, read)

    def _text(self, request: TextRequest) -> Ask:
        if request.plain:
            body: dict[str, Any] = {"prompt": "\n\n".join(one.content for one in request.messages)}
        else:
            messages = [asdict(message) for message in request.messages]
            body = {"messages": messages if self._model.system_role else fold_system(messages)}
        body |= {"model": self._endpoint.model, **_decoding_fields(request)}
        path = "/completions" if request.plain else "/chat/completions"
        return Ask(path, self._sent(body), free_text)

    def _body(self, mode: Mode, prompt: Prompt, with_logprobs: bool) -> dict[str, Any]:
        """The fields of a request."""
        model = self._model
        forward = mode == "forward"
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "temperature": 0,
            "max_tokens": 1 if forward else model.max_new_tokens,
        }
        if model.stop and not forward:
            body["stop"] = list(model.stop)
        if model.style == "chat":
            body["messages"] = chat_messages(prompt, model.system_role)
            if with_logprobs:
                body |= {"logprobs": True, "top_logprobs": TOP}
        else:
            body["prompt"] = completion_text(prompt)
            if with_logprobs:
                body["logprobs"] = TOP
        return self._sent(body)

    def _sent(self, body: dict[str, Any]) -> dict[str, Any]:
        """The fields merged with those of the model's entry; a null there removes a field."""
        fields = body | dict(self._model.request)
        if self._model.template_args:
            fields["chat_template_kwargs"] = dict(self._model.template_args)
        return {name: value for name, value in fields.items() if value is not None}

    def _hopeless(self, last: Failure | None) -> StopError | None:
        """A reason to stop when all recent requests failed."""
        limits, row = self._model.limits, self._row
        lasted = time.monotonic() - row.since >= patience(limits.retries, limits.backoff)
        if last is None or not (
            row.lasting >= FAILURES_IN_A_ROW or (row.all >= FAILURES_IN_A_ROW and lasted)
        ):
            return None
        return StopError(
            f"{self._endpoint.url}: {FAILURES_IN_A_ROW} requests in a row failed, the last with "
            f"{last}. Check the endpoint and run again"
        )


@dataclass
class _Row:
    """Failures since the last answer; ``lasting`` ones are those that no retry could mend."""

    all: int = 0
    lasting: int = 0
    since: float = 0.0

    def add(self, transient: bool) -> None:
        self.since = self.since or time.monotonic()
        self.all += 1
        self.lasting += not transient


async def _made(make: Callable[[], Client]) -> Client:
    return make()


async def _first(tasks: Iterable[asyncio.Task[Any]]) -> set[asyncio.Task[Any]]:
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    return done


def _decoding_fields(request: TextRequest) -> dict[str, Any]:
    """How a text is decoded; a penalty goes by the name that servers of open weights know."""
    decoding = request.decoding
    if decoding is None:
        return {"max_tokens": OWN_TOKENS, "seed": request.seed}
    fields: dict[str, Any] = {
        "max_tokens": decoding.max_new_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "seed": request.seed,
    }
    if decoding.repetition_penalty != 1:
        fields["repetition_penalty"] = decoding.repetition_penalty
    return fields | ({"stop": list(decoding.stop)} if decoding.stop else {})


def load(model: Model, setting: Setting) -> OpenAIEngine:
    """Make the engine of a model of the registry; see `tabbench.inference.models.load_engine`."""
    return OpenAIEngine(model, setting.records)
