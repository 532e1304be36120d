"""A prompt as messages of a chat, or as the one text that a model continues."""

import hashlib

from tabbench.inference.engines.base import Prompt

Messages = list[dict[str, str]]

COMPLETION_LAYOUT = "{system}\n\n{prefix}{query}"
COMPLETION_LAYOUT_WITHOUT_SYSTEM = "{prefix}{query}"


def completion_text(prompt: Prompt) -> str:
    """Return the plain text that a model continues; the cue's trailing space is kept.

    "0" after a space is another token than " 0": without the space, the probability of the
    two labels is near zero for many models.
    """
    layout = COMPLETION_LAYOUT if prompt.system else COMPLETION_LAYOUT_WITHOUT_SYSTEM
    return layout.format(system=prompt.system, prefix=prompt.prefix, query=prompt.query)


def chat_messages(prompt: Prompt, system_role: bool = True) -> Messages:
    """Return the prompt as chat messages.

    Parameters
    ----------
    system_role
        Whether the model's template knows the role "system"; otherwise the system text opens
        the user's message.
    """
    messages = [{"role": "user", "content": prompt.prefix + prompt.query.rstrip()}]
    if prompt.system:
        messages.insert(0, {"role": "system", "content": prompt.system})
    return messages if system_role else fold_system(messages)


def fold_system(messages: Messages) -> Messages:
    """Move a leading system message into the message after it."""
    if len(messages) < 2 or messages[0]["role"] != "system":
        return messages
    system, first, *rest = messages
    return [{**first, "content": f"{system['content']}\n\n{first['content']}"}, *rest]


def template_hash(template: str) -> str:
    """Return the first 12 hex digits of the sha256 of a template's text."""
    return hashlib.sha256(template.encode()).hexdigest()[:12]
