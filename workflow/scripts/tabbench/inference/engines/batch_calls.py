"""What an endpoint is told and asked about batches: files and batches, as OpenAI's API has them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabbench.inference.engines.base import Failure, StopError
from tabbench.inference.engines.client import Client, GaveUpError, RefusedError, TryError
from tabbench.inference.engines.exchange import MOST_BYTES
from tabbench.inference.engines.replies import as_count, parse_json
from tabbench.inference.engines.steps import ReplyError

COMPLETED = "completed"
ENDED = {COMPLETED, "expired", "cancelled"}
FAILED = "failed"
WINDOW = "24h"
"""The only completion window of OpenAI's."""

TAG = "tabbench"
"""Name under which a batch carries its tag."""

PAGE, MOST_PAGES = 100, 200
CLOCKS = 86_400.0
"""Seconds by which clocks may differ: batches older than that are not looked through."""

LARGEST_ANSWERS = 128 * MOST_BYTES

_FULL = re.compile(r"token_limit|enqueued token|batch_limit|too many batches", re.IGNORECASE)
"""How endpoints say that they hold too much already, for now."""


class NoRoomError(Exception):
    """The endpoint takes no batch now; ``too_much`` where it says that it holds enough."""

    def __init__(self, why: str, too_much: bool) -> None:
        super().__init__(why)
        self.too_much = too_much


@dataclass(frozen=True)
class Look:
    """State of a batch at the endpoint.

    Attributes
    ----------
    done, requests
        As the endpoint counts them; ``done`` holds those that failed.
    files
        Names of its files of answers and of errors; None where there is none.
    seconds
        From its making to its end; None where the endpoint does not say.
    why
        Why it failed as a whole.
    """

    name: str
    status: str
    done: int
    requests: int
    files: tuple[str | None, str | None]
    seconds: float | None
    why: str

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def no_room(self) -> bool:
        """Whether it failed because the endpoint holds too much already."""
        return self.status == FAILED and _FULL.search(self.why) is not None


def read_look(body: Mapping[str, Any]) -> Look:
    """State of a batch from its object.

    Raises
    ------
    ReplyError
        When it is none.
    """
    name, status = body.get("id"), body.get("status")
    if not isinstance(name, str) or not isinstance(status, str) or not re.fullmatch(r"\S+", name):
        raise ReplyError("bad_reply", f"not a batch: it has id {name!r} and status {status!r}")
    counts = body.get("request_counts")
    counts = counts if isinstance(counts, dict) else {}
    total, completed, failed = (
        as_count(counts.get(part)) or 0 for part in ("total", "completed", "failed")
    )
    files = tuple(body.get(f"{part}_file_id") or None for part in ("output", "error"))
    if not all(one is None or isinstance(one, str) for one in files):
        raise ReplyError("bad_reply", f"names of files are {files!r}")
    ends = (as_count(body.get(f"{word}_at")) for word in sorted(ENDED))
    end, made = next((one for one in ends if one), None), as_count(body.get("created_at"))
    return Look(
        name,
        status,
        min(completed + failed, total),
        total,
        (files[0], files[1]),
        max(float(end - made), 0.0) if end and made else None,
        _why(body.get("errors")),
    )


def _why(errors: Any) -> str:
    listed = errors.get("data") if isinstance(errors, dict) else errors
    said = []
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            said.append(" ".join(str(one[key]) for key in ("code", "message") if one.get(key)))
    return "; ".join(said[:3])[:300] or "it does not say why"


class BatchCalls:
    """Calls about batches through a client.

    Raises
    ------
    GaveUpError
        By all: when an endpoint gives no answer for as long as a request is tried again.
    StopError
        By all: when it never will.
    """

    def __init__(self, client: Client, where: str) -> None:
        self.client, self._where = client, where

    async def upload(self, file: Path) -> str:
        """Hand over a file; returns its name at the endpoint."""
        body = await self.client.call(lambda connection: connection.upload(file))
        name = body.get("id")
        if not isinstance(name, str) or not re.fullmatch(r"\S+", name):
            raise StopError(f"{self._where}: it takes a file and gives it no name ({name!r})")
        return name

    async def make(self, file: str, path: str, tag: str) -> Look | None:
        """Make a batch; None where it is unclear whether the endpoint has made it.

        Raises
        ------
        NoRoomError
            When the endpoint takes no more for now.
        """
        fields = {
            "input_file_id": file,
            "endpoint": f"/v1{path}",
            "completion_window": WINDOW,
            "metadata": {TAG: tag},
        }
        content = json.dumps(fields).encode()
        try:
            reply = await self.client.call_once(
                lambda connection: connection.send("POST", "/batches", content)
            )
            return read_look(parse_json(reply.text))
        except ReplyError:
            return None
        except RefusedError as error:
            if error.failure.kind.startswith("http_5"):  # it may have been made all the same
                return None
            raise
        except TryError as error:
            said = str(error.failure)
            too_much = _FULL.search(said) is not None
            if too_much or error.failure.kind == "rate_limit":
                raise NoRoomError(said, too_much) from error
            if error.final:
                raise StopError(f"{self._where}: it makes no batch: {said}") from error
            return None

    async def look(self, name: str) -> Look:
        """State of a batch."""
        path = f"/batches/{name}"
        body = await self.client.call(lambda connection: connection.send("GET", path))
        return _readable(body)

    async def find(self, tag: str, file: str | None, since: float) -> Look | None:
        """Look for a batch by its tag, or by its file where an endpoint keeps no tags.

        Parameters
        ----------
        since : seconds since the epoch, before which it cannot have been made
        """
        after = ""
        for _ in range(MOST_PAGES):
            path = f"/batches?limit={PAGE}{after}"
            body = await self.client.call(lambda connection: connection.send("GET", path))  # noqa: B023
            data = body.get("data")
            listed = (
                [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
            )
            for one in listed:
                metadata = one.get("metadata")
                tagged = isinstance(metadata, dict) and metadata.get(TAG) == tag
                if tagged or (file is not None and one.get("input_file_id") == file):
                    return _readable(one)
            old = [
                one for one in listed if (as_count(one.get("created_at")) or since) < since - CLOCKS
            ]
            if not listed or old or not body.get("has_more"):
                break
            after = f"&after={listed[-1].get('id')}"
        return None

    async def fetch(self, name: str, target: Path) -> None:
        """Write a file of the endpoint's to a file here; a part of one is never left."""
        part = target.with_suffix(f"{target.suffix}.part")
        path = f"/files/{name}/content"
        await self.client.fetch(lambda connection: connection.download(path, part, LARGEST_ANSWERS))
        part.rename(target)


def _readable(body: Mapping[str, Any]) -> Look:
    try:
        return read_look(body)
    except ReplyError as error:
        raise GaveUpError(Failure(error.kind, str(error)), True) from error
