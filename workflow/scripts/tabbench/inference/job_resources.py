"""Job resources of a model: part of its entry, but not of the key of a response."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tabbench.inference.engines import ENGINES

ASSUMED_TOKENS_PER_SECOND = 5000.0
"""Tokens per second of models whose entry states none: an assumption, not a measurement."""


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


def parse_resources(entry: Mapping[str, Any]) -> Resources:
    """Resources of a validated model's entry.

    Defaults by kind of model: a model behind an endpoint and recorded texts need only a waiting
    process; weights of a package are small and fit any machine; weights of the hub need a GPU.
    """
    on_gpu = ENGINES[entry["engine"]].in_process and "package" not in entry["weights"]
    stated = {**vars(ON_GPU if on_gpu else LIGHT), **entry.get("resources", {})}
    return Resources(**stated)
