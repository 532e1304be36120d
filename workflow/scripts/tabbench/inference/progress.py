"""Progress of an inference job, for a person at a terminal, over ssh or in a log file."""

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TextIO

from tabbench.inference.engines.base import TOO_LONG, Answer, Failure, Outcome, Usage

LIVE_EVERY, LINE_EVERY = 0.5, 30.0  # seconds between two updates on a terminal, two lines elsewhere
WINDOW = 60.0  # seconds over which the rate is taken


@dataclass
class _Place:
    """A stream and when it was last written to; a terminal keeps one line up to date."""

    stream: TextIO
    live: bool
    written: float | None = None

    def write(self, text: str, last: bool) -> None:
        if self.live:
            width = os.get_terminal_size(self.stream.fileno()).columns or 80
            end = "\n" if last else ""
            self.stream.write(f"\r{text[: width - 1]}\x1b[K{end}")
        else:
            self.stream.write(text + "\n")
        self.stream.flush()


@dataclass
class _Tally:
    """Numbers of prompts by outcome; cached responses are not parsed again."""

    cached: int = 0
    asked: int = 0
    invalid: int = 0
    failed: int = 0
    too_long: int = 0
    usage: Usage = field(default_factory=Usage)

    @property
    def done(self) -> int:
        return self.cached + self.asked + self.too_long


class Progress:
    """Counts a job's prompts and reports progress at intervals.

    Parameters
    ----------
    label : name of the job
    total : prompts of the job
    streams : where to report; a terminal shows one line that changes, another stream gets a line
        every 30 seconds and a last one
    valid : whether an answer holds a label
    currency : of the costs
    clock : seconds from anywhere
    """

    def __init__(
        self,
        label: str,
        total: int,
        streams: Sequence[TextIO],
        valid: Callable[[Answer], bool] = lambda _: True,
        currency: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._label, self._total = label, total
        self._places = [_Place(stream, stream.isatty()) for stream in streams]
        self._valid, self._currency, self._clock = valid, currency, clock
        self._tally = _Tally()
        self._start = clock()
        self._steps = deque([(self._start, 0)])

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._show(last=True)

    def cached(self, prompts: int) -> None:
        """Count prompts with cached responses; they do not enter the rate."""
        self._tally.cached += prompts

    def too_long(self, prompts: int) -> None:
        """Count prompts that do not fit into the model's context."""
        self._tally.too_long += prompts

    def asked(self, outcomes: Sequence[Outcome], usage: Usage) -> None:
        """Count prompts that were answered in this run, at least one.

        Parameters
        ----------
        usage : of the engine since it was loaded
        """
        tally = self._tally
        for outcome in outcomes:
            if isinstance(outcome, Failure) and outcome.kind == TOO_LONG:
                tally.too_long += 1
                continue
            tally.asked += 1
            if isinstance(outcome, Failure):
                tally.failed += 1
            elif not self._valid(outcome):
                tally.invalid += 1
        tally.usage = usage
        now = self._clock()
        self._steps.append((now, tally.asked))
        while len(self._steps) > 2 and self._steps[1][0] <= now - WINDOW:
            self._steps.popleft()
        self._show()

    def waiting(self, usage: Usage) -> None:
        """Report while nothing is answered, as batches are at work."""
        self._tally.usage = usage
        self._show()

    def say(self, text: str) -> None:
        """Report another message, on a line of its own."""
        for place in self._places:
            place.write(f"{self._label}: {text}", last=True)

    def _show(self, last: bool = False) -> None:
        now = self._clock()
        text = None
        for place in self._places:
            every = LIVE_EVERY if place.live else LINE_EVERY
            if last or place.written is None or now - place.written >= every:
                text = text or self._line(now, last)
                place.write(text, last)
                place.written = now

    def _line(self, now: float, last: bool) -> str:
        """The status line, most important part first, as a terminal may cut the rest."""
        tally, usage = self._tally, self._tally.usage
        share = 100 * tally.done // max(self._total, 1)
        parts = [f"{tally.done:,} of {self._total:,} prompts ({share} %)"]
        if usage.waiting:
            parts.append(str(usage.waiting))
        if tally.asked:
            parts += self._pace(now, last)
        if usage.cost:
            part = usage.estimated_cost
            guessed = f" ({part:.4f} of it by estimate)" if part else ""
            parts.append(f"{usage.cost:.4f} {self._currency}".strip() + guessed)
        counts = {"from the log": tally.cached, "invalid": tally.invalid, "failed": tally.failed}
        counts["too long"] = tally.too_long
        counts["retried"] = usage.retries
        parts += [f"{count:,} {what}" for what, count in counts.items() if count]
        if tally.asked:
            parts.append(f"{short(usage.prompt_tokens)} tokens read")
            parts.append(f"{short(usage.completion_tokens)} written")
        return f"{self._label}: " + ", ".join(parts)

    def _pace(self, now: float, last: bool) -> list[str]:
        """Time and rate: at the end of the whole job, before that of the last minute."""
        then, asked = (self._start, 0) if last else self._steps[0]
        rate = (self._tally.asked - asked) / max(now - then, 1e-9)
        if last:
            time_ = f"{duration(now - self._start)} in all"
        else:
            time_ = f"{duration((self._total - self._tally.done) / rate)} left"
        return [time_, f"{rate:.3g}/s"]


def short(number: int) -> str:
    """Three digits of a large number.

    Examples
    --------
    >>> short(950), short(12_345), short(2_500_000)
    ('950', '12.3k', '2.5M')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return str(number)


def duration(seconds: float) -> str:
    """Hours, minutes and seconds.

    Examples
    --------
    >>> duration(75), duration(360_000)
    ('0:01:15', '100:00:00')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
