"""Lines of the files in which requests are handed in and answers come back (JSON Lines)."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tabbench.inference.engines.meter import most_tokens
from tabbench.inference.engines.replies import Tokens, as_count, parse_json
from tabbench.inference.engines.steps import ReplyError

MOST_REQUESTS, MOST_BYTES = 50_000, 200_000_000
"""Limits of one file of requests, as OpenAI states them."""

NOT_RUN = {"batch_expired": "expired", "batch_cancelled": "cancelled"}
"""Codes of requests that a batch ended without, and which cost nothing."""


class Line(NamedTuple):
    """A request's line: the reply's HTTP status and object, or why it was not run."""

    key: str
    status: int
    body: Mapping[str, Any]
    not_run: str = ""


class Posted(NamedTuple):
    """A request to be handed in: the path that it is for, and its fields."""

    path: str
    body: Mapping[str, Any]


@dataclass
class Written:
    """A file of requests: their keys in order, the most that each may cost, and where each ends."""

    keys: list[str]
    most: list[Tokens]
    ends: list[int]

    def cut(self, file: Path, count: int) -> None:
        """Keep the first ``count`` requests, here and in the file."""
        if count < len(self.keys):
            os.truncate(file, self.ends[count - 1] if count else 0)
            for part in (self.keys, self.most, self.ends):
                del part[count:]


def write_requests(
    file: Path,
    requests: Iterable[tuple[str, Posted]],
    most_requests: int = MOST_REQUESTS,
    most_bytes: int = MOST_BYTES,
) -> Written:
    """Write requests with their keys to a file, up to the limits; the first in any case."""
    written = Written([], [], [])
    size = 0
    with file.open("wb") as out:
        for key, (path, body) in requests:
            content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
            # Some servers take other characters than the newline for the end of a line.
            ascii_ = content if content.isascii() else json.dumps(json.loads(content)).encode()
            head = json.dumps({"custom_id": key, "method": "POST", "url": f"/v1{path}"}).encode()
            line = head[:-1] + b', "body": ' + ascii_ + b"}\n"
            if written.keys and size + len(line) > most_bytes:
                break
            out.write(line)
            size += len(line)
            written.keys.append(key)
            written.most.append(most_tokens(body, content))
            written.ends.append(size)
            if len(written.keys) == most_requests:
                break
    return written


def read_line(raw: bytes) -> Line | None:
    """The request and reply of a line of an output or error file; None where it names no request.

    Examples
    --------
    >>> read_line(b'{"custom_id": "a", "response": {"status_code": 429, "body": {}}}')
    Line(key='a', status=429, body={}, not_run='')
    >>> read_line(b'{"custom_id": "a", "error": {"code": "batch_expired", "message": "late"}}')
    Line(key='a', status=500, body={'error': {'code': 'batch_expired', 'message': 'late'}}, \
not_run='expired')
    """
    try:
        line = parse_json(raw.decode("utf-8-sig", "replace"))
    except ReplyError:
        return None
    key, reply, error = line.get("custom_id"), line.get("response"), line.get("error")
    if not isinstance(key, str):
        return None
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        not_run = NOT_RUN.get(code, "") if isinstance(code, str) else ""
        return Line(key, 500, {"error": error}, not_run)
    if not isinstance(reply, dict):
        return Line(key, 200, {})
    status, body = as_count(reply.get("status_code")), reply.get("body")
    return Line(key, 200 if status is None else status, body if isinstance(body, dict) else {})


def read_lines(files: Iterable[Path], keys: Iterable[str]) -> Iterator[Line]:
    """The first line of each of the requests that stand in files; of all else nothing."""
    missing = set(keys)
    for file in files:
        if file.exists():
            with file.open("rb") as lines:
                for raw in lines:
                    line = read_line(raw)
                    if line is not None and line.key in missing:
                        missing.remove(line.key)
                        yield line
