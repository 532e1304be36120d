"""Interface of the engines, which know nothing of datasets or research questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from tabbench.core.errors import TabBenchError

Mode = Literal["forward", "generation"]
LABELS = ("0", "1")

TOO_LONG = "too_long"
"""Kind of the failure of a prompt that does not fit into a model's context."""

FILTERED = "content_filter"
"""Kind of the failure of a prompt that an endpoint's filter or the model refuses."""

BAD_REQUEST = ("http_400", "http_413", "http_422")
"""Kinds of the failures of requests that an endpoint does not take, for what is in them."""

OWN_TOKENS = 4096
"""Most tokens of a text that is decoded by a model's own defaults."""


@dataclass(frozen=True)
class Prompt:
    """One prompt in three parts: ``system``, then ``prefix + query`` as the user's text.

    ``prefix`` is shared by all query rows of a group (task text, demonstrations); ``query``
    is the row to classify and ends with the cue after which the label is expected
    (``"... Answer is "``, with the space).
    """

    system: str
    prefix: str
    query: str


@dataclass(frozen=True)
class Request:
    """A prompt and its mode: score the two labels, or generate.

    ``kind`` names the condition whose time is of interest. An engine that measures batches of
    several groups puts no two kinds into one; it changes no answer's key. ``repeat`` counts how
    often the same prompt was sent before: each time has an answer of its own. ``key`` is the
    answer's, by which an engine finds again what an earlier run has handed in.
    """

    mode: Mode
    prompt: Prompt
    kind: str = ""
    repeat: int = 0
    key: str = field(default="", compare=False)


@dataclass(frozen=True)
class LabelScore:
    """Forward scoring: natural-log probabilities of the labels "0" and "1" after the prompt.

    ``seconds`` is the wall-clock time of the batch divided by its requests, with the shared
    prefix spread over the group's requests that use it. ``bounded`` names the labels that an
    endpoint did not list among the likeliest tokens: their ``logp`` is that of the least likely
    token listed, which theirs cannot exceed.
    """

    logp_0: float
    logp_1: float
    prompt_tokens: int
    seconds: float
    bounded: tuple[int, ...] = ()


@dataclass(frozen=True)
class Generation:
    """Greedy text. ``label_logps`` maps the character offset in ``text`` of each generated
    token that is a lone label (after stripping spaces) to the natural-log probabilities
    ``(logp_0, logp_1)`` of "0" and "1" in the same surface form at that step; None when an
    endpoint gives no probabilities at all. ``bounded`` holds the offsets at which one of the
    two is only a bound, as in `LabelScore`."""

    text: str
    label_logps: dict[int, tuple[float, float]] | None
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    bounded: tuple[int, ...] = ()


Answer = LabelScore | Generation


@dataclass(frozen=True)
class Decoding:
    """How a free text is decoded. ``temperature`` 0 is greedy; ``stop`` strings end the text,
    which is cut before the first of them."""

    max_new_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    stop: tuple[str, ...] = ()

    @property
    def greedy(self) -> bool:
        return self.temperature == 0 and self.repetition_penalty == 1


@dataclass(frozen=True)
class Message:
    """One turn of a dialogue; ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class TextRequest:
    """A dialogue that the model continues with a free text.

    Attributes
    ----------
    name
        Name of the request, as a path: ``reconstruction/diabetes/real/17``. Messages state it and
        recorded texts are found by it; it changes no response.
    messages
        The dialogue so far; the last turn is the user's.
    decoding
        None leaves everything to the model's own defaults, sampling included.
    seed
        Of the sampling.
    plain
        The contents alone, without the model's chat template.
    key
        As of a `Request`.
    """

    name: str
    messages: tuple[Message, ...]
    decoding: Decoding | None
    seed: int = 0
    plain: bool = False
    key: str = field(default="", compare=False)


@dataclass(frozen=True)
class Text:
    """What a model wrote; ``ended`` is False where it was cut at the most tokens allowed."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    ended: bool


@dataclass(frozen=True)
class Failure:
    """A request that has no response in this run; the next run sends it again.

    ``kind`` is a word for counting (``content_filter``, ``malformed_json``), ``message`` says
    what happened.
    """

    kind: str
    message: str

    @property
    def lasting(self) -> bool:
        """Whether it is about this prompt and would come again, so that it is an outcome."""
        return self.kind in (TOO_LONG, FILTERED, *BAD_REQUEST)

    @property
    def outcome(self) -> str:
        """The word for one that lasts, in files and tables: too_long or refused."""
        return TOO_LONG if self.kind == TOO_LONG else "refused"

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


