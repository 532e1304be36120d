"""The engines by name, and all that is decided by an engine's name elsewhere.

Importing this costs nothing; an engine's library loads with its module.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineEntry:
    """What others need to know of an engine.

    Attributes
    ----------
    module
        Module that loads it.
    version
        Version of its numbers, part of every response's key: raise it when they change, and the
        affected prompts are asked again.
    environment
        Conda environment that holds what the module imports (envs/<name>.yaml).
    in_process
        Whether it computes in the job itself, with weights that it loads there.
    on_gpu
        Whether it runs on GPUs alone.
    recorded
        Whether it only reads texts that are there: it asks nobody, and gives every draw the same.
    label_tokens
        Tokens that it has to generate to score labels; 0 where reading the prompt is enough.
    extends_context
        Whether a model's context may be longer than its configuration's number of positions; the
        engine itself then refuses a context length that the model cannot have.
    """

    module: str
    version: int
    environment: str
    in_process: bool = False
    on_gpu: bool = False
    recorded: bool = False
    label_tokens: int = 0
    extends_context: bool = False


ENGINES = {
    "transformers": EngineEntry(
        "tabbench.inference.engines.transformers", 3, "transformers", in_process=True
    ),
    "vllm": EngineEntry(
        "tabbench.inference.engines.vllm",
        3,
        "vllm",
        in_process=True,
        on_gpu=True,
        extends_context=True,
    ),
    "openai": EngineEntry("tabbench.inference.engines.openai", 1, "openai", label_tokens=1),
    "replay": EngineEntry("tabbench.inference.engines.replay", 1, "core", recorded=True),
}
