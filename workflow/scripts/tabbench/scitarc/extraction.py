"""The answer in a model's response to a language prompt.

The paper's prompt asks for "Answer:" and the answer. Models write that in many forms. The strongest
form in a response decides, and of equal ones the last. An answer that is not found is counted as
such and never guessed: `extract_answer_released` shows what the released code takes.
"""

import re
from dataclasses import dataclass
from typing import Literal

from tabbench.core.thinking import without_thought

Form = Literal["line", "heading", "boxed", "sentence", "not found"]
FORMS: tuple[Form, ...] = ("line", "heading", "boxed", "sentence", "not found")


@dataclass(frozen=True)
class Extracted:
    """``answer`` is None when ``form`` is "not found"; the forms are named at `extract_answer`."""

    answer: str | None
    form: Form


NOT_FOUND = Extracted(None, "not found")

_NAME = r"(?:(?:the|my)[ \t]+)?(?:(?:final|correct|short)[ \t]+)?answer"
_LINE = re.compile(
    rf"^[ \t*_`>#+-]{{0,12}}{_NAME}[ \t*_`]{{0,4}}:[ \t*_`]{{0,6}}(?P<rest>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t*_]*{_NAME}|\*\*{_NAME}\*\*|__{_NAME}__)[ \t*_#]*(?P<rest>)$",
    re.IGNORECASE | re.MULTILINE,
)
_BOX = re.compile(r"\\boxed\s*\{")
_SENTENCE = re.compile(
    rf"\b{_NAME}\b[*_]*(?:[ \t]+to[ \t]+(?:the|this)[ \t]+question)?"
    r"(?:[ \t]*:|[ \t]+(?:is|are|would[ \t]+be|should[ \t]+be)\b:?)[ \t*_]*(?P<rest>[^\n]+)",
    re.IGNORECASE,
)
_NEXT_QUESTION = re.compile(r"^[ \t*_#>]*question[ \t*_]*:", re.IGNORECASE | re.MULTILINE)
_END = re.compile(
    r"[ \t]*#|[ \t*_>]*(?:question|explanation|reasoning|note|justification|answer)[ \t*_]*:",
    re.IGNORECASE,
)


def extract_answer(response: str) -> Extracted:
    """Find the answer in a response; the block of thinking of a reasoning model is passed over.

    The forms, the strongest first: ``line`` (a line that begins with "Answer:" or "Final answer:",
    also in bold or as a list item), ``heading`` ("### Final Answer" and the paragraph below),
    ``boxed`` (the last ``\\boxed``), ``sentence`` ("... so the answer is X", in the middle of a
    line). A model that goes on to write a next "Question:" after its answer is not followed.

    Examples
    --------
    >>> extract_answer("**Answer:** 12.5 points")
    Extracted(answer='12.5 points', form='line')
    >>> extract_answer("So the total is 12.")
    Extracted(answer=None, form='not found')
    """
    text = without_thought(response)
    if text is None:
        return NOT_FOUND
    text = _first_turn(text)
    if answer := _last(_LINE, text):
        return Extracted(answer, "line")
    if answer := _last(_HEADING, text):
        return Extracted(answer, "heading")
    boxes = list(_BOX.finditer(text))
    if boxes and (answer := _clean(_inside(text, boxes[-1].end()))):
        return Extracted(answer, "boxed")
    for found in reversed(list(_SENTENCE.finditer(text))):
        if answer := _clean(re.split(r"(?<=[\w)\]%*])[.!](?:\s|$)", found["rest"])[0]):
            return Extracted(answer, "sentence")
    return NOT_FOUND


def _first_turn(text: str) -> str:
    answer = _LINE.search(text)
    following = _NEXT_QUESTION.search(text, answer.end()) if answer else None
    return text[: following.start()] if following else text


def _last(pattern: re.Pattern[str], text: str) -> str:
    """The last place with an answer behind it; "" if there is none."""
    for found in reversed(list(pattern.finditer(text))):
        if answer := _clean(_paragraph(found["rest"].strip(), text[found.end() :])):
            return answer
    return ""


def _paragraph(first: str, after: str) -> str:
    """The answer's lines, up to a blank line; an announced list may stand behind one."""
    lines = [first] if first else []
    least = 2 if first.endswith(":") else 1
    for line in after.split("\n")[1:]:
        if _END.match(line) or (not line.strip() and len(lines) >= least):
            break
        if line.strip():
            lines.append(line.strip())
    return "\n".join(lines)


def _clean(text: str) -> str:
    """An answer without box, emphasis, code marks, math marks and the full stop at its end."""
    boxes = list(_BOX.finditer(text))
    if len(boxes) == 1:
        text = _inside(text, boxes[0].end())
    text = re.sub(r"\\(?:boxed|text(?:bf|rm|it)?)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"(\*\*|__)(.*?)\1", r"\2", text.strip(), flags=re.DOTALL)
    text = re.sub(r"\A[*_`\s]+|[*_`\s]+\Z", "", text)
    while len(text) > 1 and (text[0], text[-1]) in (('"', '"'), ("$", "$"), ("`", "`")):
        text = text[1:-1].strip()
    return re.sub(r"(?<=[\w)\]%\"'])\.\Z", "", text)


def _inside(text: str, at: int) -> str:
    """What stands in the brace that opened before ``at``; all of the rest if it is not closed."""
    depth = 1
    for place in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[at:place]
    return text[at:]


_RELEASED = re.compile(
    r"^[^\S\n]*(?:final\s*)?answer\s*:(.*)", re.IGNORECASE | re.DOTALL | re.MULTILINE
)


def extract_answer_released(response: str) -> str:
    """What the released code takes: all that follows the first line that begins with "Answer:".

    "Final answer:" counts too, in any case; without such a line it takes the whole response. Bold
    marks, headings and forms in the middle of a line are missed.
    """
    found = _RELEASED.search(response)
    return (found[1] if found else response).strip()
