"""Spending on a model over all runs and jobs, in one small file, and its limit.

A request is charged ahead, with the most that it may cost, and settled when its reply is there. So
nothing is missing when a job is killed, and jobs that run at the same time keep one budget.
"""

import csv
import datetime
import math
import os
from dataclasses import astuple
from pathlib import Path
from typing import BinaryIO, Literal
from uuid import uuid4

from tabbench.core.errors import TabBenchError
from tabbench.core.locks import alone
from tabbench.inference.engines.replies import Tokens

State = Literal["sent", "counted", "estimated", "refused"]
"""``sent``: charged ahead; stays where a job was killed. ``counted``: by the endpoint's own count.
``estimated``: the most that it may have cost, as the endpoint did not say. ``refused``: for free.
"""

HEADER = (
    *("time", "request", "state"),
    *("prompt_tokens", "cached_tokens", "completion_tokens", "cost"),
)


class Spending:
    """Charges in a CSV file that all jobs of a model share; the last line of a request counts.

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
        self._path = path
        self._forget()
        if path.exists():
            with path.open("rb") as file:
                self._read_on(file)

    def _forget(self) -> None:
        self._read, self._settled = 0, 0.0
        self._open: dict[str, float] = {}

    @property
    def open(self) -> float:
        """Money of requests whose reply is not there: in flight, or of a job that was killed."""
        return math.fsum(self._open.values())

    @property
    def total(self) -> float:
        """Money of all charges that were read, open ones included."""
        return self._settled + self.open

    def _read_on(self, file: BinaryIO) -> None:
        """Add the charges that were written since the last look, by this job or another."""
        if file.seek(0, os.SEEK_END) < self._read:  # somebody shortened the file
            self._forget()
        file.seek(self._read)
        new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in csv.reader(whole.decode(errors="replace").splitlines()):
            if tuple(line) != HEADER:
                self._count(line)

    def _count(self, line: list[str]) -> None:
        try:
            fields = dict(zip(HEADER, line, strict=True))
            cost = float(fields["cost"])
            if not math.isfinite(cost):
                raise ValueError
        except ValueError as error:
            raise TabBenchError(
                f"{self._path}: not a line of charges: {','.join(line)!r}; mend or delete it "
                f"(it counts towards limits.budget of the model's entry)"
            ) from error
        if fields["state"] == "sent":
            self._open[fields["request"]] = cost
        else:
            self._open.pop(fields["request"], None)
            self._settled += cost

    def charge_ahead(self, most: Tokens, cost: float, budget: float | None) -> str | None:
        """Write down the most that a request may cost, before it is sent.

        Returns
        -------
        str or None
            The request's name for `settle`; None, and nothing is written, where the budget does
            not hold it.
        """
        request = uuid4().hex
        with alone(self._path) as file:
            self._read_on(file)
            if budget is not None and self.total + cost > budget:
                return None
            self._append(file, request, "sent", most, cost)
        return request

    def settle(self, request: str, state: State, tokens: Tokens, cost: float) -> None:
        """Write down what a request cost; the record is on disk when this returns."""
        with alone(self._path) as file:
            self._read_on(file)
            self._append(file, request, state, tokens, cost)
            os.fsync(file.fileno())

    def _append(
        self, file: BinaryIO, request: str, state: State, tokens: Tokens, cost: float
    ) -> None:
        time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        line = ",".join(map(str, (time, request, state, *astuple(tokens), repr(cost)))) + "\n"
        head = "" if self._read else ",".join(HEADER) + "\n"
        file.truncate(self._read)  # drops a line that a killed job left torn
        file.seek(self._read)
        file.write((head + line).encode())
        file.flush()
        self._read_on(file)
