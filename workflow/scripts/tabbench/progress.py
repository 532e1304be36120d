"""Progress of an inference job: prompts done, from the log, per second, remaining."""

import sys
from types import TracebackType
from typing import TextIO

from tqdm import tqdm


class Progress:
    """A bar on a terminal; elsewhere (a file, CI) a line now and then."""

    LINE_EVERY = 30.0  # seconds

    def __init__(self, label: str, total: int, stream: TextIO | None = None) -> None:
        stream = stream or sys.stderr
        live = stream.isatty()
        self._bar = tqdm(
            total=total,
            desc=label,
            unit=" prompts",
            file=stream,
            mininterval=0.5 if live else self.LINE_EVERY,
            maxinterval=10.0 if live else self.LINE_EVERY,
            bar_format=None
            if live
            else "{desc}: {n_fmt}/{total_fmt} prompts, {rate_fmt}, {remaining} left{postfix}\n",
            dynamic_ncols=True,
        )
        self._cached = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.close()

    def cached(self, prompts: int) -> None:
        """Count prompts whose answers the log held; they do not enter the rate."""
        self._cached += prompts
        self._bar.initial += prompts
        self._bar.n += prompts
        self._bar.set_postfix_str(f"{self._cached} cached")

    def asked(self, prompts: int) -> None:
        """Count prompts that were asked now."""
        self._bar.update(prompts)
