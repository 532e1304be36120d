"""Files that several jobs write, one at a time."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from tabbench.core.disk import writing
from tabbench.core.errors import TabBenchError


def lock(file: IO[bytes], path: Path, wait: bool = True) -> None:
    """Lock an open file until it is closed.

    Raises
    ------
    BlockingIOError
        When another job holds it, and this one is not to ``wait``.
    TabBenchError
        When the file system cannot lock files.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        raise TabBenchError(
            f"{path}: this file system cannot lock files ({error.strerror}), so that jobs could "
            "overwrite each other's records; run the workflow on another file system"
        ) from error


@contextmanager
def alone(path: Path) -> Iterator[BinaryIO]:
    """Open a file, made where it is missing, to read and write; no other job has it meanwhile.

    Raises
    ------
    TabBenchError
        When the file cannot be written or locked.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        with path.open("r+b") as file:
            lock(file, path)
            yield file
