"""What a model's jobs ask of a machine or a cluster: part of its entry, of no answer's key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ASSUMED_TOKENS_PER_SECOND = 5000.0
"""For models whose entry states no rate. An assumption to plan with, not a measurement."""


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


IN_PROCESS = Resources(gpus=1, mem_mb=48_000, runtime=1440)
PACKAGED = Resources(gpus=0, mem_mb=2_000, runtime=1440)
ELSEWHERE = Resources(gpus=0, mem_mb=2_000, runtime=1440)


def parse_resources(entry: Mapping[str, Any]) -> Resources:
    """Resources of a validated model's entry.

    Without a word in the entry, a model behind an endpoint needs a process that waits, as do
    recorded texts; weights of a package (small ones) fit any machine, and weights of the hub want
    a GPU.
    """
    if entry["engine"] in ("openai", "replay"):
        default = ELSEWHERE
    else:
        default = PACKAGED if "package" in entry["weights"] else IN_PROCESS
    stated = {**vars(default), **entry.get("resources", {})}
    return Resources(**stated)
