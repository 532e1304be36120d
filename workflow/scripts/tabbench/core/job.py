"""The frame around every rule's script: its log and how an error ends it."""

import contextlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from tabbench.core.errors import TabBenchError


@contextlib.contextmanager
def job(log: str) -> Iterator[None]:
    """Send what the script prints to its log file; end on a user's error without a traceback.

    The message of a TabBenchError goes to the log and to the terminal, and the exit code is 1.
    Any other exception is a fault of the workflow and keeps its traceback, in both.
    """
    terminal = sys.stderr
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    with (
        Path(log).open("w", encoding="utf-8", buffering=1) as file,
        contextlib.redirect_stdout(file),
        contextlib.redirect_stderr(file),
    ):
        try:
            yield
        except TabBenchError as error:
            print(f"ERROR: {error}", file=file)
            print(f"\nERROR: {error}\n", file=terminal, flush=True)
            sys.exit(1)
        except Exception:
            traceback.print_exc(file=file)
            raise
