"""Open a model for free texts, from the files of a rule."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tabbench.engines.base import Setting
from tabbench.measure import measured
from tabbench.models import LazyEngine, identity, read_model
from tabbench.texts import AskTexts, text_asker


class Asked(NamedTuple):
    """A model by its id, how it is asked, and whether without a chat template."""

    model: str
    ask: AskTexts
    plain: bool


@contextmanager
def open_model(
    entry: Path,
    asking: Mapping[str, Any],
    weights: Iterable[str],
    log: Path,
    threads: int,
    gpus: int,
    benchmark: Path,
) -> Iterator[Asked]:
    """Open a model whose answers are in ``log``; it is loaded when one is missing.

    Parameters
    ----------
    entry, asking : see `tabbench.models.read_model`
    weights : folder of converted weights, or nothing
    benchmark : where to write what the block took, if it asked the model
    """
    model = read_model(entry, asking)
    engine = LazyEngine(model, Setting(next(map(Path, weights), None), threads, entry.parent, gpus))
    with measured(benchmark, lambda: engine.loaded):
        ask = text_asker(identity(model), log, engine)
        yield Asked(model.id, ask, plain=model.style == "completion")
