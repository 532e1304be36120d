"""The lock of a run that was killed is removed; that of one that lives, or may live, is not."""

import errno
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import snakemake.api  # noqa: F401 (before snakemake.workflow, which needs it)
from snakemake.exceptions import WorkflowError
from workflow_copy import ROOT

sys.path.extend([str(ROOT / "workflow"), str(ROOT / "workflow/scripts")])
from dead_locks import OwnedLocks

pytestmark = pytest.mark.slow

HOLDER = f"""
import sys, time
sys.path[:0] = [{str(ROOT / "tests")!r}]
from test_dead_locks import locks
with locks().lock():
    print("locked", flush=True)
    time.sleep(100)
"""


class Locks(OwnedLocks):
    """Of a run that reads and makes one file each."""

    def all_inputfiles(self) -> list[str]:
        return ["read"]

    def all_outputfiles(self) -> list[str]:
        return ["made"]


def locks() -> OwnedLocks:
    return Locks(path=Path(".snakemake").resolve())


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., object]]:
    """Start a Python process in the folder of the run, and wait until it speaks."""
    monkeypatch.chdir(tmp_path)
    started: list[subprocess.Popen[str]] = []

    def one(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, *arguments], stdout=subprocess.PIPE, text=True, cwd=tmp_path
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        return process

    yield one
    for process in started:
        end(process)


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def refused() -> str:
    with pytest.raises(WorkflowError) as error, locks().lock():
        pass
    return str(error.value)


def test_the_lock_of_a_killed_run_is_removed_and_that_of_a_living_one_is_not(start) -> None:
    run = start("-c", HOLDER)
    said = refused()
    assert f"Another run works in {Path.cwd()} on {socket.gethostname()}" in said
    assert said.endswith("snakemake --cores 1 --unlock")
    end(run)
    with locks().lock():
        assert "Another run" in refused()
    assert not list(Path(".snakemake").glob("locks/*"))


def test_a_folder_that_is_closed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def makedirs(name: str, **_: bool) -> None:
        raise OSError(errno.EROFS, "closed", name)

    monkeypatch.setattr("snakemake.persistence.os.makedirs", makedirs)
    with pytest.raises(WorkflowError, match=r"\.snakemake: Read-only file system\. Give yourself"):
        locks()


def test_a_job_of_a_killed_run_that_goes_on_is_waited_for(start, tmp_path: Path) -> None:
    run = start("-c", HOLDER)
    script = tmp_path / ".snakemake/scripts/tmp.infer.py"
    script.parent.mkdir()
    script.write_text("import time\nprint('locked', flush=True)\ntime.sleep(100)")
    job = start(str(script))
    end(run)
    assert f"its processes: {job.pid}." in refused()
    end(job)
    with locks().lock():
        pass


def test_the_lock_of_another_host_or_another_snakemake_stays(
    start, monkeypatch: pytest.MonkeyPatch
) -> None:
    end(start("-c", HOLDER))
    here = socket.gethostname()
    with monkeypatch.context() as patch:
        patch.setattr("dead_locks.socket.gethostname", lambda: "elsewhere")
        assert f"on {here}" in refused()
    for owner in Path(".snakemake/locks").glob("*.owner"):
        owner.write_text("elsewhere")
    assert "on elsewhere" in refused()
    for owner in Path(".snakemake/locks").glob("*.owner"):
        owner.unlink()
    assert "--unlock" in refused()
