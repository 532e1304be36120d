"""The frame around every rule's script: its log and how an error ends it."""

import contextlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TextIO

from tabbench.core.disk import refusal
from tabbench.core.errors import TabBenchError
from tabbench.core.secrets import MaskedLog, masked


@contextlib.contextmanager
def job(log: str) -> Iterator[None]:
    """Send what the script prints to its log file; end on a user's error without a traceback.

    The message of a TabBenchError goes to the log and to the terminal, and the exit code is 1; so
    does what is said of a full disk. Any other exception is a fault of the workflow and keeps its
    traceback, in both. Secrets are masked everywhere.
    """
    terminal = sys.stderr
    file = _open(Path(log), terminal)
    try:
        with contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
            try:
                yield
            except TabBenchError as error:
                _end(str(error), file, terminal)
            except Exception as error:
                if said := refusal(error, getattr(error, "filename", None)):
                    _end(said, file, terminal)
                traceback.print_exc(file=file)
                raise
    finally:
        with contextlib.suppress(OSError):  # a full disk, which has ended the script before
            file.close()


def _open(log: Path, terminal: TextIO) -> TextIO:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return MaskedLog(log)
    except OSError as error:
        if said := refusal(error, log):
            _end(said, None, terminal)
        raise


def _end(message: str, file: TextIO | None, terminal: TextIO) -> NoReturn:
    print(masked(f"\nERROR: {message}\n"), file=terminal, flush=True)
    if file is not None:
        with contextlib.suppress(OSError):  # on a full disk the terminal has it alone
            print(f"ERROR: {message}", file=file)
    sys.exit(1)
