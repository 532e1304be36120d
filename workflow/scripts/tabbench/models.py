"""From a registry entry to an identity and a loaded engine."""

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from tabbench.engines import ENGINES
from tabbench.engines.base import Engine, Setting
from tabbench.files import folder_hash
from tabbench.registry import Model, parse_model
from tabbench.responses import Identity


def _weights(weights: Mapping[str, str]) -> str:
    """A hash, a revision, or the name under which an endpoint serves what nobody else knows."""
    if "folder" in weights:
        return folder_hash(Path(weights["folder"]))
    if "served" in weights:
        return f"served {weights['served']}"
    return weights.get("sha256") or f"{weights['hub']}@{weights['revision']}"


def identity(model: Model) -> Identity:
    """What of the model goes into the key of each response."""
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


def read_model(entry: Path, asking: Mapping[str, Any]) -> Model:
    """Read a model of the workflow.

    Parameters
    ----------
    entry : the model's entry.json, in the folder of its name
    asking : of its entry what changes no answer, such as where its endpoint is
    """
    content = json.loads(entry.read_text(encoding="utf-8"))
    return parse_model(entry.parent.name, content | dict(asking))


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
