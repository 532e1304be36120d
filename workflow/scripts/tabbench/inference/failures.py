"""Requests without a response, next to the response log: what failed in the last run, and why.

The log itself holds responses only. A failed request has none, so that the next run sends it again.
Its record lets predictions count it where a model's entry tolerates errors.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from tabbench.core.disk import writing
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import Description, Failure


@dataclass(frozen=True)
class FailedRequest:
    """A request's key, why it has no response, and which model was asked."""

    key: str
    failure: Failure
    description: Description


def failures_path(log: Path) -> Path:
    """Path of the failures of a response log."""
    return log.with_suffix(".errors.jsonl")


def forget_failures(log: Path) -> None:
    """Remove the records of the previous run, as each of its failed requests is sent again."""
    failures_path(log).unlink(missing_ok=True)


def record_failures(log: Path, failed: Iterable[FailedRequest]) -> None:
    """Append failures; they are on disk when this returns. The log's lock protects them too."""
    lines = [json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in failed]
    if lines:
        text, path = "".join(lines), failures_path(log)
        with writing(path, len(text)), path.open("a", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())


def read_failures(log: Path) -> dict[str, FailedRequest]:
    """Failures of the last run of a response log, by key. A torn last line is left out.

    Raises
    ------
    TabBenchError
        When a line cannot be read.
    """
    path = failures_path(log)
    if not path.exists():
        return {}
    failed = {}
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            record = json.loads(line)
            failure = Failure(**record["failure"])
            description = Description(**record["description"])
            failed[record["key"]] = FailedRequest(record["key"], failure, description)
        except (ValueError, KeyError, TypeError) as error:
            raise TabBenchError(
                f"{path}, line {number}: not a record of a failed request ({error}); delete the "
                f"file and run again"
            ) from error
    return failed
