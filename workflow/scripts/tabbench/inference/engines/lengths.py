"""Whether a prompt and its answer fit into a model's context: the one rule, for all engines.

A prompt fits where its tokens and those to be generated are together at most the context's. To be
generated is one token where labels are scored (the label, though an engine may not write it), the
most that are allowed where text is generated, and one where a text has the model's own length: it
then ends with the context.
"""

from collections.abc import Sequence
from typing import Any

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import TOO_LONG, Failure, Mode, TextRequest


def room(mode: Mode, max_new_tokens: int) -> int:
    """Tokens to be generated for a prompt in ``mode``."""
    return 1 if mode == "forward" else max_new_tokens


def misfit(tokens: int, to_generate: int, limit: int | None) -> Failure | None:
    """The failure of a prompt of so many tokens; None where it fits.

    Parameters
    ----------
    limit
        Tokens of the context; None when there is no limit.

    Examples
    --------
    >>> misfit(2047, room("forward", 8), 2048)
    >>> misfit(2047, room("generation", 8), 2048).kind
    'too_long'
    """
    if limit is None or tokens + to_generate <= limit:
        return None
    return Failure(
        TOO_LONG,
        f"the prompt has {tokens:,} tokens, its answer up to {to_generate:,}, "
        f"the context of the model {limit:,}",
    )


def check_prompt(index: int, longest: int, to_generate: int, limit: int | None) -> None:
    """Check a prompt that an engine is about to run.

    Parameters
    ----------
    index
        Of the request, for the message.
    longest
        Tokens of the longest text that is run for it (with a part of a label, say).

    Raises
    ------
    TabBenchError
        When it is too long. Jobs leave such prompts out before (`tabbench.inference.context`).
    """
    failure = misfit(longest, to_generate, limit)
    if failure:
        raise TabBenchError(
            f"request {index}: {failure.message}; use fewer shots, a shorter serialization or a "
            "model with a longer context"
        )


def misfit_of_text(
    request: TextRequest, tokens: Sequence[int], limit: int | None
) -> Failure | None:
    """The failure of a dialogue that is to be continued; None where it fits."""
    return misfit(len(tokens), room_of_text(request), limit)


def room_of_text(request: TextRequest) -> int:
    """Tokens to be generated for a free text."""
    return 1 if request.decoding is None else request.decoding.max_new_tokens


def context_length(config: Any) -> int | None:
    """Most tokens of a prompt that a model's configuration allows; None where it sets no limit.

    "longrope" encodes all positions anew once a prompt outgrows the original context, which a
    prefix computed by itself cannot know: there the original context is the limit.
    """
    lengths = [getattr(config, "max_position_embeddings", None)]
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type") == "longrope":
        lengths.append(rope.get("original_max_position_embeddings"))
    return min((length for length in lengths if length is not None), default=None)
