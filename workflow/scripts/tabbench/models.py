"""From a registry entry to an identity and a loaded engine."""

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from tabbench.engines import ENGINES
from tabbench.engines.base import Engine
from tabbench.files import folder_hash
from tabbench.registry import Model
from tabbench.responses import Identity


def identity(model: Model) -> Identity:
    """What of the model goes into the key of each response."""
    return Identity(
        model=model.id,
        weights=_weights(model.weights),
        engine=f"{model.engine}/{ENGINES[model.engine].version}",
        style=model.style,
        dtype=model.dtype,
        template_args=json.dumps(model.template_args, sort_keys=True),
        system_role=model.system_role,
        max_new_tokens=model.max_new_tokens,
        stop=model.stop,
    )


def _weights(weights: Mapping[str, str]) -> str:
    if "folder" in weights:
        return folder_hash(Path(weights["folder"]))
    return weights.get("sha256") or f"{weights['hub']}@{weights['revision']}"


def load_engine(model: Model, folder: Path | None, threads: int) -> Engine:
    """Load a model with its engine.

    Parameters
    ----------
    folder : local folder of converted weights; None for a model of the hub
    threads : CPU threads
    """
    module = importlib.import_module(ENGINES[model.engine].module)
    return cast(Engine, module.load(model, folder, threads))
