"""The engines by name. Importing this costs nothing; an engine's library loads with its module.

``version`` is part of every response's key: raise it when an engine's numbers change, and the
affected prompts are asked again.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineEntry:
    """Module of an engine, the version of its numbers, and its environment (envs/<name>.yaml)."""

    module: str
    version: int
    environment: str


ENGINES = {
    "transformers": EngineEntry("tabbench.engines.transformers", 1, "transformers"),
    "vllm": EngineEntry("tabbench.engines.vllm", 1, "vllm"),
    "openai": EngineEntry("tabbench.engines.openai", 1, "openai"),
    "replay": EngineEntry("tabbench.engines.replay", 1, "core"),
}
