"""Check that a request and its response fit into a model's context."""

from collections.abc import Sequence

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import TextRequest


def check_prompt(index: int, prompt: int, longest: int, room: int, limit: int | None) -> None:
    """Check a prompt.

    Parameters
    ----------
    index
        Of the request, for the message.
    prompt, longest
        Tokens of the prompt, and of the longest that is run for it (with a label's, say).
    room
        Most tokens to be generated.
    limit
        Most tokens of a prompt and its answer; None when there is no limit.

    Raises
    ------
    TabBenchError
        When it is too long.
    """
    if limit is not None and longest + room > limit:
        answer = f" and {room} for the answer" if room else ""
        raise TabBenchError(
            f"request {index}: the prompt has {prompt} tokens{answer}, the "
            f"context of the model {limit}; use fewer shots, a shorter "
            "serialization or a model with a longer context"
        )


def check_dialogue(request: TextRequest, tokens: Sequence[int], limit: int | None) -> None:
    """Check a dialogue that the model is to continue; see `check_prompt`."""
    room = 1 if request.decoding is None else request.decoding.max_new_tokens
    if limit is not None and len(tokens) + room > limit:
        raise TabBenchError(
            f"{request.name}: the dialogue has {len(tokens)} tokens, its answer up to {room}, "
            f"the context of the model {limit}; use a model with a longer context"
        )
