"""Requests without an answer, beside the response log: what failed in the last run, and why.

The log itself holds answers only. A failed request has none, so that the next run asks it again;
its record lets predictions count it where a model's entry tolerates errors.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from tabbench.engines.base import Description, Failure
from tabbench.errors import TabBenchError


@dataclass(frozen=True)
class FailedRequest:
    """A request's key, why it has no answer, and who was asked."""

    key: str
    failure: Failure
    description: Description


def failures_path(log: Path) -> Path:
    """Where the failures of a response log are."""
    return log.with_suffix(".errors.jsonl")


def forget_failures(log: Path) -> None:
    """Remove what the run before recorded: each of its failures is asked again."""
    failures_path(log).unlink(missing_ok=True)


def record_failures(log: Path, failed: Iterable[FailedRequest]) -> None:
    """Append failures; they are on disk when this returns. The log's lock protects them too."""
    lines = [json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in failed]
    if lines:
        with failures_path(log).open("a", encoding="utf-8") as file:
            file.write("".join(lines))
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
