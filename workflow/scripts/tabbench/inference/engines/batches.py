"""Prompts handed in as files, for which an endpoint takes its time and less money.

A batch is on record before it is made (`batch_records`), so that every run finds again what an
earlier one has handed in. Each batch is charged ahead as a whole and settled when its answers are
here, whether or not somebody has read them by then.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tabbench.config.model_entry import Model
from tabbench.inference.engines.base import Failure, Request, StopError, TextRequest, Waiting
from tabbench.inference.engines.batch_calls import COMPLETED, FAILED, BatchCalls, Look, NoRoomError
from tabbench.inference.engines.batch_lines import (
    MOST_REQUESTS,
    Posted,
    read_lines,
    write_requests,
)
from tabbench.inference.engines.batch_records import Record, Records, write_record
from tabbench.inference.engines.client import Client, GaveUpError, RefusedError, Unanswered
from tabbench.inference.engines.meter import Bill, Meter, checked_tokens
from tabbench.inference.engines.replies import Reply, Tokens
from tabbench.inference.engines.steps import ReplyError

Asked = TypeVar("Asked", Request, TextRequest)
SHORTEST = 0.005
"""Seconds between two rounds at least."""

SILENCE = 3600.0
"""Seconds for which an endpoint may give no news of batches before a run ends."""


class Ask(NamedTuple):
    """How a request is sent, and how its reply and seconds are read."""

    path: str
    body: Mapping[str, Any]
    read: Callable[[Reply, float], Any]


class _Seen:
    """What is known of a batch that is not read yet: its last state, and when to look again."""

    def __init__(self, first: float) -> None:
        self.look: Look | None = None
        self.pause = first
        self.due = 0.0
        self.silent_since: float | None = None

    def wait(self, longest: float) -> None:
        self.due = time.monotonic() + self.pause
        self.pause = min(2 * self.pause, longest)


class Batches:
    """Batches of a model at its endpoint.

    Parameters
    ----------
    folder
        Of the records.
    make
        From a request to how it is sent; called when its file is written, and for its reply.
    """

    def __init__(
        self,
        model: Model,
        folder: Path,
        meter: Meter,
        make: Callable[[Any], Ask],
        connect: Callable[[], Client],
    ) -> None:
        assert model.endpoint is not None
        self._limits, self._meter, self._make, self._connect = model.limits, meter, make, connect
        self._where = f"{model.endpoint.url}, model '{model.id}'"
        self._records = Records(folder)
        self._seen: dict[str, _Seen] = {}  # by tag: those that this run waits for
        self._read: set[str] = set()  # tags of those whose answers were taken
        self._upcoming: Iterator[Sequence[Any]] = iter(())
        self._next: list[Any] = []  # of those that come up: not handed in yet
        self._put: set[str] = set()  # keys of all that was put to `answer`
        self._most = MOST_REQUESTS
        self._full = False  # until one of those that this run waits for has ended
        self._refused = _Seen(model.limits.backoff)  # when to try again after there was no room

    def expect(self, upcoming: Iterator[Sequence[Request]]) -> None:
        """Hand in these requests as well, as the endpoint and the budget have room."""
        self._upcoming = upcoming

    def covers(self, keys: Collection[str]) -> bool:
        """Whether one of these requests was handed in."""
        return any(not set(keys).isdisjoint(record.keys) for record in self._records.all())

    def answer(self, requests: Iterable[tuple[int, Asked]]) -> Iterator[dict[int, Any | Failure]]:
        """Hand in requests, wait, and yield their outcomes batch by batch, nothing now and then.

        Raises
        ------
        StopError
            When the budget does not hold the next request, or the endpoint is unusable. What was
            handed in goes on there.
        """
        with self._records.alone():
            self._records.tidy()
        wanted = {request.key: (index, request) for index, request in requests}
        every, tries = frozenset(wanted), Counter[str]()
        self._put |= every
        with asyncio.Runner() as runner:
            client = runner.run(_made(self._connect))
            calls = BatchCalls(client, self._where)
            try:
                while wanted:
                    with self._records.alone():
                        runner.run(self._look(calls, wanted))
                        ended = [one for one in self._live(wanted) if one.status is not None]
                        # What an ended batch lacks is known only when it is read.
                        handed_in = not ended and runner.run(self._hand_in_next(calls, wanted))
                    for record in ended:
                        outcomes, stop = self._outcomes(client, record, wanted, tries)
                        yield outcomes
                        self._read.add(record.tag)
                        self._seen.pop(record.tag, None)
                        if every.issuperset(record.keys):
                            record.forget()
                        if stop is not None:
                            raise stop
                    self._meter.usage.waiting = self._waiting()
                    if wanted and not ended and not handed_in:
                        yield {}
                        time.sleep(self._until_due())
            finally:
                runner.run(client.__aexit__())

    def _live(self, wanted: Collection[str]) -> list[Record]:
        """Batches on record that hold wanted requests and were not read in this run."""
        return [
            record
            for record in self._records.all()
            if record.tag not in self._read and any(key in wanted for key in record.keys)
        ]

    async def _look(self, calls: BatchCalls, wanted: Collection[str]) -> None:
        """Look at the batches that this run waits for, as far as it is time."""
        for record in self._live(wanted):
            self._seen.setdefault(record.tag, _Seen(self._limits.backoff))
        for record in self._records.all():
            seen = self._seen.get(record.tag)
            if seen and record.status is None and seen.due <= time.monotonic():
                await self._advance(calls, record, seen)
        for tag in self._seen.keys() - {record.tag for record in self._records.all()}:
            del self._seen[tag]

    def _busy(self) -> list[Record]:
        """Batches that this run waits for and that have not ended."""
        records = self._records.all()
        return [one for one in records if one.tag in self._seen and one.status is None]

    async def _hand_in_next(self, calls: BatchCalls, wanted: Mapping[str, tuple[int, Any]]) -> bool:
        """Hand in one more batch if there is room; whether one was handed in."""
        looks = [self._seen[one.tag].look for one in self._busy()]
        if not looks:
            self._full = False
        if (
            self._full
            or self._refused.due > time.monotonic()
            # Whether there is room for it is known only then.
            or any(look and look.status == "validating" for look in looks)
        ):
            return False
        if fresh := self._not_on_record(one for _, one in wanted.values()):
            return await self._hand_in(calls, fresh, may_wait=bool(looks))
        self._next = self._to_come(self._next)
        while not self._next and (portion := next(self._upcoming, None)) is not None:
            self._next = self._to_come(portion)
        return bool(self._next) and await self._hand_in(calls, self._next, may_wait=True)

    def _to_come(self, requests: Iterable[Any]) -> list[Any]:
        """Those of some requests that are neither on record nor were put to `answer`."""
        return self._not_on_record(one for one in requests if one.key not in self._put)

    def _not_on_record(self, requests: Iterable[Any]) -> list[Any]:
        """Those of some requests that are in no batch to be read."""
        fresh = {one.key: one for one in requests}
        for record in self._records.all():
            if record.tag not in self._read:
                for key in record.keys:
                    fresh.pop(key, None)
        return list(fresh.values())

    async def _advance(self, calls: BatchCalls, record: Record, seen: _Seen) -> None:
        """Find a batch that a killed run has made, look how it is doing, get what it gave."""
        seen.wait(self._limits.poll_seconds)
        try:
            if record.name is None and not await self._found(calls, record):
                return
            assert record.name is not None
            seen.look = look = await calls.look(record.name)
            seen.silent_since = None
            if look.status == FAILED:
                self._failed(record, look)
            elif look.ended:
                for name, target in zip(look.files, record.answers, strict=True):
                    if name is not None:
                        await calls.fetch(name, target)
                self._settle(calls.client, record, look.status)
                took = time.time() - (record.posted or 0) if look.seconds is None else look.seconds
                record.note(status=look.status, seconds=took)
                self._full, self._most = False, min(2 * self._most, MOST_REQUESTS)
        except GaveUpError as error:
            seen.silent_since = seen.silent_since or time.monotonic()
            if not error.transient or time.monotonic() - seen.silent_since > SILENCE:
                raise StopError(f"{self._of(record)}: {error.failure}") from error
        except RefusedError as error:
            raise StopError(
                f"{error}. This was about {self._of(record)}. If the address or the account was "
                "changed, change it back; to give the batch up, delete that file: its "
                f"{len(record.keys):,} prompts are then asked, and paid for, again"
            ) from error

    async def _found(self, calls: BatchCalls, record: Record) -> bool:
        """Whether the endpoint has a batch whose making was not confirmed; else it is forgotten."""
        if record.posted is not None:
            if look := await calls.find(record.tag, record.input_file, record.posted):
                record.note(name=look.name)
                return True
            if time.time() - record.posted <= self._limits.timeout:
                return False  # it may be on its way
        self._drop(record)
        return False

    def _failed(self, record: Record, look: Look) -> None:
        """Forget a batch that the endpoint did not begin with; it cost nothing."""
        self._drop(record)
        if not look.no_room:
            raise StopError(f"{self._where}: it does not take a batch: {look.why}")
        self._no_room(len(record.keys), NoRoomError(look.why, too_much=True))

    def _no_room(self, requests: int, why: NoRoomError) -> None:
        """Wait until another batch has ended; without one, hand in fewer requests at a time."""
        self._refused.wait(self._limits.poll_seconds)
        self._refused.silent_since = self._refused.silent_since or time.monotonic()
        if not why.too_much:
            if time.monotonic() - self._refused.silent_since > SILENCE:
                raise StopError(f"{self._where}: it makes no batch: {why}")
        elif any(one.name and one.status is None for one in self._records.all()):
            self._full = True
        elif requests > 1:
            self._most = requests // 2
        else:
            raise StopError(f"{self._where}: it takes not even a batch of one request: {why}")

    def _drop(self, record: Record) -> None:
        self._meter.settle_batch(record.tag, Tokens(), Tokens())
        record.forget()

    async def _hand_in(self, calls: BatchCalls, requests: Sequence[Any], may_wait: bool) -> bool:
        """Hand in as many of the requests as go into one batch; whether there was room for it.

        Parameters
        ----------
        may_wait : whether room in the budget may be waited for
        """
        path = self._records.new_tag()
        made = ((one.key, Posted(*self._make(one)[:2])) for one in requests)
        url = self._make(requests[0]).path  # a batch is for one
        file = path.with_suffix(".requests")
        asks = (one for one in made if one[1].path == url)
        written = write_requests(file, asks, self._most)
        record = write_record(path, written.keys, written.most)
        first = written.most[0]
        written.cut(file, self._meter.charge_batch(record.tag, written.most))
        if not written.keys:
            record.forget()
            if not may_wait:
                raise self._meter.batch_spent(first)
            self._full = True
            return False
        record = write_record(path, written.keys, written.most)
        try:
            name = await calls.upload(file)
            record.note(input_file=name, posted=time.time())
            look = await calls.make(name, url, record.tag)
        except NoRoomError as error:
            self._drop(record)
            self._no_room(len(record.keys), error)
            return False
        except GaveUpError as error:
            self._drop(record)
            raise StopError(f"{self._where}: it takes no file: {error.failure}") from error
        except StopError as error:
            self._drop(record)
            raise StopError(f"{error}. To ask one by one, set batch to false") from error
        seen = self._seen[record.tag] = _Seen(self._limits.backoff)
        if look is not None:
            record.note(name=look.name)
            seen.look = look
        file.unlink()
        self._refused = _Seen(self._limits.backoff)
        return True

    def _settle(self, client: Client, record: Record, status: str) -> None:
        """Settle what a batch cost by its files.

        A request without a line was not run where the batch ended early; else nobody knows.
        """
        tally = _Tally()
        most = dict(zip(record.keys, record.most, strict=True))
        for line in read_lines(record.answers, record.keys):
            bill = tally.bill(most.pop(line.key))
            if not line.not_run:
                with contextlib.suppress(RefusedError):  # `_outcomes`, which reads it again, tells
                    client.read_line(line.status, line.body, bill, lambda _: None)
        if status == COMPLETED:
            tally.estimated = sum(most.values(), tally.estimated)
        self._meter.settle_batch(record.tag, tally.counted, tally.estimated)

    def _outcomes(
        self,
        client: Client,
        record: Record,
        wanted: dict[str, tuple[int, Any]],
        tries: Counter[str],
    ) -> tuple[dict[int, Any | Failure], StopError | None]:
        """Outcomes of a batch, which leave ``wanted``; what may be handed in again stays there.

        Returns
        -------
        (dict, StopError or None)
            Outcomes by index, and a refusal that every further request would meet.
        """
        usage = self._meter.usage
        seconds = record.seconds / len(record.keys)
        outcomes: dict[int, Any | Failure] = {}
        stop: StopError | None = None

        def settle(key: str, given: Any) -> None:
            tries[key] += 1
            if isinstance(given, Unanswered):
                if tries[key] <= given.retries:
                    usage.retries += 1
                    return
                given = given.failure
            index, _ = wanted.pop(key)
            outcomes[index] = given
            usage.requests += 1

        missing = dict.fromkeys(key for key in record.keys if key in wanted)
        for line in read_lines(record.answers, list(missing)):
            del missing[line.key]
            given: Any
            if line.not_run:
                given = self._again(line.not_run, f"the batch was {line.not_run} before its turn")
            else:
                read = _reader(self._make(wanted[line.key][1]), seconds)
                try:
                    given = client.read_line(line.status, line.body, _Tally().bill(Tokens()), read)
                except RefusedError as error:
                    given, stop = error.failure, error
            settle(line.key, given)
        for key in missing:
            settle(key, self._again("no_line", f"the {record.status} batch has no line for it"))
        return outcomes, stop

    def _again(self, kind: str, message: str) -> Unanswered:
        return Unanswered(Failure(kind, message), self._limits.retries)

    def _waiting(self) -> Waiting | None:
        """What is at the endpoint, of all that this run has handed in or waits for."""
        busy = self._busy()
        if not busy:
            return None
        looks = [look for one in busy if (look := self._seen[one.tag].look) is not None]
        return Waiting(
            len(busy),
            sum(look.done for look in looks),
            sum(len(one.keys) for one in busy),
            time.time() - min(one.posted or time.time() for one in busy),
        )

    def _until_due(self) -> float:
        """Seconds until the next look at a batch, or until there may be room again."""
        dues = [self._seen[one.tag].due for one in self._busy()]
        pause = min([*dues, *([] if dues else [self._refused.due])]) - time.monotonic()
        return min(max(pause, SHORTEST), self._limits.poll_seconds)

    def _of(self, record: Record) -> str:
        return f"batch {record.name or 'without a name'} (on record in {record.path})"


class _Tally:
    """Tokens of a batch: counted by the endpoint, and the most of what it does not count."""

    def __init__(self) -> None:
        self.counted = self.estimated = Tokens()

    def bill(self, most: Tokens) -> Bill:
        def count(body: Mapping[str, Any]) -> None:
            try:
                self.counted += checked_tokens(body, most)
            except ReplyError:
                estimate()
                raise

        def estimate() -> None:
            self.estimated += most

        return Bill(count, estimate, lambda: None)


def _reader(ask: Ask, seconds: float) -> Callable[[Reply], Any]:
    return lambda reply: ask.read(reply, seconds)


async def _made(make: Callable[[], Client]) -> Client:
    return make()
