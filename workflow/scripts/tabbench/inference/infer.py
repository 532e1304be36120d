"""Send a model the requests without a cached response."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from tabbench.core.errors import TabBenchError
from tabbench.inference.context import Context
from tabbench.inference.engines.base import (
    TOO_LONG,
    Answer,
    Engine,
    Failure,
    LooksAhead,
    Outcome,
    Request,
    StopError,
)
from tabbench.inference.failures import FailedRequest, forget_failures, record_failures
from tabbench.inference.progress import Progress
from tabbench.inference.requests import CellRequest
from tabbench.inference.responses import (
    Identity,
    Response,
    ResponseLog,
    read_responses,
    request_keys,
)

MOST_LOGS = 256
"""Most logs that are open at a time: a process may open some hundred files."""


class Counts(NamedTuple):
    """Distinct prompts of a job: all, answered before, answered now, without a response.

    ``too_long`` do not fit into the model's context; they are not among the failed.
    """

    prompts: int
    cached: int
    asked: int
    failed: int = 0
    too_long: int = 0


Asks = Iterable[tuple[Path, Sequence[CellRequest]]]
"""Log files with the requests whose answers they hold; may be made one by one."""

Misfits = Mapping[Path, Mapping[str, FailedRequest]]
"""By log and key the requests that do not fit into the model's context."""


def find_too_long(
    asks: Asks, identity: Identity, context: Callable[[], Context], say: Callable[[str], object]
) -> Misfits:
    """Find the requests that do not fit, before anything is asked.

    Logs that hold all answers are passed over. In others all requests are looked at, also those
    with an answer (of a time when the context was longer): they are in no batch.

    Parameters
    ----------
    context : called at most once, and only when something is missing
    say : told how many there are in each log
    """
    known = cache(context)
    found: dict[Path, dict[str, FailedRequest]] = {}
    for path, requests in asks:
        keys = request_keys(identity, [ask.request for ask in requests])
        if set(keys) <= read_responses(path).keys():
            continue
        failures = known().too_long([ask.request for ask in requests])
        if failures:
            description = known().description
            found[path] = {
                keys[index]: FailedRequest(keys[index], failure, description)
                for index, failure in failures.items()
            }
            first = next(iter(failures))
            cell = requests[first].cell
            say(
                f"{cell.dataset}, k = {cell.k}: {len(found[path]):,} of {len(set(keys)):,} "
                f"prompts are too long for the model and are not sent. The first: "
                f"{failures[first].message}"
            )
    return found


def _open_requests(
    asks: Sequence[CellRequest], keys: Sequence[str], known: Set[str], whole_groups: bool
) -> list[int]:
    """Indices of the requests without a response, each distinct one once.

    With ``whole_groups``: of all requests of each group (equal prefix) that has such a one.
    """
    if not whole_groups:
        first = {key: index for index, key in reversed(list(enumerate(keys)))}
        return sorted(index for key, index in first.items() if key not in known)

    def prefix(index: int) -> tuple[str, str]:
        prompt = asks[index].request.prompt
        return prompt.system, prompt.prefix

    indices: list[int] = []
    for _, members in groupby(range(len(asks)), prefix):
        group = list(members)
        if any(keys[index] not in known for index in group):
            indices += group
    return indices


@dataclass
class _Log:
    """A log that is open, the requests whose answers it is to hold, and what became of them.

    One that lacks nothing is closed, and without its requests.

    Attributes
    ----------
    keys
        Of the requests, in their order.
    known
        Keys with an answer.
    misfits
        By key the requests that are not sent.
    """

    path: Path
    file: ResponseLog
    asks: Sequence[CellRequest]
    keys: Sequence[str]
    known: set[str]
    misfits: Mapping[str, FailedRequest]
    counts: Counts

    @property
    def missing(self) -> int:
        """How many requests are to be asked."""
        return len(set(self.keys) - self.known - self.misfits.keys())

    def to_send(self, whole_groups: bool) -> list[int]:
        """Indices of the requests to send.

        Where numbers depend on batches, the engine is given whole groups, never only the missing
        requests. Batches then do not depend on what an interrupted run had answered, and a resumed
        run gives the same numbers to the bit.
        """
        settled = self.known | self.misfits.keys()
        indices = _open_requests(self.asks, self.keys, settled, whole_groups)
        return [index for index in indices if self.keys[index] not in self.misfits]

    def record(
        self, outcomes: Mapping[int, Outcome], model: Engine, progress: Progress, faults: list[str]
    ) -> None:
        """Write what came for the requests of these indices; add what failed to ``faults``."""
        new: dict[str, Answer] = {}
        bad: dict[str, FailedRequest] = {}
        for index, outcome in outcomes.items():
            key = self.keys[index]
            if isinstance(outcome, Failure):
                bad[key] = FailedRequest(key, outcome, model.description)
                if outcome.kind != TOO_LONG:
                    faults.append(f"{self.asks[index].cell}: {outcome}")
            elif key not in self.known:
                new[key] = outcome
        self.file.append(Response(key, one, model.description) for key, one in new.items())
        record_failures(self.path, bad.values())
        self.known.update(new)
        refused = sum(one.failure.kind == TOO_LONG for one in bad.values())
        self.counts = self.counts._replace(
            asked=self.counts.asked + len(new),
            failed=self.counts.failed + len(bad) - refused,
            too_long=self.counts.too_long + refused,
        )
        if new or bad:
            failures = [one.failure for one in bad.values()]
            progress.asked([*new.values(), *failures], model.usage)


