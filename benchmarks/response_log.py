"""What a response log of a million answers costs: append, resume, look-up; seconds and memory.

    PYTHONPATH=workflow/scripts python benchmarks/response_log.py [--answers 1000000]

Each step runs in a process of its own, which is what a job pays. Exits 1 when a limit is missed.
"""

import argparse
import hashlib
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tabbench.inference.engines.base import Answer, Description, Generation, LabelScore
from tabbench.inference.responses import Response, ResponseLog, read_responses

RESUME_SECONDS, MEBIBYTES = 10, 1024
BATCH = 64
LOOK_UPS = 10_000
DESCRIPTION = Description("transformers", "completion", "float32", "0123456789ab")


def key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def answer(number: int) -> Answer:
    """Forward and generation by turns, with floats of full length."""
    logp_0, logp_1, seconds = -1 / (number + 1.1), -1 / (number + 1.3), 1 / (number + 7)
    if number % 2:
        return LabelScore(logp_0, logp_1, 1234, seconds)
    return Generation("1. Patient", {0: (logp_0, logp_1)}, 1234, 4, seconds)


def append(path: Path, answers: int) -> str:
    with ResponseLog(path) as log:
        for start in range(0, answers, BATCH):
            numbers = range(start, min(start + BATCH, answers))
            log.append(Response(key(number), answer(number), DESCRIPTION) for number in numbers)
    size = path.stat().st_size
    return f"{answers:,} answers in batches of {BATCH}, {size / answers:.0f} bytes each"


def resume(path: Path, answers: int) -> str:
    """What infer does first: find out which prompts are answered, and lock the log."""
    responses = read_responses(path)
    with ResponseLog(path):
        responses.read_on()
        known = set(responses)
    assert len(known) == answers
    return "which prompts are answered"


def look_up(path: Path, answers: int) -> str:
    """What predict does: read a dataset's answers."""
    responses = read_responses(path)
    numbers = random.Random(0).sample(range(answers), min(LOOK_UPS, answers))
    for number in numbers:
        assert responses[key(number)].answer == answer(number)
    return f"{len(numbers):,} answers by their keys, in no order"


def measured(step: Callable[[Path, int], str], path: Path, answers: int, queue: Any) -> None:
    clock, processor = time.perf_counter(), time.process_time()
    text = step(path, answers)
    seconds = time.perf_counter() - clock, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    queue.put((text, *seconds, peak))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=1_000_000)
    options = parser.parse_args()
    missed = False
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k0.jsonl"
        for step in (append, resume, look_up):
            queue = spawn.Queue()
            process = spawn.Process(target=measured, args=(step, path, options.answers, queue))
            process.start()
            text, seconds, processor, peak = queue.get()
            process.join()
            good = peak <= MEBIBYTES and (step is append or processor <= RESUME_SECONDS)
            missed |= not good
            print(
                f"{step.__name__:<8} {seconds:6.1f} s ({processor:.1f} s of processor time), "
                f"{peak:.0f} MiB: {text}: {'PASS' if good else 'FAIL'}",
                flush=True,
            )
    print(
        f"limits: {RESUME_SECONDS} s of processor time for resume and look-up, "
        f"{MEBIBYTES} MiB for each"
    )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