Outcome = Answer | Failure
TextOutcome = Text | Failure


class StopError(TabBenchError):
    """The run must end, as no further request can succeed; all responses so far are kept."""


@dataclass(frozen=True)
class Waiting:
    """Batches that were handed in to an endpoint, and the state of their requests there."""

    batches: int
    done: int
    requests: int
    seconds: float

    def __str__(self) -> str:
        hours, rest = divmod(round(self.seconds / 60), 60)
        number = f"{self.batches} batches" if self.batches != 1 else "1 batch"
        return (
            f"{number} at the endpoint: {self.done:,} of {self.requests:,} requests done after "
            f"{hours} h {rest:02d} min"
        )

    @property
    def left(self) -> str:
        """What becomes of them when the run ends now."""
        return (
            f"batches go on at the endpoint ({self.batches} with {self.requests:,} requests); the "
            "next run reads their answers, and nothing is paid for twice"
        )


@dataclass
class Usage:
    """What an engine has spent since it was loaded; it only grows.

    Attributes
    ----------
    requests
        Requests answered or abandoned.
    retries
        Retries of requests, after an error or a rate limit of an endpoint.
    prompt_tokens, completion_tokens
        Tokens read and written, as the engine counts them.
    cost
        In the currency of the model's entry; 0 where it names no prices.
    estimated_cost
        The part of it that an endpoint did not count: the most that it may be.
    waiting
        Batches that an endpoint still works on; None when there are none.
    """

    requests: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    estimated_cost: float = 0.0
    waiting: Waiting | None = None

    def count(self, answers: Iterable[Answer | Text]) -> None:
        """Add answered requests and their tokens."""
        for answer in answers:
            self.requests += 1
            self.prompt_tokens += answer.prompt_tokens
            if not isinstance(answer, LabelScore):
                self.completion_tokens += answer.completion_tokens


@dataclass(frozen=True)
class Batch:
    """Requests that one pass answers together; ``indices`` point into the planned sequence.

    ``payload`` is internal to the engine (token ids, for example).
    """

    indices: tuple[int, ...]
    payload: Any


@dataclass(frozen=True)
class Setting:
    """Resources with which an engine is loaded.

    Attributes
    ----------
    weights
        Local folder of converted weights; None for a model of the hub or of an endpoint.
    threads
        CPU threads.
    records
        Folder of the model, where an engine records an endpoint's capabilities and its spending.
    gpus
        GPUs that the job was given.
    """

    weights: Path | None
    threads: int
    records: Path
    gpus: int = 0


@dataclass(frozen=True)
class Description:
    """What every result carries in addition to the model's name."""

    engine: str
    style: str
    dtype: str
    template: str  # first 12 hex digits of its sha256, or that it is the server's own


class Engine(Protocol):
    """One loaded model.

    Attributes
    ----------
    whole_groups
        Whether numbers may depend on which requests of a group (equal prefix) are sent together.
        Then whole groups are sent, even where only some responses are missing.
    span
        As many requests as it wishes to be given at a time at least, of several datasets where one
        has fewer; with 0 it is given those of each dataset by themselves.
    usage
        Usage so far, read after each batch for the progress display.
    """

    whole_groups: bool
    span: int
    usage: Usage

    @property
    def description(self) -> Description: ...

    def batches(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Cut requests into batches.

        The cut depends on the requests alone. Where whole groups are sent, an interrupted run that
        is resumed therefore computes the same batches and the same numbers.
        """
        ...

    def answer(self, batch: Batch) -> Iterable[Mapping[int, Outcome]]:
        """Yield the outcomes of a batch's requests by their index, some at a time, as they arrive.

        Now and then none at all, while it waits long.
        Outcomes already yielded stay valid, even when a TabBenchError follows that ends the run.
        """
        ...

    def write(self, requests: Sequence[TextRequest]) -> Iterable[Mapping[int, TextOutcome]]:
        """Yield the texts by the index of their request, some at a time, as they arrive."""
        ...


@runtime_checkable
class LooksAhead(Protocol):
    """An engine that may begin with requests before it is asked for their answers."""

    def expect(self, upcoming: Iterator[Sequence[Request]]) -> None:
        """Take requests that will be put to it later in this run, in portions, as it has room."""
        ...
