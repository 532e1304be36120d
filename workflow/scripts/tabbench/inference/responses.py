"""The response log: every response of a model, on disk as it arrives, requested only once.

One JSON Lines file per (model, dataset, k). A record's key is a hash of everything that can change
the response, so that an edit invalidates exactly the responses that it touches.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from tabbench.core.disk import writing
from tabbench.core.errors import TabBenchError
from tabbench.core.locks import lock
from tabbench.inference.engines.base import (
    Answer,
    Description,
    Generation,
    LabelScore,
    Mode,
    Request,
    Text,
    TextRequest,
)

_BLOCK = 1 << 16
_TEXTS = {"key", "mode", "text", *Description.__match_args__}
"""Fields of a record that hold text."""


@dataclass(frozen=True)
class Identity:
    """Everything about a model that can change a response; mode and prompt complete the key.

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
        if request.repeat:
            digest.update(f"\0repeat {request.repeat}".encode())
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


_MODES: dict[type[Answer | Text], str] = {
    LabelScore: "forward",
    Generation: "generation",
    Text: "text",
}


def _encode(response: Response) -> bytes:
    answer = response.answer
    fields = asdict(answer)
    if not isinstance(answer, Text) and not answer.bounded:
        del fields["bounded"]
    if isinstance(answer, Generation) and answer.label_logps is not None:
        fields["label_logps"] = sorted([at, *pair] for at, pair in answer.label_logps.items())
    record = {
        "key": response.key,
        "mode": _MODES[type(answer)],
        **asdict(response.description),
        **fields,
    }
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _fields(answer: type[Answer | Text]) -> tuple[frozenset[str], frozenset[str]]:
    """The fields that a record of this kind must have, and all that it may have."""
    common = {"key", "mode", *Description.__match_args__}
    own = {field.name: field.default is not MISSING for field in fields(answer)}
    must = common | {name for name, optional in own.items() if not optional}
    return frozenset(must), frozenset(common | own.keys())


_FIELDS = {name: _fields(kind) for kind, name in _MODES.items()}


def _parse(line: bytes) -> dict[str, Any]:
    """A line's record.

    Raises
    ------
    ValueError
        When it is no record of a kind that this version writes.
    """
    record = json.loads(line)
    if not isinstance(record, dict) or record.get("mode") not in _FIELDS:
        raise ValueError("no mode that this version knows")
    must, may = _FIELDS[record["mode"]]
    if not must <= record.keys():
        raise ValueError(f"lacks {sorted(must - record.keys())}")
    if not record.keys() <= may:
        raise ValueError(f"has {sorted(record.keys() - may)}, which this version does not know")
    if not isinstance(record["key"], str):
        raise ValueError("its key is no text")
    return record


_WRITTEN = re.compile(rb'\{"key": "([^"\\]+)", "mode": "\w+", ')
"""How `_encode` begins a line."""


def _key(line: bytes) -> str:
    """The key of a line.

    A line that begins as `_encode` writes it is not parsed further here: parsing a million lines
    takes seconds and is done at look-up.
    """
    written = _WRITTEN.match(line)
    if written and line.endswith(b"}\n"):
        return written[1].decode()
    return str(_parse(line)["key"])


def is_record(line: bytes) -> bool:
    """Whether a complete line is a record, as far as reading its key tells."""
    try:
        _key(line)
    except ValueError:
        return False
    return True


def _decode(line: bytes) -> Response:
    """The response of a line; ValueError when it is none."""
    record = _parse(line)
    for name, value in record.items():
        if isinstance(value, str) != (name in _TEXTS):
            raise ValueError(f"{name} is {value!r}")
    description = Description(**{name: record.pop(name) for name in Description.__match_args__})
    key, mode = record.pop("key"), record.pop("mode")
    if mode == "text":
        return Response(key, Text(**record), description)
    record["bounded"] = tuple(record.get("bounded", ()))
    if mode == "forward":
        return Response(key, LabelScore(**record), description)
    if record["label_logps"] is not None:
        record["label_logps"] = {int(at): (zero, one) for at, zero, one in record["label_logps"]}
    return Response(key, Generation(**record), description)


class Responses(Mapping[str, Response]):
    """All answers of a log by key; of equal keys the first. A torn last line is left out.

    Only the keys are kept, with the place of each record, which is read when it is looked up: a
    log may hold a million answers.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, int] = {}
        self._lines = self._end = 0
        self.read_on()

    def read_on(self) -> None:
        """Read what was added since the last reading.

        Raises
        ------
        TabBenchError
            When a line is no record.
        """
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._end)
            for line in file:
                if not line.endswith(b"\n"):
                    return  # torn: the process that wrote it was killed, or still writes
                self._lines += 1
                if not line.isspace():
                    try:
                        self._places.setdefault(_key(line), self._end)
                    except ValueError as error:
                        raise self._broken(self._lines, error) from error
                self._end += len(line)

    def _broken(self, number: int, error: Exception) -> TabBenchError:
        return TabBenchError(
            f"{self._path}, line {number}: not a response record of this version ({error}). Use "
            f"the version that wrote it, or remove that line; its prompt is then sent again."
        )

    def __getitem__(self, key: str) -> Response:
        """Raises TabBenchError when the record has other fields or values of another kind."""
        place = self._places[key]
        with self._path.open("rb") as file:
            file.seek(place)
            try:
                return _decode(file.readline())
            except (ValueError, TypeError) as error:
                file.seek(0)
                raise self._broken(file.read(place).count(b"\n") + 1, error) from error

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_responses(path: Path) -> Responses:
    """All answers of a log, none where there is no log; see `Responses`."""
    return Responses(path)


class ResponseLog:
    """Append to one log, alone; each batch is on disk when ``append`` returns.

    Entering waits while another process writes the same log, so that two jobs with the same prompts
    lose nothing. The caller then reads what the other wrote (`Responses.read_on`).

    Parameters
    ----------
    waiting : called once with a message when another process holds the log
    """

    def __init__(self, path: Path, waiting: Callable[[str], object] = print) -> None:
        self._path = path
        self._waiting = waiting

    def __enter__(self) -> "ResponseLog":
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+b", buffering=0)  # nothing is left to write at its end
        try:
            try:
                lock(self._file, self._path, wait=False)
            except BlockingIOError:
                self._waiting(f"{self._path}: waiting for another run that is writing this log")
                lock(self._file, self._path)
            self._drop_torn_line()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def _drop_torn_line(self) -> None:
        """Cut the file after its last newline, which is looked for from the end."""
        end = self._file.seek(0, os.SEEK_END)
        while end:
            start = max(end - _BLOCK, 0)
            self._file.seek(start)
            newline = self._file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        self._file.truncate(end)

    def append(self, responses: Iterable[Response]) -> None:
        """Write responses.

        Raises
        ------
        TabBenchError
            When the disk is full or closed, or when one of them cannot be stored; then the others
            are on disk.
        """
        lines, odd = [], None
        for response in responses:
            try:
                lines.append(_encode(response))
            except ValueError as error:
                odd = odd or TabBenchError(
                    f"{self._path}: the response {response.key} cannot be stored ({error})"
                )
        data = memoryview(b"".join(lines))
        with writing(self._path, len(data)):
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        if odd is not None:
            raise odd
