"""Time and memory of a job that asks a model, kept from the run that sent the requests."""

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HEADER = ("s", "cpu_time", "max_rss")
"""Wall seconds, processor seconds and MiB, named as in Snakemake's own benchmark files."""


@contextmanager
def measured(path: Path, asked: Callable[[], bool]) -> Iterator[None]:
    """Record time and memory of the block if it asked a model; else keep the earlier record.

    Snakemake's benchmark of a rule would be overwritten by a later run that finds every answer in
    the log.

    Parameters
    ----------
    path : a .tsv file
    asked : whether the model was asked; called after the block, also when it failed
    """
    start, busy = time.monotonic(), _processor_seconds()
    try:
        yield
    finally:
        if asked():
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            row = (time.monotonic() - start, _processor_seconds() - busy, peak)
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = ("\t".join(HEADER), "\t".join(f"{value:.2f}" for value in row))
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