def _open_log(
    path: Path,
    asks: Sequence[CellRequest],
    identity: Identity,
    progress: Progress,
    misfits: Mapping[str, FailedRequest],
    files: ExitStack,
) -> _Log:
    """Look up what a log holds; where a request is to be asked, open it in ``files``.

    Requests that do not fit are recorded with the failures.
    """
    keys = request_keys(identity, [ask.request for ask in asks])
    different = set(keys)
    file = ResponseLog(path, progress.say)

    def complete(cached: int, too_long: int = 0) -> _Log:
        counts = Counts(len(different), cached, 0, too_long=too_long)
        return _Log(path, file, (), (), set(), {}, counts)

    responses = read_responses(path)
    if different <= responses.keys():
        progress.cached(len(asks))
        return complete(len(different))
    with ExitStack() as here:
        here.enter_context(file)
        responses.read_on()  # another run may have written until now
        known = set(responses)
        cached = len(known & different)
        progress.cached(len(asks) - len(different) + cached)  # equal prompts are asked once
        if cached == len(different):
            return complete(cached)
        forget_failures(path)
        withheld = [one for key, one in misfits.items() if key in different - known]
        record_failures(path, withheld)
        progress.too_long(len(withheld))
        if different <= known | misfits.keys():
            return complete(cached, len(withheld))
        files.push(here.pop_all())
    counts = Counts(len(different), cached, 0, too_long=len(withheld))
    return _Log(path, file, asks, keys, known, misfits, counts)


def _spans(logs: Iterable[_Log], span: Callable[[], int]) -> Iterator[list[_Log]]:
    """Join logs until they lack so many answers together, or are as many as may be open."""
    joined: list[_Log] = []
    missing = 0
    for log in logs:
        joined.append(log)
        missing += log.missing
        if not missing or missing >= span() or len(joined) == MOST_LOGS:
            yield joined
            joined, missing = [], 0
    if joined:
        yield joined


def _ask(
    logs: Sequence[_Log], engine: Callable[[], Engine], progress: Progress, faults: list[str]
) -> None:
    """Answer what logs lack, all together."""
    if not any(log.missing for log in logs):
        return
    model = engine()
    places = [(log, index) for log in logs for index in log.to_send(model.whole_groups)]
    requests = [replace(log.asks[index].request, key=log.keys[index]) for log, index in places]
    for batch in model.batches(requests):
        members = [places[place] for place in batch.indices]
        if all(log.keys[index] in log.known for log, index in members):
            continue
        try:
            for outcomes in model.answer(batch):
                by_log: dict[Path, dict[int, Outcome]] = {}
                for place, outcome in outcomes.items():
                    log, index = places[place]
                    by_log.setdefault(log.path, {})[index] = outcome
                for log in logs:
                    if log.path in by_log:
                        log.record(by_log[log.path], model, progress, faults)
                if not outcomes and model.usage.waiting:
                    progress.waiting(model.usage)
        except KeyboardInterrupt:
            if model.usage.waiting:
                progress.say(model.usage.waiting.left)
            raise
        except StopError:
            raise
        except TabBenchError as error:
            log, index = members[0]
            raise TabBenchError(f"{log.asks[index].cell}: {error}") from error


def _upcoming(asks: Asks, identity: Identity, misfits: Misfits) -> Iterator[Sequence[Request]]:
    """Requests of each log that have no response, each distinct one once."""
    for path, requests in asks:
        keys = request_keys(identity, [ask.request for ask in requests])
        settled = read_responses(path).keys() | misfits.get(path, {}).keys()
        yield [
            replace(requests[index].request, key=keys[index])
            for index in _open_requests(requests, keys, settled, whole_groups=False)
        ]


def infer(
    asks: Asks,
    identity: Identity,
    load_engine: Callable[[], Engine],
    progress: Progress,
    tolerated: float = 0.0,
    misfits: Misfits | None = None,
    ahead: Asks = (),
) -> Counts:
    """Answer all requests; the model is loaded only when something is missing.

    Logs are answered together as the engine wishes (`Engine.span`), each otherwise by itself.

    Parameters
    ----------
    load_engine : called at most once, and only when something is missing
    progress : told of cached and of new responses
    tolerated : largest share of the prompts that may stay without a response
    misfits : from `find_too_long`: recorded with the failures, and never sent
    ahead : once more the same as ``asks``, for an engine that begins with later requests early

    Raises
    ------
    TabBenchError
        When more prompts than tolerated have no response; all requests were sent.
    """

    @cache
    def engine() -> Engine:
        loaded = load_engine()
        if isinstance(loaded, LooksAhead):
            loaded.expect(_upcoming(ahead, identity, misfits or {}))
        return loaded

    faults: list[str] = []
    with ExitStack() as files:
        logs = (
            _open_log(path, requests, identity, progress, (misfits or {}).get(path, {}), files)
            for path, requests in asks
        )
        parts: list[Counts] = []
        for together in _spans(logs, lambda: engine().span):
            _ask(together, engine, progress, faults)
            files.close()
            parts += [log.counts for log in together]
    counts = Counts(*(sum(column) for column in zip(*parts, strict=True)))
    if counts.failed > tolerated * counts.prompts:
        raise TabBenchError(
            f"{counts.failed} of {counts.prompts} prompts have no response. The first: "
            f"{faults[0]}. All responses are kept, and each failure is recorded next to them "
            "(*.errors.jsonl). Run again to send these prompts again, or raise "
            "limits.tolerate_errors in the model's entry"
        )
    return counts
