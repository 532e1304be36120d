"""Ask a model for free texts: each is logged as it arrives and asked for only once."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from tabbench.engines.base import Engine, Text, TextRequest
from tabbench.errors import TabBenchError
from tabbench.responses import Identity, Response, ResponseLog, read_responses, text_key

AskTexts = Callable[[Sequence[TextRequest]], list[Text]]
"""From requests to their texts, in order: all that the users of free texts know of models."""


def text_asker(identity: Identity, path: Path, load_engine: Callable[[], Engine]) -> AskTexts:
    """Return a function that answers requests from a log, and by the model what the log lacks.

    Parameters
    ----------
    path : the response log
    load_engine : called at most once, and only when something is missing
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
                print(f"{path}: {len(keys) - len(places)} texts known, asking {len(places)}")
                for texts in engine().write([requests[place] for place in places]):
                    log.append(
                        Response(keys[places[index]], text, engine().description)
                        for index, text in texts.items()
                    )
            known = read_responses(path)
        return [_text(known[key], path) for key in keys]

    return ask


def _text(response: Response, path: Path) -> Text:
    if not isinstance(response.answer, Text):
        raise TabBenchError(f"{path}: the record {response.key} is no free text")
    return response.answer
