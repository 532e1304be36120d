"""Job resources of a model: part of its entry, but not of the key of a response."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tabbench.inference.engines import ENGINES
from tabbench.inference.local_weights import are_local

ASSUMED_TOKENS_PER_SECOND = 5000.0
"""Tokens per second of models whose entry states none: an assumption, not a measurement."""

_OTHER_MB = 2_000
"""Memory of Python, its libraries and a tokenizer."""
_RUN, _CONVERT = 1.25, 1.3
"""Memory by the size of the weights: with what is computed of them, with what is written."""


@dataclass(frozen=True)
class Resources:
    """What one job of a model needs.

    Attributes
    ----------
    gpus
        GPUs; 0 for a model that runs on CPUs or elsewhere.
    mem_mb
        Main memory.
    runtime
        Minutes after which a cluster may end the job; it goes on where it stopped.
    tokens_per_second
        Rate at which prompt tokens are computed and answers generated; None where not known.
    """

    gpus: int
    mem_mb: int
    runtime: int
    tokens_per_second: float | None = None

    @property
    def planned_rate(self) -> float:
        return self.tokens_per_second or ASSUMED_TOKENS_PER_SECOND


ON_GPU = Resources(gpus=1, mem_mb=48_000, runtime=1440)
LIGHT = Resources(gpus=0, mem_mb=2_000, runtime=1440)


def parse_resources(entry: Mapping[str, Any], weights_mb: float = 0) -> Resources:
    """Resources of a validated model's entry.

    Defaults by kind of model: a model behind an endpoint and recorded texts need only a waiting
    process; weights on this machine run on CPUs with transformers and take memory by their size;
    weights of the hub, and all with vLLM, need a GPU.

    Parameters
    ----------
    weights_mb : size of local weights as they are loaded
    """
    entered = ENGINES[entry["engine"]]
    on_gpu = entered.on_gpu or (entered.in_process and not are_local(entry["weights"]))
    default = ON_GPU if on_gpu else LIGHT
    mem_mb = max(default.mem_mb, _OTHER_MB + math.ceil(_RUN * weights_mb))
    return Resources(**{**vars(default), "mem_mb": mem_mb, **entry.get("resources", {})})


def convert_mb(weights_mb: float) -> int:
    """Main memory in MB that converting weights takes; ``weights_mb``: their size in float32."""
    return _OTHER_MB + math.ceil(_CONVERT * weights_mb)
