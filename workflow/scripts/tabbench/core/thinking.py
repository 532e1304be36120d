"""Definition of a thought: what a reasoning model writes before its answer, in any model's marks.

Everything that reads or checks what a model wrote decides it here: the label parser, SciTaRC's
answers, plans and verdicts, the probes, the probe of an endpoint and the check that thinking is
off. A thought that is not closed leaves no answer.
"""

import re
from collections.abc import Mapping

_OFF = {"enable_thinking": False, "thinking": False, "thinking_budget": 0}
"""Arguments of chat templates, and the value of each that turns thinking off."""

_WORD = r"(?:think|thinking|thoughts?)"
_ELEMENT = rf"(?:\w{{1,20}}:)?(?:{_WORD}|reasoning|reflection|scratchpad|analysis)"

_OPENING = "|".join(
    (
        rf"<{_ELEMENT}>",
        rf"\[{_WORD}\]",
        rf"◁{_WORD}▷",
        rf"<\|(?:start_|begin_of_)?{_WORD}\|>",
        r"<\|inner_prefix\|>",
        r"<\|channel>\s*thought",
        # OpenAI's harmony format, and what is left of it without its control tokens.
        r"<\|channel\|>\s*(?:analysis|commentary)\b[^<]{0,40}(?:<\|message\|>)?",
        r"\A(?-i:analysis(?=[A-Z]))",
        r"\A\s*here(?: is|['’]s) my thought process:",
    )
)
_CLOSING = "|".join(
    (
        rf"</{_ELEMENT}>",
        rf"\[/{_WORD}\]",
        rf"◁/{_WORD}▷",
        rf"<\|(?:end_|end_of_|/){_WORD}\|>",
        r"<\|inner_suffix\|>",
        r"<channel\|>",
        r"<\|channel\|>\s*final\b[^<]{0,40}(?:<\|constrain\|>\w{0,20})?<\|message\|>",
        r"(?-i:assistantfinal)",
        r"\bhere(?: is|['’]s) my response:",
    )
)
_MARK = re.compile(rf"(?P<opening>{_OPENING})|(?:{_CLOSING})", re.IGNORECASE)
_OPEN_AT_END = re.compile(rf"(?:{_OPENING})\s*\Z", re.IGNORECASE)

# Marks around the answer itself.
_AROUND = re.compile(
    r"<\|(?:(?:start|end)_response|(?:begin|end)_of_solution|return|end)\|>", re.IGNORECASE
)


def _replaced(text: str, fill: str) -> str | None:
    """The text with ``fill`` for each character of its thoughts; None when the last is open.

    A mark that closes a thought which the prompt opened ends all that stands before it.
    """
    kept = ""
    start, after = None, 0
    for mark in _MARK.finditer(text):
        if mark["opening"] is None:
            kept = (
                fill * mark.end()
                if start is None
                else (kept + text[after:start] + fill * (mark.end() - start))
            )
            start, after = None, mark.end()
        elif start is None:
            start = mark.start()
    return kept + text[after:] if start is None else None


def blank_thought(text: str) -> str | None:
    """A response with spaces in place of its thoughts, so that offsets stay; None as below.

    Examples
    --------
    >>> blank_thought("[THINK]0?[/THINK]1")
    '                 1'
    """
    return _replaced(text, " ")


def without_thought(text: str) -> str | None:
    """A response without its thoughts and the marks around its answer; None when one is open.

    Examples
    --------
    >>> without_thought("<think>12 or 13?</think>Answer: 12")
    'Answer: 12'
    >>> without_thought("<think>12 or 13? Answer: 13, but")
    """
    answer = _replaced(text, "")
    return None if answer is None else _AROUND.sub("", answer)


def shows_thought(text: str) -> bool:
    """Whether a response holds a thought, closed or not."""
    return bool(_MARK.search(text))


def opens_thought(prompt: str) -> bool:
    """Whether a rendered prompt ends with a thought open, so that the model goes on thinking."""
    return bool(_OPEN_AT_END.search(prompt))


def thinking_off(template_args: Mapping[str, object]) -> bool:
    """Whether arguments of a chat template say that the model shall not think."""
    return any(name in template_args and template_args[name] == off for name, off in _OFF.items())


def leaves_thinking_on(prompt: str, template: str, template_args: Mapping[str, object]) -> bool:
    """Whether a model would think before it answers a rendered prompt.

    Either the prompt ends inside a thought; or the template has a switch of which the default is
    on, and it is not off; or the template writes every answer in channels, the first for thoughts.
    """
    switches = [name for name in ("enable_thinking", "thinking_budget") if name in template]
    on = any(template_args.get(name, not _OFF[name]) != _OFF[name] for name in switches)
    return on or opens_thought(prompt) or "<|channel|>" in template
