"""From the JSON of an OpenAI-compatible reply to an answer; a malformed reply is a named error."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tabbench.inference.engines.base import Generation, LabelScore, Text
from tabbench.inference.engines.label_forms import clean, in_form, label_pair, lone_label


class ReplyError(Exception):
    """A reply that is no answer; ``kind`` is a word for counting."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Tokens:
    """Tokens that a reply is charged for; ``cached`` ones of the prompt cost less."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0


@dataclass(frozen=True)
class Step:
    """One generated token: its bytes, its text, and the likeliest tokens at its place."""

    raw: bytes
    token: str
    listed: dict[str, float]


@dataclass(frozen=True)
class Reply:
    """A parsed reply.

    Attributes
    ----------
    thinking
        Text that the server keeps apart as the model's thinking.
    steps
        None when the server gave no log-probabilities.
    """

    model: str
    text: str
    thinking: str
    finish: str
    steps: tuple[Step, ...] | None
    tokens: Tokens


def parse_json(text: str) -> Mapping[str, Any]:
    """A reply's JSON object; ReplyError ``malformed_json`` when it is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReplyError("malformed_json", f"{error}; it begins with {text[:80]!r}") from error
    if not isinstance(content, dict):
        raise ReplyError("malformed_json", f"no object but {text[:80]!r}")
    return content


def read_tokens(body: Mapping[str, Any]) -> Tokens:
    """Token counts of a reply, also of one that is no answer; ReplyError without them."""
    usage = body.get("usage")
    if not isinstance(usage, dict):
        raise ReplyError("no_usage", "the reply does not count its tokens ('usage')")
    details = usage.get("prompt_tokens_details")
    counts: list[Any] = [
        usage.get("prompt_tokens"),
        details.get("cached_tokens") or 0 if isinstance(details, dict) else 0,
        usage.get("completion_tokens") or 0,
    ]
    if not all(type(count) is int and count >= 0 for count in counts) or counts[1] > counts[0]:
        raise ReplyError("no_usage", f"token counts make no sense: {counts}")
    return Tokens(*counts)


def read_reply(body: Mapping[str, Any]) -> Reply:
    """Read a reply to ``/chat/completions`` or ``/completions``.

    Raises
    ------
    ReplyError
        ``no_choice``, ``content_filter``, ``no_usage``, ``bad_logprobs``, or ``bad_reply`` for
        any other shape.
    """
    tokens = read_tokens(body)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ReplyError("no_choice", "the reply holds no answer ('choices' is empty)")
    choice = choices[0]
    if not isinstance(choice, dict):
        raise ReplyError("bad_reply", f"a choice is {type(choice).__name__}")
    message = choice.get("message", {"content": choice.get("text")})
    if not isinstance(message, dict):
        raise ReplyError("bad_reply", f"a message is {type(message).__name__}")
    finish = str(choice.get("finish_reason") or "")
    if finish == "content_filter" or message.get("refusal"):
        raise ReplyError("content_filter", "the endpoint refuses to answer this prompt")
    text = message.get("content") or ""
    thinking = message.get("reasoning_content") or message.get("reasoning") or ""
    if not isinstance(text, str) or not isinstance(thinking, str):
        raise ReplyError("bad_reply", f"the answer is {type(text).__name__}, no text")
    return Reply(
        model=str(body.get("model")),
        text=text,
        thinking=thinking,
        finish=finish,
        steps=_steps(choice.get("logprobs")),
        tokens=tokens,
    )


def _steps(logprobs: Any) -> tuple[Step, ...] | None:
    """Steps in either form: a list ``content``, or the older parallel lists."""
    if logprobs is None:
        return None
    try:
        content = logprobs.get("content")
        if content is not None:
            return tuple(
                _step(one["token"], one["logprob"], one["top_logprobs"], one.get("bytes"))
                for one in content
            )
        if logprobs.get("tokens") is None:
            return None
        columns = ("tokens", "token_logprobs", "top_logprobs")
        rows = zip(*(logprobs[name] for name in columns), strict=True)
        return tuple(_step(token, logp, listed or {}, None) for token, logp, listed in rows)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReplyError("bad_logprobs", f"log-probabilities in an unknown form ({error!r})") from (
            error
        )


def _step(token: str, logp: float, listed: Any, raw: Any) -> Step:
    if isinstance(listed, list):
        pairs = [(one["token"], one["logprob"]) for one in listed]
    else:
        pairs = list(listed.items())
    likeliest: dict[str, float] = {}
    for name, value in [*pairs, (token, logp)]:
        if type(name) is not str or type(value) not in (int, float) or value > 0.01:
            raise ValueError(f"{name!r}: {value!r}")
        # Several tokens may have one text; the likeliest is meant.
        likeliest[name] = max(float(value), likeliest.get(name, float(value)))
    return Step(token.encode() if raw is None else bytes(raw), token, clean(likeliest))


def label_score(reply: Reply, seconds: float) -> LabelScore:
    """Forward scoring: the labels at the first token's place.

    Raises
    ------
    ReplyError
        ``no_logprobs`` when they are not given.
    """
    if not reply.steps or not reply.steps[0].listed:
        raise ReplyError("no_logprobs", "the reply holds no log-probabilities of its first token")
    pair = label_pair(reply.steps[0].listed)
    return LabelScore(*pair.logps, reply.tokens.prompt, seconds, pair.bounded)


def generation(reply: Reply, seconds: float, with_logprobs: bool) -> Generation:
    """Generated text with the probabilities at its labels.

    Parameters
    ----------
    with_logprobs : whether the endpoint gives log-probabilities; otherwise the text is all

    Raises
    ------
    ReplyError
        ``no_logprobs`` when they should be given and are not.
    """
    labels: dict[int, tuple[float, float]] | None = None
    bounded: tuple[int, ...] = ()
    if with_logprobs:
        if reply.steps is None or (reply.text and not reply.steps):
            raise ReplyError("no_logprobs", "the reply holds no log-probabilities")
        labels, bounded = _labels(reply.text, reply.steps)
    tokens = reply.tokens
    return Generation(reply.text, labels, tokens.prompt, tokens.completion, seconds, bounded)


def free_text(reply: Reply, seconds: float) -> Text:
    """What the model wrote, without what the server keeps apart as its thinking."""
    tokens = reply.tokens
    ended = reply.finish != "length"
    return Text(reply.text, tokens.prompt, tokens.completion, seconds, ended)


def _labels(
    text: str, steps: tuple[Step, ...]
) -> tuple[dict[int, tuple[float, float]], tuple[int, ...]]:
    """Probabilities by the offset of each label in the text, and the offsets of bounds.

    A server may strip the text or cut it before a stop string: the text is looked for in the
    tokens' bytes. Where it is not found, no place is known.
    """
    wanted, whole = text.encode(), b"".join(step.raw for step in steps)
    shift = whole.find(wanted)
    labels: dict[int, tuple[float, float]] = {}
    bounded = []
    start = 0
    for step in steps:
        form = lone_label(step.token)
        at = start + len((form or "").encode()) - shift
        start += len(step.raw)
        if shift < 0 or form is None or not 0 <= at < len(wanted) or not step.listed:
            continue
        pair = in_form(step.listed, form)
        offset = len(wanted[:at].decode(errors="replace"))
        labels[offset] = pair.logps
        if pair.bounded:
            bounded.append(offset)
    return labels, tuple(bounded)
