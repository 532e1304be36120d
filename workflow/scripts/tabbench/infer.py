"""Ask a model what the response logs lack."""

from collections.abc import Callable, Iterable, Sequence, Set
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from tabbench.asks import Ask
from tabbench.engines.base import Engine
from tabbench.errors import TabBenchError
from tabbench.progress import Progress
from tabbench.responses import Identity, Response, ResponseLog, read_responses, request_keys


class Counts(NamedTuple):
    """Different prompts of a job: all, answered before, asked now."""

    prompts: int
    cached: int
    asked: int


def _open_requests(asks: Sequence[Ask], keys: Sequence[str], known: Set[str]) -> list[int]:
    """Indices of all requests of each group (equal prefix) of which an answer is missing."""

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
    asks: Sequence[Ask],
    identity: Identity,
    path: Path,
    engine: Callable[[], Engine],
    progress: Progress,
) -> Counts:
    """Answer the requests of one log.

    The engine is given whole groups, never only what is missing: batches then do not depend on
    what an interrupted run had answered, and a resumed run gives the same numbers to the bit.
    """
    keys = request_keys(identity, [ask.request for ask in asks])
    different = set(keys)
    prompts = len(different)
    responses = read_responses(path)
    if different <= responses.keys():
        progress.cached(len(asks))
        return Counts(prompts, prompts, 0)
    with ResponseLog(path) as log:
        responses.read_on()  # another run may have written until now
        known = set(responses)
        cached = len(known & different)
        progress.cached(len(asks) - prompts + cached)  # equal prompts are asked once
        if cached == prompts:
            return Counts(prompts, prompts, 0)
        model = engine()
        indices = _open_requests(asks, keys, known)
        for batch in model.batches([asks[index].request for index in indices]):
            members = [indices[index] for index in batch.indices]
            if all(keys[index] in known for index in members):
                continue
            try:
                answers = model.answer(batch)
            except TabBenchError as error:
                raise TabBenchError(f"{asks[members[0]].cell}: {error}") from error
            new = {
                keys[index]: Response(keys[index], answer, model.description)
                for index, answer in zip(members, answers, strict=True)
                if keys[index] not in known
            }
            log.append(new.values())
            known.update(new)
            progress.asked(len(new))
    return Counts(prompts, cached, prompts - cached)


def infer(
    asks: Iterable[tuple[Path, Sequence[Ask]]],
    identity: Identity,
    load_engine: Callable[[], Engine],
    progress: Progress,
) -> Counts:
    """Answer all requests; the model is loaded only when something is missing.

    Parameters
    ----------
    asks : log files with the requests whose answers they hold; may be made one by one
    load_engine : called at most once
    progress : told what the logs hold and what is asked now
    """
    loaded: list[Engine] = []

    def engine() -> Engine:
        if not loaded:
            loaded.append(load_engine())
        return loaded[0]

    counts = [_answer_log(requests, identity, path, engine, progress) for path, requests in asks]
    return Counts(*(sum(column) for column in zip(*counts, strict=True)))
