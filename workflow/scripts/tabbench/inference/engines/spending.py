"""Spending on a model over all runs and jobs, in one small file, and its limit."""

import csv
import datetime
import fcntl
import os
from pathlib import Path

from tabbench.core.errors import TabBenchError

HEADER = ("time", "prompt_tokens", "cached_tokens", "completion_tokens", "cost")


class Spending:
    """Append each charge to a CSV file that all jobs of a model share, and add them up.

    Parameters
    ----------
    path
        The file; made with the first charge.

    Raises
    ------
    TabBenchError
        When a line cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._read, self.total = path, 0, 0.0
        self.refresh()

    def refresh(self) -> None:
        """Add the charges that were written since the last look, by this job or another."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in csv.reader(whole.decode().splitlines()):
            if tuple(line) != HEADER:
                self.total += self._cost(line)

    def _cost(self, line: list[str]) -> float:
        try:
            return float(dict(zip(HEADER, line, strict=True))["cost"])
        except ValueError as error:
            raise TabBenchError(
                f"{self._path}: not a line of charges: {','.join(line)!r}; mend or delete it "
                f"(it counts towards limits.budget of the model's entry)"
            ) from error

    def charge(
        self, prompt_tokens: int, cached_tokens: int, completion_tokens: int, cost: float
    ) -> None:
        """Write down what one reply cost; the record is on disk when this returns."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        fields = (time, prompt_tokens, cached_tokens, completion_tokens, f"{cost:.10f}")
        with self._path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            whole = file.seek(0) or file.read().rfind(b"\n") + 1
            file.truncate(whole)  # drops a line that a killed job left torn
            head = b"" if whole else (",".join(HEADER) + "\n").encode()
            file.write(head + (",".join(map(str, fields)) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())
        self.refresh()
