"""The engine that reads recorded texts: a run without a model, the same on every machine."""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from tabbench.config.model_entry import Model
from tabbench.core.errors import TabBenchError
from tabbench.core.transcripts import read_turn
from tabbench.inference.engines.base import (
    Batch,
    Description,
    Outcome,
    Request,
    Setting,
    Text,
    TextRequest,
    Usage,
)


class ReplayEngine:
    """Finds the text of a request by its name: ``<folder>/<name>.md``.

    See `tabbench.core.transcripts`.

    Where there is no such file, that of the nearest folder on the way stands for all below it:
    ``a/b.md`` answers ``a/b/c`` and ``a/b/d``.

    Parameters
    ----------
    name : the model's, for messages
    folder : of the transcripts
    """

    whole_groups = False
    span = 0

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
            "free texts are requested, not under 'models'"
        )

    def answer(self, _: Batch) -> Iterator[dict[int, Outcome]]:
        raise NotImplementedError("batches refuses")

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, Text]]:
        """Yield the recorded text of each request.

        Raises
        ------
        TabBenchError
            When there is none.
        """
        for index, request in enumerate(requests):
            text = Text(read_turn(self._find(request.name)).answer, 0, 0, 0.0, True)
            self.usage.count([text])
            yield {index: text}

    def _find(self, name: str) -> Path:
        place = PurePosixPath(name)
        for stem in (place, *place.parents[:-1]):
            path = self._folder / f"{stem}.md"
            if path.is_file():
                return path
        raise TabBenchError(
            f"{self._folder / name}.md: no recorded text, nor one for a folder on the way; write "
            f"one (see resources/transcripts/README.md) or name a model that can answer instead "
            f"of '{self._name}'"
        )


def load(model: Model, _: Setting) -> ReplayEngine:
    """Load the transcripts of a registry entry; see `tabbench.inference.models.load_engine`."""
    return ReplayEngine(model.id, Path(model.weights["folder"]))
