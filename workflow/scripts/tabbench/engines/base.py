"""What every engine takes and gives. Engines know nothing of datasets or research questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Mode = Literal["forward", "generation"]
LABELS = ("0", "1")


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
    """A prompt and how to ask it: score the two labels, or generate."""

    mode: Mode
    prompt: Prompt


@dataclass(frozen=True)
class LabelScore:
    """Forward scoring: natural-log probabilities of the labels "0" and "1" after the prompt.

    ``seconds`` is the wall-clock time of the batch divided by its requests, with the shared
    prefix spread over the group's requests that use it.
    """

    logp_0: float
    logp_1: float
    prompt_tokens: int
    seconds: float


@dataclass(frozen=True)
class Generation:
    """Greedy text. ``label_logps`` maps the character offset in ``text`` of each generated
    token that is a lone label (after stripping spaces) to the natural-log probabilities
    ``(logp_0, logp_1)`` of "0" and "1" in the same surface form at that step."""

    text: str
    label_logps: dict[int, tuple[float, float]]
    prompt_tokens: int
    completion_tokens: int
    seconds: float


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
    """A dialogue that the model goes on with in its own words.

    Attributes
    ----------
    name
        What is asked, as a path: ``reconstruction/diabetes/real/17``. Messages say it and recorded
        texts are found by it; it changes no answer.
    messages
        The dialogue so far; the last turn is the user's.
    decoding
        None leaves everything to the model's own defaults, sampling included.
    seed
        Of the sampling.
    plain
        The contents alone, without the model's chat template.
    """

    name: str
    messages: tuple[Message, ...]
    decoding: Decoding | None
    seed: int = 0
    plain: bool = False


@dataclass(frozen=True)
class Text:
    """What a model wrote; ``ended`` is False where it was cut at the most tokens allowed."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    ended: bool


@dataclass(frozen=True)
class Batch:
    """Requests that one pass answers together; ``indices`` point into the planned sequence.

    ``payload`` is the engine's own (token ids, say) and means nothing to anybody else.
    """

    indices: tuple[int, ...]
    payload: Any


@dataclass(frozen=True)
class Description:
    """What stands in every result beside the model's name."""

    engine: str
    style: str
    dtype: str
    template: str  # first 12 hex digits of the sha256 of the prompt template


class Engine(Protocol):
    """One loaded model."""

    @property
    def description(self) -> Description: ...

    def batches(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Cut requests into batches, in order.

        The cut depends on the requests alone, so that an interrupted run, resumed with the
        same requests, computes the same batches and therefore the same numbers.
        """
        ...

    def answer(self, batch: Batch) -> list[Answer]:
        """Answer a batch's requests, in the order of ``batch.indices``."""
        ...

    def write(self, requests: Sequence[TextRequest]) -> Iterator[Mapping[int, Text]]:
        """Give the texts by the index of their request, some at a time, as they come."""
        ...
