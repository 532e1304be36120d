"""From a registry entry to an identity and a loaded engine."""

import importlib
import json
from typing import cast

from tabbench.engines import ENGINES
from tabbench.engines.base import Engine, Setting
from tabbench.registry import Model
from tabbench.responses import Identity


def identity(model: Model) -> Identity:
    """What of the model goes into the key of each response."""
    weights = model.weights
    return Identity(
        model=model.id,
        weights=weights.get("sha256") or f"{weights['hub']}@{weights['revision']}",
        engine=f"{model.engine}/{ENGINES[model.engine].version}",
        style=model.style,
        dtype=model.dtype,
        template_args=json.dumps(model.template_args, sort_keys=True),
        system_role=model.system_role,
        max_new_tokens=model.max_new_tokens,
        stop=model.stop,
    )


def load_engine(model: Model, setting: Setting) -> Engine:
    """Load a model with its engine."""
    module = importlib.import_module(ENGINES[model.engine].module)
    return cast(Engine, module.load(model, setting))
