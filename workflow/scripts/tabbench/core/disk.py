"""What to say when nothing can be written: the disk is full, or the place is closed."""

import contextlib
import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tabbench.core.errors import TabBenchError

_FULL = {errno.ENOSPC, errno.EDQUOT}
_CLOSED = {errno.EROFS, errno.EACCES, errno.EPERM}
_MIB = 1024**2
_RUST = re.compile(r"\(os error (\d+)\)")


def refusal(error: Exception, path: str | Path | None, size: int | None = None) -> str | None:
    """One sentence about an error of writing and what to do; None where it is of another kind.

    Parameters
    ----------
    error : an OSError, or one of a library in Rust (safetensors, say) that quotes its number
    path : what was written; where that is unknown, the disk is named that is full
    size : bytes that were to be written, if known
    """
    number = _number(error)
    reason = os.strerror(number)
    if number in _FULL:
        place = Path(path) if path else _fullest()
        free = shutil.disk_usage(_existing(place)).free / _MIB
        needs = "" if size is None else f", and {max(size / _MIB, 0.1):,.1f} MiB are needed"
        return (
            f"{place}: {reason}: {free:,.1f} MiB are free{needs}. Make room there and run again; "
            "what was finished before is kept"
        )
    if number in _CLOSED and path:
        return (
            f"{path}: {reason}. Give yourself the right to write there, or run the workflow in a "
            "folder where you have it"
        )
    return None


@contextlib.contextmanager
def writing(path: str | Path, size: int | None = None) -> Iterator[None]:
    """Turn an error of writing to ``path``, ``size`` bytes if known, into a sentence.

    Raises
    ------
    TabBenchError
        When the disk is full, or writing is not permitted.
    """
    try:
        yield
    except Exception as error:
        if said := refusal(error, getattr(error, "filename", None) or path, size):
            raise TabBenchError(said) from error
        raise


def _number(error: Exception) -> int:
    if isinstance(error, OSError):
        return error.errno or 0
    quoted = _RUST.search(str(error))
    return int(quoted[1]) if quoted else 0


def _existing(path: Path) -> Path:
    return next(place for place in (path, *path.absolute().parents) if place.exists())


def _fullest() -> Path:
    here = Path.cwd()  # folders of a run may lie on disks of their own
    places = [here, Path(tempfile.gettempdir()), *(one for one in here.iterdir() if one.is_dir())]
    return min(places, key=lambda place: shutil.disk_usage(place).free)
