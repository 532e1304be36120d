"""The response log: every answer of a model, on disk as it arrives, asked for only once.

One JSON Lines file per (model, dataset, k). A record's key is a hash of everything that can
change the answer, so that an edit asks anew exactly what it touches.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from tabbench.engines.base import (
    Answer,
    Description,
    Generation,
    LabelScore,
    Mode,
    Request,
    Text,
    TextRequest,
)
from tabbench.errors import TabBenchError


@dataclass(frozen=True)
class Identity:
    """All of a model that can change an answer; with mode and prompt text it makes the key.

    ``weights`` is the sha256 of a weight file, or hub id and revision. ``engine`` carries the
    engine's version, which is raised when its numbers change.
    """

    model: str
    weights: str
    engine: str
    style: str
    dtype: str
    template_args: str
    system_role: bool
    max_new_tokens: int
    stop: tuple[str, ...]

    def as_key(self, mode: Mode | Literal["text"]) -> str:
        """JSON text of what matters in ``mode``: forward scoring decodes nothing, and the request
        for a free text says how it is decoded."""
        fields = asdict(self)
        if mode != "generation":
            del fields["max_new_tokens"], fields["stop"]
        return json.dumps([mode, fields], sort_keys=True)


def request_keys(identity: Identity, requests: Sequence[Request]) -> list[str]:
    """Key of each request, 64 hex digits. A shared prefix is hashed once."""
    heads: dict[tuple[str, str, str], Any] = {}
    keys = []
    for request in requests:
        prompt = request.prompt
        head = (request.mode, prompt.system, prompt.prefix)
        if head not in heads:
            parts = json.dumps([identity.as_key(request.mode), prompt.system])
            heads[head] = hashlib.sha256(f"{parts}\0{prompt.prefix}".encode())
        digest = heads[head].copy()
        digest.update(prompt.query.encode())
        keys.append(digest.hexdigest())
    return keys


def text_key(identity: Identity, request: TextRequest) -> str:
    """Key of a free text, 64 hex digits."""
    decoding = request.decoding
    sampled = decoding is None or not decoding.greedy
    parts = [
        identity.as_key("text"),
        [asdict(message) for message in request.messages],
        decoding and asdict(decoding),
        request.seed if sampled else 0,
        request.plain,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Response:
    """An answer or a free text, and where it came from."""

    key: str
    answer: Answer | Text
    description: Description


_MODES: dict[type, str] = {LabelScore: "forward", Generation: "generation", Text: "text"}


def _encode(response: Response) -> bytes:
    answer = response.answer
    fields = asdict(answer)
    if isinstance(answer, Generation):
        fields["label_logps"] = sorted([at, *pair] for at, pair in answer.label_logps.items())
    record = {
        "key": response.key,
        "mode": _MODES[type(answer)],
        **asdict(response.description),
        **fields,
    }
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _decode(line: bytes) -> Response:
    record = json.loads(line)
    description = Description(**{name: record.pop(name) for name in Description.__match_args__})
    key, mode = record.pop("key"), record.pop("mode")
    if mode == "forward":
        return Response(key, LabelScore(**record), description)
    if mode == "text":
        return Response(key, Text(**record), description)
    record["label_logps"] = {int(at): (zero, one) for at, zero, one in record["label_logps"]}
    return Response(key, Generation(**record), description)


def read_responses(path: Path) -> dict[str, Response]:
    """All answers of a log by key; of equal keys the first. A torn last line is left out.

    Raises
    ------
    TabBenchError
        When a line other than a torn last one cannot be read.
    """
    if not path.exists():
        return {}
    lines = path.read_bytes().split(b"\n")
    responses: dict[str, Response] = {}
    for number, line in enumerate(lines[:-1], start=1):  # after the last newline: torn or empty
        try:
            response = _decode(line)
        except (ValueError, KeyError, TypeError) as error:
            raise TabBenchError(
                f"{path}, line {number}: not a response record ({error}). Remove that line; its "
                f"prompt is then asked again."
            ) from error
        responses.setdefault(response.key, response)
    return responses


class ResponseLog:
    """Append to one log, alone; each batch is on disk when ``append`` returns.

    Raises
    ------
    TabBenchError
        When another process is writing the same log.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> "ResponseLog":
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise TabBenchError(
                f"{self._path}: another run is writing this log; wait for it or stop it"
            ) from error
        self._drop_torn_line()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def _drop_torn_line(self) -> None:
        self._file.seek(0)
        self._file.truncate(self._file.read().rfind(b"\n") + 1)

    def append(self, responses: Iterable[Response]) -> None:
        self._file.write(b"".join(_encode(response) for response in responses))
        self._file.flush()
        os.fsync(self._file.fileno())
