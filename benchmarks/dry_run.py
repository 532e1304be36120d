"""What planning costs: time and peak memory of a dry run of the paper's whole grid.

    python benchmarks/dry_run.py [--configfile config/paper.yaml] [--runs 3] [folder of a run]

Measures ``snakemake -n --cores 2`` in the repository, or in a folder where the workflow has
already run (nothing to do). Exits 1 when a limit is missed.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

PROCESSOR_SECONDS, MEGABYTES = 30, 500


def measure(command: list[str], folder: Path) -> tuple[float, float, float, str]:
    """Clock and processor seconds, peak resident megabytes, and the summary line."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(output[-3000:])
    total = [line for line in output.splitlines() if line.startswith(("total", "Nothing to be"))]
    seconds = time.perf_counter() - start
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, total[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--configfile", default="config/paper.yaml")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "2"]
    command += ["--configfile", options.configfile]
    missed = False
    for _ in range(options.runs):
        seconds, processor, megabytes, jobs = measure(command, options.folder)
        good = processor <= PROCESSOR_SECONDS and megabytes <= MEGABYTES
        missed |= not good
        print(
            f"{seconds:.1f} s, {processor:.1f} s of processor time (<= {PROCESSOR_SECONDS}), "
            f"{megabytes:.0f} MiB (<= {MEGABYTES}), {' '.join(jobs.split())}: "
            f"{'PASS' if good else 'FAIL'}",
            flush=True,
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
