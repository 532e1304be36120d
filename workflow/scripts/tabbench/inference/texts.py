"""Request free texts from a model: each is logged as it arrives and requested only once."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import (
    BAD_REQUEST,
    Engine,
    Failure,
    Text,
    TextOutcome,
    TextRequest,
)
from tabbench.inference.failures import (
    FailedRequest,
    failures_path,
    forget_failures,
    record_failures,
)
from tabbench.inference.responses import Identity, Response, ResponseLog, read_responses, text_key

AskTexts = Callable[[Sequence[TextRequest]], list[TextOutcome]]
"""From requests to their texts, in order: all that the users of free texts know of models. A
failure among them is about its text and would come again: an outcome."""


def text_asker(identity: Identity, path: Path, load_engine: Callable[[], Engine]) -> AskTexts:
    """Return a function that answers requests from a log, else by the model.

    A text that is too long for the model, or that its endpoint refuses for good, is given as a
    failure, and recorded next to the log.

    Parameters
    ----------
    path : the response log
    load_engine : called at most once, and only when something is missing

    Raises
    ------
    TabBenchError
        Raised by the function when a request failed by something else, or when the endpoint takes
        none of the requests; all of them were sent.
    """

    engine = cache(load_engine)
    recorded: dict[str, FailedRequest] = {}  # of this run

    def ask(requests: Sequence[TextRequest]) -> list[TextOutcome]:
        keys = [text_key(identity, request) for request in requests]
        known = read_responses(path)
        # Equal requests are asked once.
        missing = {key: place for place, key in enumerate(keys) if key not in known}
        failed: dict[str, Failure] = {}
        if missing:
            with ResponseLog(path) as log:
                places = list(missing.values())
                print(f"{path}: {len(keys) - len(places)} texts cached, requesting {len(places)}")
                for key in missing:
                    recorded.pop(key, None)
                forget_failures(path)
                record_failures(path, recorded.values())
                model = engine()
                asked = [replace(requests[place], key=keys[place]) for place in places]
                for outcomes in _reporting(model, asked, path):
                    new: list[Response] = []
                    bad: list[FailedRequest] = []
                    for index, outcome in outcomes.items():
                        key = keys[places[index]]
                        if isinstance(outcome, Failure):
                            bad.append(FailedRequest(key, outcome, model.description))
                            failed[key] = outcome
                        else:
                            new.append(Response(key, outcome, model.description))
                    log.append(new)
                    record_failures(path, bad)
                    recorded.update((one.key, one) for one in bad)
            known = read_responses(path)
            _check_failures({requests[missing[key]].name: one for key, one in failed.items()}, path)
            if not any(key in known for key in keys):
                _check_refusals(failed.values(), path)
        return [failed[key] if key in failed else _text(known[key], path) for key in keys]

    return ask


def _reporting(
    model: Engine, requests: Sequence[TextRequest], path: Path
) -> Iterator[Mapping[int, TextOutcome]]:
    """Outcomes as they arrive; while batches are waited for, their state whenever it changes."""
    said: object = None
    try:
        for outcomes in model.write(requests):
            waiting = None if outcomes else model.usage.waiting
            if waiting and said != (now := (waiting.batches, waiting.done)):
                print(f"{path}: {waiting}")
                said = now
            yield outcomes
    except KeyboardInterrupt:
        if model.usage.waiting:
            print(f"{path}: {model.usage.waiting.left}", file=sys.__stderr__)
        raise


def _check_failures(failed: Mapping[str, Failure], path: Path) -> None:
    """Report failures by name of the request; only those that last are outcomes."""
    passing = [f"{name}: {one}" for name, one in failed.items() if not one.lasting]
    if passing:
        raise TabBenchError(
            f"{len(passing)} texts are missing. The first: {passing[0]}. All other texts are kept, "
            f"and each failure is recorded in {failures_path(path)}; run again to request the "
            "missing ones"
        )
    if failed:
        name, first = next(iter(failed.items()))
        print(f"{path}: {len(failed)} texts are too long or rejected. The first: {name}: {first}")


def _check_refusals(failed: Iterable[Failure], path: Path) -> None:
    """Where no request is taken, something is wrong with all of them, not with their texts."""
    kinds = {one.kind for one in failed}
    if kinds and kinds <= set(BAD_REQUEST):
        raise TabBenchError(
            f"the endpoint accepts none of the requests ({', '.join(sorted(kinds))}); the first "
            f"rejection in {failures_path(path)} says why. Correct 'request' or 'style' of the "
            "model's entry"
        )


class LastingError(TabBenchError):
    """A text that is too long for the model, or that its endpoint refuses for good."""


def read_text(outcome: TextOutcome) -> Text:
    """A text; of a failure an empty one, which is an answer that cannot be read."""
    return Text("", 0, 0, 0.0, False) if isinstance(outcome, Failure) else outcome


def write_one(engine: Engine, request: TextRequest) -> Text:
    """Request one text, without a log.

    Raises
    ------
    TabBenchError
        When the request got no text; `LastingError` where it never will.
    """
    (outcome,) = (one for outcomes in engine.write([request]) for one in outcomes.values())
    if isinstance(outcome, Failure):
        kind = LastingError if outcome.lasting else TabBenchError
        raise kind(f"{request.name}: {outcome}")
    return outcome


def _text(response: Response, path: Path) -> Text:
    if not isinstance(response.answer, Text):
        raise TabBenchError(f"{path}: the record {response.key} is no free text")
    return response.answer
