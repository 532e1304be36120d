"""A run that was killed does not keep the next one out."""

import contextlib
import fcntl
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

import psutil
import snakemake.workflow
from snakemake.exceptions import WorkflowError
from snakemake.persistence.file import FilePersistence

from tabbench.core.disk import refusal


class OwnedLocks(FilePersistence):
    """Snakemake's locks, each with a file that its run holds as long as it lives.

    The kernel lets go of that file when the run ends, however it ends. A lock whose file is free,
    and that this host made, is the lock of a dead run, unless jobs of it go on. What another host
    made stays, as this kernel may not know.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        try:
            super().__init__(*arguments, **options)
        except OSError as error:
            raise WorkflowError(refusal(error, error.filename) or str(error)) from None
        self._held: list[TextIO] = []

    def _write_locks(self, lock_type: str, keys: Iterable[str]) -> None:
        super()._write_locks(lock_type, keys)
        if lock_type in self._lockfile:
            file = _owner(Path(self._lockfile[lock_type])).open("w", encoding="utf-8")
            with contextlib.suppress(OSError):  # a file system without locks: none is ever dead
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                file.write(socket.gethostname())
                file.flush()
            self._held.append(file)

    def _delete_locks(self) -> None:
        super()._delete_locks()
        while self._held:
            self._held.pop().close()

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Lock what this run reads and makes.

        Raises
        ------
        WorkflowError
            When another run holds some of it, or may do so.
        """
        jobs = _jobs()
        for lock in Path(self._lockdir).glob("*.lock"):
            if not jobs and _dead(_owner(lock)):
                lock.unlink(missing_ok=True)
                _owner(lock).unlink(missing_ok=True)
        if self.locked:
            hosts = sorted(filter(None, map(_host, Path(self._lockdir).glob("*.owner"))))
            where = f" on {hosts[0]}" if hosts else ""
            what = f", its processes: {', '.join(map(str, jobs))}" if jobs else ""
            raise WorkflowError(
                f"Another run works in {Path.cwd()}{where}{what}. Wait until it has ended. If "
                "there is none, as its machine has failed: snakemake --cores 1 --unlock"
            )
        with super().lock():
            yield


def _owner(lock: Path) -> Path:
    return lock.with_suffix(".owner")


def _host(owner: Path) -> str:
    try:
        return owner.read_text(encoding="utf-8")
    except OSError:
        return ""


def _dead(owner: Path) -> bool:
    if _host(owner) != socket.gethostname():
        return False
    try:
        with owner.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _jobs() -> list[int]:
    """Processes of this host that run scripts in this folder, of whichever run."""
    scripts = f"{Path.cwd()}/.snakemake/scripts/"
    found = psutil.process_iter(["cmdline"])
    return [one.pid for one in found if scripts in " ".join(one.info["cmdline"] or ())]


def forget_dead_locks() -> None:
    """Let Snakemake use `OwnedLocks`."""
    snakemake.workflow.FilePersistence = OwnedLocks
