"""Batches that were handed in, on disk before anything else, so that every run finds them again.

One file per batch, ``<tag>.jsonl``, whose lines are added as it goes on: what was written down
before the batch was made, that it is about to be made, its name at the endpoint, how it ended. The
tag is sent along, so that a batch is found where a run was killed before it knew the name.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from tabbench.core.disk import writing
from tabbench.core.errors import TabBenchError
from tabbench.core.locks import alone
from tabbench.inference.engines.replies import Tokens

LOCK = ".lock"


@dataclass
class Record:
    """A batch on record.

    Attributes
    ----------
    path
        Its file.
    keys, most
        Its requests, and the most that each may cost.
    posted
        Seconds since the epoch when it was about to be made; None before.
    input_file, name
        Of its file of requests and of itself at the endpoint; None where unknown.
    status, seconds
        How it ended, once its answers are here, and how long it took.
    """

    path: Path
    keys: Sequence[str]
    most: Sequence[Tokens]
    posted: float | None = None
    input_file: str | None = None
    name: str | None = None
    status: str | None = None
    seconds: float = 0.0

    @property
    def tag(self) -> str:
        return self.path.stem

    @property
    def requests(self) -> Path:
        """The file of its requests, until it is made."""
        return self.path.with_suffix(".requests")

    @property
    def answers(self) -> tuple[Path, Path]:
        """The files that it gave: of answers and of errors."""
        return self.path.with_suffix(".output"), self.path.with_suffix(".errors")

    def note(self, **changes: Any) -> None:
        """Add to the record; it is on disk when this returns."""
        for name, value in changes.items():
            setattr(self, name, value)
        line = json.dumps(changes) + "\n"
        with writing(self.path, len(line)), self.path.open("r+b") as file:
            content = file.read()
            file.truncate(content.rfind(b"\n") + 1)  # drops a line that a killed run left torn
            file.seek(0, os.SEEK_END)
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())

    def forget(self) -> None:
        """Remove the record with its files; the record goes last."""
        for file in (self.requests, *self.answers, self.path):
            file.unlink(missing_ok=True)


class Records:
    """The batches of one model that all its jobs share.

    Parameters
    ----------
    folder : made with the first batch
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[Path, tuple[int, Record]] = {}

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other jobs from handing in or reading; what they began is then finished."""
        with alone(self.folder / LOCK):
            yield

    def all(self) -> list[Record]:
        """All batches on record, oldest first.

        Raises
        ------
        TabBenchError
            When a record cannot be read.
        """
        found = {}
        for path in self.folder.glob("*.jsonl"):
            size = path.stat().st_size
            known = self._read.get(path)
            found[path] = known if known and known[0] == size else (size, _read(path))
        self._read = found
        return sorted(
            (record for _, record in found.values()), key=lambda one: (one.posted or 0, one.tag)
        )

    def tidy(self) -> None:
        """Remove files that belong to no record: a run was killed before it was written."""
        for file in self.folder.glob("*.*"):
            record = self.folder / f"{file.name.split('.')[0]}.jsonl"
            if file.name != LOCK and not record.exists():
                file.unlink()

    def new_tag(self) -> Path:
        """The path of a record to be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{uuid4().hex}.jsonl"


def write_record(path: Path, keys: Sequence[str], most: Sequence[Tokens]) -> Record:
    """Write a new record, or anew one that nothing was added to; it is on disk on return."""
    tokens = [[one.prompt, one.completion] for one in most]
    content = json.dumps({"keys": keys, "most": tokens}) + "\n"
    part = path.with_suffix(".part")
    with writing(part, len(content)), part.open("w") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)
    return Record(path, keys, most)


def _read(path: Path) -> Record:
    """A record; a torn last line is left out."""
    fields: dict[str, Any] = {}
    try:
        for line in path.read_bytes().split(b"\n")[:-1]:
            fields |= json.loads(line)
        most = [Tokens(prompt, 0, completion) for prompt, completion in fields.pop("most")]
        return Record(path, fields.pop("keys"), most, **fields)
    except (ValueError, KeyError, TypeError) as error:
        raise TabBenchError(
            f"{path}: not the record of a batch ({error}). Delete it; what it holds is then asked, "
            "and paid for, again"
        ) from error
