"""Spending over all runs and jobs, in one small file per model, and its limits.

A request is charged ahead, with the most that it may cost, and settled when its reply is there. So
nothing is missing when a job is killed, and jobs that run at the same time keep one budget: that of
their model, and that of all models together. What a killed job had charged ahead stays charged: its
endpoint may have been paid for it.
"""

import datetime
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
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
        The file ``<models>/<model>/spending.csv``; made with the first charge.
    total_budget
        Most money of all models in the folder ``<models>`` together; None: no limit.

    Raises
    ------
    TabBenchError
        When a line cannot be read.
    """

    def __init__(self, path: Path, total_budget: float | None = None) -> None:
        self._path, self._total_budget = path, total_budget
        self._others: dict[Path, Spending] = {}
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

    @property
    def all_models(self) -> float:
        """Money of all charges of all models, read anew but for this model's own."""
        for path in sorted(self._path.parent.parent.glob(f"*/{self._path.name}")):
            if path == self._path:
                continue
            if path in self._others:
                with path.open("rb") as file:
                    self._others[path]._read_on(file)
            else:
                self._others[path] = Spending(path)
        return math.fsum([self.total, *(other.total for other in self._others.values())])

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """Keep all models from charging ahead, where they have one budget."""
        if self._total_budget is None:
            yield
        else:
            with alone(self._path.parent.parent / ".spending.lock"):
                yield

    def _read_on(self, file: BinaryIO) -> None:
        """Add the charges that were written since the last look, by this job or another."""
        if file.seek(0, os.SEEK_END) < self._read:  # somebody shortened the file
            self._forget()
        file.seek(self._read)
        new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.decode(errors="replace").splitlines():
            if (fields := line.split(",")) != list(HEADER):
                self._count(fields)

    def _count(self, line: list[str]) -> None:
        try:
            fields = dict(zip(HEADER, line, strict=True))
            cost = float(fields["cost"])
            if not 0 <= cost < math.inf:
                raise ValueError
        except ValueError as error:
            raise TabBenchError(
                f"{self._path}: not a line of charges: {','.join(line)[:80]!r}; mend or delete it "
                f"(it counts towards limits.budget of the model's entry, and towards budget of the "
                f"configuration)"
            ) from error
        if fields["state"] == "sent":
            self._open[fields["request"]] = cost
        else:
            self._open.pop(fields["request"], None)
            self._settled += cost

    def charge_ahead(
        self, most: Tokens, cost: float, budget: float | None, name: str | None = None
    ) -> str | None:
        """Write down the most that a request may cost, before it is sent.

        Parameters
        ----------
        name : of the request; a new one by default

        Returns
        -------
        str or None
            The request's name for `settle`; None, and nothing is written, where this budget or that
            of all models does not hold it.
        """
        request = name or uuid4().hex
        with self._one_at_a_time(), alone(self._path) as file:
            self._read_on(file)
            if budget is not None and self.total + cost > budget:
                return None
            if self._total_budget is not None and self.all_models + cost > self._total_budget:
                return None
            self._append(file, request, "sent", most, cost)
        return request

    def settle(
        self, request: str, state: State, tokens: Tokens, cost: float, once: bool = False
    ) -> bool:
        """Write down what a request cost; the record is on disk when this returns.

        Parameters
        ----------
        once : not where the request is settled already

        Returns
        -------
        bool
            Whether it was written.
        """
        with alone(self._path) as file:
            self._read_on(file)
            if once and request not in self._open:
                return False
            self._append(file, request, state, tokens, cost)
            os.fsync(file.fileno())
        return True

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
