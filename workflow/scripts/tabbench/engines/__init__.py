"""The engines by name. Importing this costs nothing; an engine's library loads with its module.

``version`` is part of every response's key: raise it when an engine's numbers change, and the
affected prompts are asked again.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineEntry:
    """Module of an engine and the version of its numbers."""

    module: str
    version: int


ENGINES = {
    "transformers": EngineEntry("tabbench.engines.transformers", 1),
    "replay": EngineEntry("tabbench.engines.replay", 1),
}
