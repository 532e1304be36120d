"""Does a fast test notice when the code is wrong? Faults written by hand, and the tests they fail.

`mutants.yaml` lists small faults: a module, a text in it, and the text that replaces it. Each is
put into a copy of the repository, where the module's fast tests then run. A fault that no test
notices has survived.

It is a list and not a mutation tool. For the key modules cosmic-ray makes 21,500 mutants, most of
them alike (another constant, another comparison), which at some seconds each is more than a day on
two cores. And its operators cannot write the faults that matter here: the labels of all examples
swapped, the seed of a draw ignored, a column left out of a key, another column of the same table.
"""

import argparse
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("mutants.yaml")
PACKAGE = Path("workflow/scripts/tabbench")
FAST = "not slow and not mirror and not oracle"
WANTED = 0.95
"""Smallest share of the mutants that fast tests must notice."""
_NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", ".snakemake", "results", "logs", "__pycache__", ".*_cache", ".hypothesis"
)

_FORKS = multiprocessing.get_context("forkserver")
_SLOW_TO_LOAD = (
    *("hypothesis", "matplotlib.figure", "pyarrow.parquet", "scipy.stats", "sklearn.pipeline"),
    *("torch", "transformers.models.llama.modeling_llama"),
)


class ListError(Exception):
    """The list does not fit the code, or the tests fail without any fault."""


@dataclass(frozen=True)
class Mutant:
    """A fault: in ``module``, ``original`` becomes ``mutated``.

    ``tests`` are files of ``tests/``. ``equivalent`` says why nothing could notice the fault; it is
    empty for all others.
    """

    module: str
    tests: tuple[str, ...]
    original: str
    mutated: str
    equivalent: str = ""

    def applied(self, text: str) -> str:
        """Return the module's text with the fault.

        Raises
        ------
        ListError
            When the original text does not occur exactly once.
        """
        count = text.count(self.original)
        if count != 1:
            raise ListError(
                f"{self.module}: {self.original!r} occurs {count} times, not once; bring "
                f"{LIST.name} up to date"
            )
        return text.replace(self.original, self.mutated)


def read_mutants(path: Path = LIST) -> list[Mutant]:
    """Read the list."""
    return [
        Mutant(part["module"], tuple(part["tests"]), **one)
        for part in yaml.safe_load(path.read_text(encoding="utf-8"))
        for one in part["mutants"]
    ]


def notices(copy: Path, tests: Sequence[str], timeout: float) -> bool:
    """Whether the fast tests of a copy fail, or do not end in time.

    They run in a fork of a process that `main` lets load what takes long, torch above all.

    Raises
    ------
    ListError
        When pytest finds no test to run.
    """
    process = _FORKS.Process(target=_test, args=(str(copy), tests))
    process.start()
    process.join(timeout)
    if process.exitcode is None:
        process.kill()
        process.join()
        return True
    if process.exitcode in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise ListError(f"{', '.join(tests)}: no fast test was found")
    return process.exitcode != pytest.ExitCode.OK


def _test(copy: str, tests: Sequence[str]) -> None:
    os.chdir(copy)
    # Without files of byte code: they are told apart by size and whole seconds alone.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", FAST]
    sys.exit(pytest.main([*options, *(f"tests/{name}" for name in tests)]))


def results(mutants: Sequence[Mutant], jobs: int, timeout: float) -> Iterator[tuple[Mutant, bool]]:
    """Yield each mutant and whether its tests notice it, in the order of the list.

    Raises
    ------
    ListError
        When a mutant does not fit its module, or the tests fail without any.
    """
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            copies.put(shutil.copytree(ROOT, Path(folder, str(number)), ignore=_NOT_COPIED))

        def whole(tests: tuple[str, ...]) -> None:
            copy = copies.get()
            failed = notices(copy, tests, timeout)
            copies.put(copy)
            if failed:
                raise ListError(f"{', '.join(tests)}: fails without any mutant; run it alone first")

        def tried(mutant: Mutant) -> bool:
            copy = copies.get()
            module = copy / PACKAGE / mutant.module
            text = module.read_text(encoding="utf-8")
            try:
                module.write_text(mutant.applied(text), encoding="utf-8")
                return notices(copy, mutant.tests, timeout)
            finally:
                module.write_text(text, encoding="utf-8")
                copies.put(copy)

        with ThreadPoolExecutor(jobs) as workers:
            list(workers.map(whole, dict.fromkeys(mutant.tests for mutant in mutants)))
            yield from zip(mutants, workers.map(tried, mutants), strict=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("modules", nargs="*", help="parts of module names; all without any")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds of a mutant's tests")
    given = parser.parse_args()
    chosen = [
        mutant
        for mutant in read_mutants()
        if not mutant.equivalent
        and (not given.modules or any(part in mutant.module for part in given.modules))
    ]
    _FORKS.set_forkserver_preload(list(_SLOW_TO_LOAD))
    killed: dict[str, list[bool]] = {}
    for mutant, noticed in results(chosen, given.jobs, given.timeout):
        killed.setdefault(mutant.module, []).append(noticed)
        if not noticed:
            print(f"survived  {mutant.module}: {mutant.original!r} -> {mutant.mutated!r}")
            sys.stdout.flush()
    for module, found in killed.items():
        print(f"{sum(found):4} of {len(found):3} killed  {module}")
    total = sum(map(sum, killed.values()))
    print(f"{total:4} of {len(chosen):3} killed  ({total / len(chosen):.1%})")
    if total < WANTED * len(chosen):
        sys.exit(f"fewer than {WANTED:.0%} are killed by fast tests")


if __name__ == "__main__":
    try:
        main()
    except ListError as error:
        sys.exit(str(error))
