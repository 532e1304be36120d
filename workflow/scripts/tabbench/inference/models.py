"""From a registry entry to an identity and a loaded engine."""

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tabbench.config.model_entry import Model, parse_model
from tabbench.core.files import folder_hash
from tabbench.core.measure import measured
from tabbench.inference.engines import ENGINES
from tabbench.inference.engines.base import Engine, Setting
from tabbench.inference.responses import Identity


def _weights(weights: Mapping[str, Any]) -> str:
    """Identity of the weights: a hash, a revision, or the name that an endpoint serves."""
    if "folder" in weights:
        return folder_hash(Path(weights["folder"]))
    if "served" in weights:
        return f"served {weights['served']}"
    if "sha256" in weights:
        hashes = weights["sha256"]
        return hashes if isinstance(hashes, str) else " ".join(hashes)
    return f"{weights['hub']}@{weights['revision']}"


def identity(model: Model) -> Identity:
    """The model's part of the key of each response."""
    engine = f"{model.engine}/{ENGINES[model.engine].version}"
    template_args: object = model.template_args
    if model.server is not None:
        engine = f"{engine} {model.server}"
        template_args = [template_args, model.request]
    return Identity(
        model=model.id,
        weights=_weights(model.weights),
        engine=engine,
        style=model.style,
        dtype=model.dtype,
        template_args=json.dumps(template_args, sort_keys=True),
        system_role=model.system_role,
        max_new_tokens=model.max_new_tokens,
        stop=model.stop,
    )


def read_model(entry: Path, serving: Mapping[str, Any]) -> Model:
    """Read a model of the workflow.

    Parameters
    ----------
    entry : the model's entry.json, in the folder of its name
    serving : the parts of its entry that change no response, such as the endpoint's address
    """
    content = json.loads(entry.read_text(encoding="utf-8"))
    return parse_model(entry.parent.name, content | dict(serving))


def load_engine(model: Model, setting: Setting) -> Engine:
    """Load a model with its engine."""
    module = importlib.import_module(ENGINES[model.engine].module)
    return cast(Engine, module.load(model, setting))


class LazyEngine:
    """A model that is loaded when it is first called for, and only once."""

    def __init__(self, model: Model, setting: Setting) -> None:
        self._model, self._setting = model, setting
        self._engine: Engine | None = None

    @property
    def loaded(self) -> bool:
        return self._engine is not None

    def __call__(self) -> Engine:
        if self._engine is None:
            self._engine = load_engine(self._model, self._setting)
        return self._engine


@dataclass(frozen=True)
class ModelFiles:
    """What a job is given of the model that it may ask.

    Attributes
    ----------
    entry, serving
        See `read_model`.
    weights
        Folder of converted weights, or nothing.
    benchmark
        Where to write what the job took, if it asked the model.
    """

    entry: str
    weights: Sequence[str]
    serving: Mapping[str, Any]
    benchmark: str


@contextmanager
def lazy_model(files: ModelFiles, threads: int, gpus: int) -> Iterator[tuple[Model, LazyEngine]]:
    """Give a model and its engine, which loads when first called for; then what it took is kept."""
    entry = Path(files.entry)
    model = read_model(entry, files.serving)
    weights = next(map(Path, files.weights), None)
    engine = LazyEngine(model, Setting(weights, threads, entry.parent, gpus))
    with measured(Path(files.benchmark), lambda: engine.loaded):
        yield model, engine
