"""How far a run is: what is asked of each model, what is answered, and how long the rest may take.

Read off the files that a run leaves, so that it can be asked at any time and from anywhere.
"""

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from tabbench.inference.progress import duration, short
from tabbench.inference.responses import is_record

NEWEST = 200
"""Answers at the end of a log that tell the tokens of a mean answer."""


class Job(NamedTuple):
    """Prompts that one job puts to a model.

    Attributes
    ----------
    prompts : files of prompts, one per dataset
    logs : response log of each
    repeats : how often each prompt is sent
    marker : file that the finished job leaves
    """

    model: str
    prompts: Sequence[Path]
    logs: Sequence[Path]
    repeats: int
    marker: Path


@dataclass
class Count:
    """Of one model or of all: jobs, prompts that are made and answered, files of prompts not made.

    Tokens are means over the newest answers of each log, times its answers. ``unreadable`` are
    lines of logs that hold no answer.
    """

    jobs: int = 0
    finished: int = 0
    prompts: int = 0
    answered: int = 0
    unmade: int = 0
    read: float = 0.0
    written: float = 0.0
    unreadable: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def count_job(job: Job) -> Count:
    """Count one job; of a finished one every prompt is answered."""
    finished = job.marker.exists()
    count = Count(jobs=1, finished=int(finished))
    for prompts, log in zip(job.prompts, job.logs, strict=True):
        if not prompts.exists():
            count.unmade += 1
            continue
        rows = pq.read_metadata(prompts).num_rows * job.repeats
        found = read_log(log)
        answered = rows if finished else min(rows, found.answers)
        count.prompts += rows
        count.answered += answered
        count.read += answered * found.read
        count.written += answered * found.written
        count.unreadable += found.unreadable
    return count


class Log(NamedTuple):
    """Lines of a response log with and without an answer, and tokens of a mean newest answer."""

    answers: int = 0
    unreadable: int = 0
    read: float = 0.0
    written: float = 0.0


def read_log(path: Path) -> Log:
    """Count the complete lines of a log; one that is still written is left out."""
    if not path.exists():
        return Log()
    lines = unreadable = 0
    newest: deque[bytes] = deque(maxlen=NEWEST)
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            if line.isspace():
                continue
            lines += 1
            if is_record(line):
                newest.append(line)
            else:
                unreadable += 1
    tokens = []
    for line in newest:
        try:
            tokens.append(_tokens(line))
        except ValueError:  # it only begins and ends like a record
            unreadable += 1
    if not tokens:
        return Log(lines - unreadable, unreadable)
    read, written = (sum(counts) / len(tokens) for counts in zip(*tokens, strict=True))
    return Log(lines - unreadable, unreadable, read, written)


def _tokens(line: bytes) -> tuple[int, int]:
    """Tokens read and written; ValueError where the line is no JSON or they are no numbers."""
    answer = json.loads(line)
    read, written = (answer.get(f"{what}_tokens", 0) for what in ("prompt", "completion"))
    if not (isinstance(read, int) and isinstance(written, int)):
        raise ValueError(f"{read!r} and {written!r} are no counts")
    return read, written


def by_model(jobs: Iterable[Job]) -> dict[str, Count]:
    """Counts of each model, in the order of the jobs."""
    counts: dict[str, Count] = {}
    for job in jobs:
        counts[job.model] = counts.get(job.model, Count()) + count_job(job)
    return counts


def status_lines(
    counts: Mapping[str, Count],
    titles: Mapping[str, str],
    money: Mapping[str, str],
    since: tuple[float, int] | None,
) -> list[str]:
    """What to print: a line for each model, and one for several together.

    Parameters
    ----------
    counts : of each model
    titles : model id to the name that is shown
    money : model id to what it has cost so far, with its currency
    since : seconds since the last call, and prompts answered then; None for the first call
    """
    total = sum(counts.values(), Count())
    found = [_line(titles[name], count, money.get(name)) for name, count in counts.items()]
    if len(found) > 1:
        found.append(_line("all models", total, None))
    left = total.prompts - total.answered
    if total.unmade:
        found.append(f"{total.unmade:,} files of prompts are not made yet and not counted")
    if total.unreadable:
        found.append(
            f"{total.unreadable:,} lines of response logs cannot be read and are not counted; the "
            f"job that reads such a log names the line and what to do"
        )
    if left and since:
        seconds, before = since
        rate = (total.answered - before) / max(seconds, 1e-9)
        found.append(
            f"{rate:.3g} prompts/s since the last call {duration(seconds)} ago; "
            f"{duration(left / rate)} left at this rate"
            if rate > 0
            else f"no new answer since the last call {duration(seconds)} ago"
        )
    elif left:
        found.append("time left: ask again in a while, the rate is taken between two calls")
    return found


def _line(title: str, count: Count, money: str | None) -> str:
    share = 100 * count.answered // max(count.prompts, 1)
    parts = [
        f"{count.answered:,} of {count.prompts:,} prompts ({share} %)",
        f"{count.finished} of {count.jobs} jobs",
        f"≈ {short(round(count.read))} tokens read, {short(round(count.written))} written",
    ]
    return f"{title}: " + ", ".join([*parts, *([money] if money else [])])
