"""Open a model for free texts, from the files of a rule."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tabbench.engines.base import Setting
from tabbench.models import identity, load_engine, read_model
from tabbench.texts import AskTexts, text_asker


class Asked(NamedTuple):
    """A model by its id, how it is asked, and whether without a chat template."""

    model: str
    ask: AskTexts
    plain: bool


def open_model(
    entry: Path,
    asking: Mapping[str, Any],
    weights: Iterable[str],
    log: Path,
    threads: int,
    gpus: int,
) -> Asked:
    """Open a model whose answers are in ``log``; it is loaded when one is missing.

    Parameters
    ----------
    entry, asking : see `tabbench.models.read_model`
    weights : folder of converted weights, or nothing
    """
    model = read_model(entry, asking)
    setting = Setting(next(map(Path, weights), None), threads, entry.parent, gpus)
    ask = text_asker(identity(model), log, lambda: load_engine(model, setting))
    return Asked(model.id, ask, plain=model.style == "completion")
