"""The engine that reads recorded texts: a run without a model, the same on every machine."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tabbench.engines.base import (
    Batch,
    Description,
    Outcome,
    Request,
    Setting,
    Text,
    TextRequest,
    Usage,
)
from tabbench.errors import TabBenchError
from tabbench.registry import Model
from tabbench.transcripts import read_turn


class ReplayEngine:
    """Finds the text of a request by its name: ``<folder>/<name>.md``; see `tabbench.transcripts`.

    Parameters
    ----------
    name : the model's, for messages
    folder : of the transcripts
    """

    whole_groups = False

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self.usage = Usage()

    @property
    def description(self) -> Description:
        return Description("replay", "none", "none", "none")

    def batches(self, _: Sequence[Request]) -> Iterator[Batch]:
        """Refuse: recorded texts have no probabilities, and no row of a table is asked twice."""
        raise TabBenchError(
            f"model '{self._name}' replays recorded texts and classifies no rows; list it where "
            "texts are asked for, not under 'models'"
        )

    def answer(self, _: Batch) -> Iterator[dict[int, Outcome]]:
        raise NotImplementedError("batches refuses")

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, Text]]:
        """Give the recorded text of each request.

        Raises
        ------
        TabBenchError
            When there is none.
        """
        for index, request in enumerate(requests):
            path = self._folder / f"{request.name}.md"
            if not path.is_file():
                raise TabBenchError(
                    f"{path}: no recorded text; write one (see resources/transcripts/README.md) "
                    f"or name a model that can answer instead of '{self._name}'"
                )
            text = Text(read_turn(path).answer, 0, 0, 0.0, True)
            self.usage.count([text])
            yield {index: text}


def load(model: Model, _: Setting) -> ReplayEngine:
    """Load the transcripts of a registry entry; see `tabbench.models.load_engine`."""
    return ReplayEngine(model.id, Path(model.weights["folder"]))
