"""How far a run is: what is asked of each model, what is answered, and how long the rest may take.

Read off the files that a run leaves, so that it can be asked at any time and from anywhere.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from tabbench.inference.progress import duration, short

TAIL = 1 << 16
"""Bytes at the end of a log that tell the tokens of a mean answer."""
CHUNK = 1 << 22


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

    Tokens are means over the newest answers of each log, times its answers.
    """

    jobs: int = 0
    finished: int = 0
    prompts: int = 0
    answered: int = 0
    unmade: int = 0
    read: float = 0.0
    written: float = 0.0

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
        answered = rows if finished else min(rows, lines(log))
        count.prompts += rows
        count.answered += answered
        read, written = mean_tokens(log)
        count.read += answered * read
        count.written += answered * written
    return count


def lines(path: Path) -> int:
    """Number of complete lines; 0 where there is no file."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(CHUNK), b""))


def mean_tokens(path: Path) -> tuple[float, float]:
    """Mean tokens read and written of the newest answers of a log; zeros where there are none."""
    if not path.exists():
        return 0.0, 0.0
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL))
        found = file.read().split(b"\n")
    # The first may begin in the middle of a line, the last may still be written.
    whole = found[int(size > TAIL) : -1]
    answers = [json.loads(line) for line in whole]
    if not answers:
        return 0.0, 0.0
    read = sum(answer.get("prompt_tokens", 0) for answer in answers)
    written = sum(answer.get("completion_tokens", 0) for answer in answers)
    return read / len(answers), written / len(answers)


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
