"""A model's context, known without its weights: how long it is, and which prompts do not fit.

What does not fit is an outcome of its row. It is found before a model is loaded and leaves every
other prompt, its batch and its numbers as they would be without it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from tabbench.config.model_entry import Model
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines import ENGINES
from tabbench.inference.engines.base import Description, Failure, Mode, Request
from tabbench.inference.engines.lengths import misfit, room
from tabbench.inference.engines.messages import COMPLETION_LAYOUT, template_hash
from tabbench.inference.local_weights import are_local, weight_files
from tabbench.inference.token_counts import EstimatedTokens, TokenCounter, TokenizerTokens

ReadOwnFiles = Callable[..., Any]
"""`tabbench.inference.engines.own_files.read_own_files`"""


@dataclass(frozen=True)
class Context:
    """How long a model's context is, and how its prompts are counted.

    Attributes
    ----------
    limit
        Most tokens of a prompt and its answer; None where that is not known or not limited.
    counter
        Where it only estimates, no prompt is taken for too long: an endpoint says so itself, at no
        cost.
    max_new_tokens
        Most tokens of a generated answer.
    description
        The one that the engine gives its answers.
    """

    limit: int | None
    counter: TokenCounter
    max_new_tokens: int
    description: Description

    def misfit(self, mode: Mode, tokens: int) -> Failure | None:
        """The failure of a prompt of so many tokens; None where it fits."""
        return misfit(tokens, room(mode, self.max_new_tokens), self.limit)

    def too_long(self, requests: Sequence[Request]) -> dict[int, Failure]:
        """The failures of the requests that do not fit, by index."""
        if self.limit is None or not self.counter.exact:
            return {}

        def group(index: int) -> tuple[str, str]:
            prompt = requests[index].prompt
            return prompt.system, prompt.prefix

        found = {}
        for _, alike in groupby(range(len(requests)), group):
            members = list(alike)
            counts, _ = self.counter.count([requests[index].prompt for index in members])
            for index, tokens in zip(members, counts, strict=True):
                failure = self.misfit(requests[index].mode, tokens)
                if failure:
                    found[index] = failure
        return found


def reader() -> ReadOwnFiles | None:
    """`read_own_files`, loaded by name: what it needs is not everywhere where endpoints are asked.

    It is in the code hash of the engines in process, which import it.
    """
    try:
        found: ReadOwnFiles = import_module("tabbench.inference.engines.own_files").read_own_files
    except ImportError:
        return None
    return found


def open_context(
    model: Model, read: ReadOwnFiles | None, weights: Iterable[Path] = (), fetch: bool = False
) -> Context:
    """The context of a model of the registry.

    Parameters
    ----------
    read : `read_own_files`; None where it cannot be had
    weights : the folder of converted weights, where there is one
    fetch : whether files of the hub that are not on this machine may be fetched, as its engine does
    """
    source = _source(model, next(iter(weights), None))
    limit, template = model.context_length, "none"
    counter: TokenCounter = EstimatedTokens()
    if read is not None and source is not None:
        place, arguments = source
        how = (model.style, model.template_args, model.system_role)
        try:
            renderer, positions = read(place, *how, local_files_only=not fetch, **arguments)
        except OSError:  # not on this machine
            pass
        else:
            counter, template = TokenizerTokens(renderer), renderer.template
            limit = _limit(model, positions)
    engine = model.engine
    if model.server is not None:
        engine = f"{model.engine} ({model.server})"
        template = "the server's own" if model.style == "chat" else template_hash(COMPLETION_LAYOUT)
    return Context(
        limit,
        counter,
        model.max_new_tokens,
        Description(engine, model.style, model.dtype, template),
    )


def _limit(model: Model, positions: int | None) -> int | None:
    stated = model.context_length
    if model.endpoint is not None or (stated and ENGINES[model.engine].extends_context):
        return stated  # a server has its own, which may be any
    return min((limit for limit in (stated, positions) if limit is not None), default=None)


def _source(model: Model, weights: Path | None) -> tuple[str, dict[str, str]] | None:
    """Where tokenizer and configuration are; None for a model that only its endpoint knows."""
    if weights is not None:
        return str(weights), {}
    if "hub" in model.weights:
        return model.weights["hub"], {"revision": model.weights["revision"]}
    if not are_local(model.weights):
        return None
    try:
        file = weight_files(model.weights)[0]
    except TabBenchError:  # told by the job that needs them
        return None
    return str(file.parent), {"gguf_file": file.name} if file.suffix == ".gguf" else {}
