"""From the JSON of an OpenAI-compatible reply to an answer; a malformed reply is a named error."""

import json
import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from tabbench.core.files import writable
from tabbench.core.secrets import without_secrets
from tabbench.inference.engines.base import FILTERED, Generation, LabelScore, Text
from tabbench.inference.engines.label_forms import in_form, label_pair, lone_label
from tabbench.inference.engines.steps import ReplyError, Step, read_steps


@dataclass(frozen=True)
class Tokens:
    """Tokens that a reply is charged for; ``cached`` ones of the prompt cost less."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


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
    """A reply's JSON object, in which every text can be stored and holds no secret.

    Half characters (lone surrogates, which JSON can escape) are replaced here and nowhere else.

    Raises
    ------
    ReplyError
        ``malformed_json`` when it is no object.
    """
    try:
        content = _storable(json.loads(text))
    except (ValueError, RecursionError) as error:
        start = without_secrets(text)[:80]
        raise ReplyError("malformed_json", f"{error}; it begins with {start!r}") from error
    if not isinstance(content, dict):
        raise ReplyError("malformed_json", f"no object but {without_secrets(text)[:80]!r}")
    return content


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(writable(value))
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(one) for key, one in value.items()}
    return value


def read_tokens(body: Mapping[str, Any]) -> Tokens:
    """Token counts of a reply, also of one that is no answer.

    Raises
    ------
    ReplyError
        ``no_usage`` where a count is missing or is none.
    """
    usage = body.get("usage")
    if not isinstance(usage, dict):
        raise ReplyError("no_usage", "the reply does not count its tokens ('usage')")
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if completion is None and as_count(usage.get("total_tokens")) is not None:
        completion = (as_count(usage["total_tokens"]) or 0) - (as_count(prompt) or 0)
    counts = as_count(prompt), as_count(cached or 0), as_count(completion)
    if counts[0] is None or counts[1] is None or counts[2] is None:
        raise ReplyError("no_usage", f"token counts make no sense: {[prompt, cached, completion]}")
    return Tokens(counts[0], min(counts[1], counts[0]), counts[2])


def as_count(value: Any) -> int | None:
    """A number of tokens, also as 7.0; None for what is none."""
    if type(value) not in (int, float) or not 0 <= value < math.inf or value != int(value):
        return None
    return int(value)


def first_choice(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The choice of the least index, or the first where they have none; empty without any."""

    def index(choice: Mapping[str, Any]) -> float:
        place = as_count(choice.get("index"))
        return math.inf if place is None else place

    choices = body.get("choices")
    found = [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
    return min(found, key=index, default={})


def read_reply(body: Mapping[str, Any]) -> Reply:
    """Read a reply to ``/chat/completions`` or ``/completions``.

    Raises
    ------
    ReplyError
        ``no_choice``, ``content_filter``, ``no_usage``, ``bad_logprobs``, or ``bad_reply`` for
        any other shape.
    """
    tokens = read_tokens(body)
    choice = first_choice(body)
    if not choice:
        raise ReplyError("no_choice", "the reply contains no answer ('choices' is empty)")
    message = choice.get("message", {"content": choice.get("text")})
    if not isinstance(message, dict):
        raise ReplyError("bad_reply", f"a message is {type(message).__name__}")
    finish = str(choice.get("finish_reason") or "")
    if finish == "content_filter" or message.get("refusal"):
        raise ReplyError(FILTERED, "the endpoint refuses to answer this prompt")
    text, thinking = _parts(message.get("content") or "")
    apart = message.get("reasoning_content") or message.get("reasoning") or ""
    if not isinstance(apart, str):
        raise ReplyError("bad_reply", f"the thinking is {type(apart).__name__}, no text")
    return Reply(
        model=str(body.get("model")),
        text=text,
        thinking=thinking + apart,
        finish=finish,
        steps=read_steps(choice.get("logprobs")),
        tokens=tokens,
    )


def _parts(content: Any) -> tuple[str, str]:
    """The text of a message, and what is marked in it as thinking; some servers list chunks.

    Examples
    --------
    >>> _parts([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "1"}])
    ('1', 'hm')
    """
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, list):
        raise ReplyError("bad_reply", f"the answer is {type(content).__name__}, no text")
    texts, thoughts = [], []
    for chunk in content:
        whole = {"text": chunk} if isinstance(chunk, str) else chunk
        if not isinstance(whole, dict):
            raise ReplyError("bad_reply", f"a chunk of the answer is {type(chunk).__name__}")
        aside = whole.get("thinking") or whole.get("reasoning") or ""
        inner = _parts(whole.get("text") or "")
        texts.append(inner[0])
        thoughts += [*_parts(aside), inner[1]]
    return "".join(texts), "".join(thoughts)


def label_score(reply: Reply, seconds: float) -> LabelScore:
    """Forward scoring: the labels at the first token's place.

    Raises
    ------
    ReplyError
        ``no_logprobs`` when they are not given.
    """
    if not reply.steps or not reply.steps[0].listed:
        raise ReplyError(
            "no_logprobs", "the reply contains no log-probabilities of its first token"
        )
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
            raise ReplyError("no_logprobs", "the reply contains no log-probabilities")
        labels, bounded = _labels(reply)
    tokens = reply.tokens
    return Generation(reply.text, labels, tokens.prompt, tokens.completion, seconds, bounded)


def free_text(reply: Reply, seconds: float) -> Text:
    """What the model wrote, without what the server keeps apart as its thinking."""
    tokens = reply.tokens
    ended = reply.finish != "length"
    return Text(reply.text, tokens.prompt, tokens.completion, seconds, ended)


def _labels(reply: Reply) -> tuple[dict[int, tuple[float, float]], tuple[int, ...]]:
    """Probabilities by the offset of each label in the text, and the offsets of bounds.

    A server may strip the text, cut it before a stop string, or take its thinking from the front:
    the text is looked for in the tokens' bytes. Where it is not found, no place is known.
    """
    steps = reply.steps or ()
    whole = _readable(b"".join(step.raw for step in steps))
    shift = whole.rfind(reply.text) if reply.thinking else whole.find(reply.text)
    labels: dict[int, tuple[float, float]] = {}
    bounded = []
    start = b""
    for step in steps:
        form = lone_label(step.token)
        before, start = start, start + step.raw
        if shift < 0 or form is None or not step.listed:
            continue
        offset = len(_readable(before + form.encode())) - shift
        if not (0 <= offset < len(reply.text) and reply.text[offset] == step.token[-1]):
            continue
        pair = in_form(step.listed, form)
        labels[offset] = pair.logps
        if pair.bounded:
            bounded.append(offset)
    return labels, tuple(bounded)


def _readable(raw: bytes) -> str:
    """Text of tokens, with half characters replaced as in the text of the reply."""
    return raw.decode(errors="replace")
