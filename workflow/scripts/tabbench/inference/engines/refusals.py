"""Errors that an endpoint states in a reply, whatever the reply's HTTP status."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tabbench.inference.engines.replies import as_count, first_choice


@dataclass(frozen=True)
class Refusal:
    """An error that an endpoint states, with whatever HTTP status it came.

    Attributes
    ----------
    status
        The HTTP status that it amounts to; None where it says nothing of that.
    code
        The endpoint's own word or number.
    message
        The endpoint's text; may be empty.
    """

    status: int | None
    code: str
    message: str


_STATUS_OF = {
    "invalid_api_key": 401,
    "authentication_error": 401,
    "billing_error": 402,
    "insufficient_quota": 429,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "overloaded_error": 503,
    "permission_error": 403,
    "model_not_found": 404,
    "not_found_error": 404,
    "context_length_exceeded": 400,
    "invalid_request_error": 400,
    "server_error": 500,
    "api_error": 500,
    "timeout_error": 408,
}
"""HTTP status that belongs to a word of the endpoints in use."""


def read_refusal(body: Mapping[str, Any]) -> Refusal | None:
    """The error in a reply's body or in its answer; None where it holds none."""
    error = body.get("error") or first_choice(body).get("error")
    if not error and body.get("object") == "error":
        error = body
    if not error and not body.get("choices"):
        error = body.get("detail") or (body.get("message") and body)
    if not error:
        return None
    if not isinstance(error, dict):
        return Refusal(None, "", str(error))
    words = [error[key] for key in ("code", "status", "type") if key in error]
    statuses = [status for word in words if (status := _as_status(word)) is not None]
    code = next((str(word) for word in words if word is not None), "")
    details = error.get("metadata")
    raw = details.get("raw") if isinstance(details, dict) else None
    said = [str(text) for text in (error.get("message"), raw) if text]
    return Refusal(next(iter(statuses), None), code, ": ".join(said))


_EXCEEDS = re.compile(
    r"context[ _-]?(?:length|size|window|limit)\b.*\b(?:exceed|maximum|longer|reduce)"
    r"|\b(?:exceed\w*|maximum|available|longer than)\b.*"
    r"\bcontext[ _-]?(?:length|size|window|limit)"
    r"|\bprompt is too long\b|\bprompt\b.*\blonger than the maximum (?:model )?length"
    r"|\binput token count\b.*\bexceeds|\btokens\W.*\bmax_new_tokens\W+must be\b"
    r"|\bcontext_length_exceeded\b|\bexceed_context_size_error\b",
    re.IGNORECASE | re.DOTALL,
)
"""How endpoints word it: OpenAI, vLLM, llama.cpp, Anthropic, Gemini, Mistral, text-generation-
inference."""


def exceeds_context(said: str) -> bool:
    """Tell whether an endpoint's refusal says that prompt and answer outgrow the model's context.

    Examples
    --------
    >>> exceeds_context("This model's maximum context length is 2048 tokens. However, ...")
    True
    >>> exceeds_context("max_tokens is not supported; use max_completion_tokens")
    False
    """
    return _EXCEEDS.search(said) is not None


def _as_status(word: Any) -> int | None:
    status = _STATUS_OF.get(word) if isinstance(word, str) else as_count(word)
    if status is None and isinstance(word, str) and re.fullmatch(r"[45]\d\d", word, re.ASCII):
        status = int(word)
    return status if status is not None and 400 <= status < 600 else None
