"""Open a model for free texts, from the files of a rule."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tabbench.config.model_entry import Model
from tabbench.inference.models import ModelFiles, identity, lazy_model
from tabbench.inference.texts import AskTexts, text_asker


@dataclass(frozen=True)
class OpenModel:
    """A model and how it is asked."""

    entry: Model
    ask: AskTexts

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def plain(self) -> bool:
        """Whether it is asked without a chat template."""
        return self.entry.style == "completion"


@contextmanager
def open_model(files: ModelFiles, log: str, threads: int, gpus: int) -> Iterator[OpenModel]:
    """Open a model whose answers are in the file ``log``; it is loaded when one is missing."""
    with lazy_model(files, threads, gpus) as (model, engine):
        yield OpenModel(model, text_asker(identity(model), Path(log), engine))
