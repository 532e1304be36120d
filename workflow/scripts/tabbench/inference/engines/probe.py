"""Capabilities of an endpoint, probed before the first prompt and recorded.

Two trivial prompts ask for the digits 0 and 1: whether log-probabilities come with the answer,
whether each digit is one token, whether the model thinks aloud. The list of models may say how
long the context is.
"""

import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tabbench.config.model_entry import Model
from tabbench.core.errors import TabBenchError
from tabbench.core.thinking import shows_thought, thinking_off
from tabbench.inference.engines.base import LABELS, Mode, Prompt
from tabbench.inference.engines.client import Client, GaveUpError
from tabbench.inference.engines.label_forms import lone_label
from tabbench.inference.engines.replies import Reply
from tabbench.inference.engines.steps import REST, Step

Body = Callable[[Mode, Prompt, bool], dict[str, Any]]

_QUESTION = "Repeat the digit {label} and write nothing else. The digit is "
_CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "n_ctx")


@dataclass(frozen=True)
class Capabilities:
    """Capabilities that a probe found.

    Attributes
    ----------
    logprobs
        Whether log-probabilities of the likeliest tokens come with an answer.
    single_token_labels
        Whether "0" and "1" were seen as tokens of their own.
    thinking
        Whether an answer held a thinking block.
    context_length
        Tokens; None when the endpoint does not say.
    answers
        The texts of both answers.
    """

    logprobs: bool
    single_token_labels: bool
    thinking: bool
    context_length: int | None
    answers: tuple[str, ...]

    def require(self, model: Model, modes: Collection[Mode]) -> None:
        """Check that the endpoint supports these modes.

        Raises
        ------
        TabBenchError
            When not; says what to do.
        """
        where = f"model '{model.id}' at {model.endpoint.url if model.endpoint else '-'}"
        off = thinking_off(model.template_args)
        if self.thinking and (off or "forward" in modes):
            raise TabBenchError(
                f"{where}: it thinks before it answers ({self.answers[0][:80]!r}). Turn thinking "
                f"off: 'template_args: {{enable_thinking: false}}', or the endpoint's own field "
                f"under 'request'"
                + (
                    "; template_args says off, but the endpoint ignores it"
                    if off
                    else ", or use generation mode alone"
                )
            )
        if "forward" in modes and not self.logprobs:
            raise TabBenchError(
                f"{where}: it returns no log-probabilities, which forward scoring needs; use "
                f"generation mode alone, or an endpoint that returns them"
            )
        if "forward" in modes and not self.single_token_labels:
            raise TabBenchError(
                f"{where}: '0' and '1' are not one token each, so that the first token's "
                "log-probabilities say nothing about them; use generation mode alone"
            )
        longest = model.context_length
        if longest and self.context_length and longest > self.context_length:
            raise TabBenchError(
                f"{where}: context_length is {longest} in the entry, {self.context_length} at the "
                f"endpoint; correct the entry or start the server with a longer context"
            )


async def probe(client: Client, model: Model, path: str, body: Body) -> Capabilities:
    """Ask the two trivial prompts.

    Raises
    ------
    TabBenchError
        When the endpoint answers neither with nor without log-probabilities.
    """
    logprobs = True
    try:
        replies = [await _ask(client, path, body, label, logprobs) for label in LABELS]
        logprobs = all(reply.steps and _compares(reply.steps[0]) for reply in replies)
    except GaveUpError as error:
        if error.failure.kind not in ("http_400", "http_422"):
            raise _useless(model, error) from error
        logprobs = False
        try:
            replies = [await _ask(client, path, body, label, logprobs) for label in LABELS]
        except GaveUpError as again:
            raise _useless(model, again) from again
    seen = {
        token.strip()
        for reply in replies
        for step in reply.steps or ()
        for token in step.listed
        if lone_label(token) is not None
    }
    return Capabilities(
        logprobs=logprobs,
        single_token_labels=seen.issuperset(LABELS),
        thinking=any(reply.thinking or shows_thought(reply.text) for reply in replies),
        context_length=_context_length(await client.models(), body("forward", _prompt("0"), False)),
        answers=tuple(reply.text for reply in replies),
    )


def _compares(step: Step) -> bool:
    """Whether alternatives to the token are listed."""
    return len(step.listed) > 1 and REST not in step.listed


def _prompt(label: str) -> Prompt:
    return Prompt("", "", _QUESTION.format(label=label))


async def _ask(client: Client, path: str, body: Body, label: str, logprobs: bool) -> Reply:
    fields = body("generation", _prompt(label), logprobs)
    return await client.ask(path, fields, lambda reply, _: reply)


def _useless(model: Model, error: GaveUpError) -> TabBenchError:
    url = model.endpoint.url if model.endpoint else "-"
    return TabBenchError(
        f"model '{model.id}' at {url}: a trivial prompt got no answer ({error.failure}). Check "
        f"that the server runs and that 'endpoint' and 'request' of the entry are right"
    )


def _context_length(models: Mapping[str, Any], body: Mapping[str, Any]) -> int | None:
    """Context length of the model in what ``/models`` lists; None when it is not there."""
    listed = models.get("data")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and one.get("id") == body["model"]:
            meta = one.get("meta")
            for place in (one, meta if isinstance(meta, dict) else {}):
                for key in _CONTEXT_KEYS:
                    if isinstance(place.get(key), int):
                        return int(place[key])
    return None


def _asked(model: Model) -> dict[str, Any]:
    """Settings that a probe's result depends on."""
    assert model.endpoint is not None
    return {
        "url": model.endpoint.url,
        "model": model.endpoint.model,
        "server": model.server,
        "style": model.style,
        "template_args": dict(model.template_args),
        "request": dict(model.request),
        "max_new_tokens": model.max_new_tokens,
        "stop": list(model.stop),
    }


def write_capabilities(path: Path, model: Model, found: Capabilities) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"asked": _asked(model), "found": asdict(found)}
    # A job may be killed while it writes, and others may probe at the same time.
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    unfinished.write_text(json.dumps(content, indent=2) + "\n")
    unfinished.rename(path)


def known_capabilities(path: Path, model: Model) -> Capabilities | None:
    """Result of an earlier probe of the same endpoint; None when there was none."""
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text())
        if content["asked"] != _asked(model):
            return None
        return Capabilities(**content["found"] | {"answers": tuple(content["found"]["answers"])})
    except (ValueError, KeyError, TypeError) as error:
        raise TabBenchError(f"{path}: not what a probe wrote ({error}); delete it") from error
