"""Send a model the requests without a cached response."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from tabbench.core.errors import TabBenchError
from tabbench.inference.context import Context
from tabbench.inference.engines.base import TOO_LONG, Answer, Engine, Failure, StopError
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


def _answer_log(
    asks: Sequence[CellRequest],
    identity: Identity,
    path: Path,
    engine: Callable[[], Engine],
    progress: Progress,
    faults: list[str],
    misfits: Mapping[str, FailedRequest],
) -> Counts:
    """Answer the requests of one log but ``misfits``; add what failed to ``faults``.

    Where numbers depend on batches, the engine is given whole groups, never only the missing
    requests. Batches then do not depend on what an interrupted run had answered, and a resumed run
    gives the same numbers to the bit.
    """
    keys = request_keys(identity, [ask.request for ask in asks])
    different = set(keys)
    prompts = len(different)
    responses = read_responses(path)
    if different <= responses.keys():
        progress.cached(len(asks))
        return Counts(prompts, prompts, 0)
    answered = failed = 0
    with ResponseLog(path, progress.say) as log:
        responses.read_on()  # another run may have written until now
        known = set(responses)
        cached = len(known & different)
        progress.cached(len(asks) - prompts + cached)  # equal prompts are asked once
        if cached == prompts:
            return Counts(prompts, prompts, 0)
        forget_failures(path)
        withheld = [misfits[key] for key in different if key in misfits and key not in known]
        record_failures(path, withheld)
        progress.too_long(len(withheld))
        too_long = len(withheld)
        settled = known | misfits.keys()
        if different <= settled:
            return Counts(prompts, cached, 0, too_long=too_long)
        model = engine()
        indices = [
            index
            for index in _open_requests(asks, keys, settled, model.whole_groups)
            if keys[index] not in misfits
        ]
        for batch in model.batches([asks[index].request for index in indices]):
            members = [indices[index] for index in batch.indices]
            if all(keys[index] in known for index in members):
                continue
            try:
                for outcomes in model.answer(batch):
                    new: dict[str, Answer] = {}
                    bad: dict[str, FailedRequest] = {}
                    for place, outcome in outcomes.items():
                        index = indices[place]
                        key = keys[index]
                        if isinstance(outcome, Failure):
                            bad[key] = FailedRequest(key, outcome, model.description)
                            if outcome.kind != TOO_LONG:
                                faults.append(f"{asks[index].cell}: {outcome}")
                        elif key not in known:
                            new[key] = outcome
                    log.append(Response(key, one, model.description) for key, one in new.items())
                    record_failures(path, bad.values())
                    known.update(new)
                    answered += len(new)
                    refused = sum(one.failure.kind == TOO_LONG for one in bad.values())
                    too_long += refused
                    failed += len(bad) - refused
                    if new or bad:
                        failures = [one.failure for one in bad.values()]
                        progress.asked([*new.values(), *failures], model.usage)
            except StopError:
                raise
            except TabBenchError as error:
                raise TabBenchError(f"{asks[members[0]].cell}: {error}") from error
    return Counts(prompts, cached, answered, failed, too_long)


def infer(
    asks: Asks,
    identity: Identity,
    load_engine: Callable[[], Engine],
    progress: Progress,
    tolerated: float = 0.0,
    misfits: Misfits | None = None,
) -> Counts:
    """Answer all requests; the model is loaded only when something is missing.

    Parameters
    ----------
    load_engine : called at most once, and only when something is missing
    progress : told of cached and of new responses
    tolerated : largest share of the prompts that may stay without a response
    misfits : from `find_too_long`: recorded with the failures, and never sent

    Raises
    ------
    TabBenchError
        When more prompts than tolerated have no response; all requests were sent.
    """
    engine = cache(load_engine)
    faults: list[str] = []
    logs = [
        _answer_log(
            requests, identity, path, engine, progress, faults, (misfits or {}).get(path, {})
        )
        for path, requests in asks
    ]
    counts = Counts(*(sum(column) for column in zip(*logs, strict=True)))
    if counts.failed > tolerated * counts.prompts:
        raise TabBenchError(
            f"{counts.failed} of {counts.prompts} prompts have no response. The first: "
            f"{faults[0]}. All responses are kept, and each failure is recorded next to them "
            "(*.errors.jsonl). Run again to send these prompts again, or raise "
            "limits.tolerate_errors in the model's entry"
        )
    return counts
