"""Request free texts from a model: each is logged as it arrives and requested only once."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import Engine, Failure, Text, TextRequest
from tabbench.inference.failures import (
    FailedRequest,
    failures_path,
    forget_failures,
    record_failures,
)
from tabbench.inference.responses import Identity, Response, ResponseLog, read_responses, text_key

AskTexts = Callable[[Sequence[TextRequest]], list[Text]]
"""From requests to their texts, in order: all that the users of free texts know of models."""


def text_asker(identity: Identity, path: Path, load_engine: Callable[[], Engine]) -> AskTexts:
    """Return a function that answers requests from a log, else by the model.

    Parameters
    ----------
    path : the response log
    load_engine : called at most once, and only when something is missing

    Raises
    ------
    TabBenchError
        Raised by the function when a request got no text; all requests were sent.
    """

    engine = cache(load_engine)

    def ask(requests: Sequence[TextRequest]) -> list[Text]:
        keys = [text_key(identity, request) for request in requests]
        known = read_responses(path)
        # Equal requests are asked once.
        missing = {key: place for place, key in enumerate(keys) if key not in known}
        if missing:
            with ResponseLog(path) as log:
                places = list(missing.values())
                print(f"{path}: {len(keys) - len(places)} texts cached, requesting {len(places)}")
                failures: list[str] = []
                forget_failures(path)
                model = engine()
                for outcomes in model.write([requests[place] for place in places]):
                    new: list[Response] = []
                    bad: list[FailedRequest] = []
                    for index, outcome in outcomes.items():
                        place = places[index]
                        if isinstance(outcome, Failure):
                            bad.append(FailedRequest(keys[place], outcome, model.description))
                            failures.append(f"{requests[place].name}: {outcome}")
                        else:
                            new.append(Response(keys[place], outcome, model.description))
                    log.append(new)
                    record_failures(path, bad)
            if failures:
                raise TabBenchError(
                    f"{len(failures)} of {len(places)} texts are missing. The first: "
                    f"{failures[0]}. All other texts are kept, and each failure is recorded in "
                    f"{failures_path(path)}; run again to request the missing ones"
                )
            known = read_responses(path)
        return [_text(known[key], path) for key in keys]

    return ask


def write_one(engine: Engine, request: TextRequest) -> Text:
    """Request one text, without a log.

    Raises
    ------
    TabBenchError
        When the request got no text.
    """
    (outcome,) = (one for outcomes in engine.write([request]) for one in outcomes.values())
    if isinstance(outcome, Failure):
        raise TabBenchError(f"{request.name}: {outcome}")
    return outcome


def _text(response: Response, path: Path) -> Text:
    if not isinstance(response.answer, Text):
        raise TabBenchError(f"{path}: the record {response.key} is no free text")
    return response.answer
