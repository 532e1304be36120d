"""The answer in a model's response to a language prompt.

The paper's prompt asks for "Answer:" and the answer. Models write that in many forms. The strongest
form in a response decides, and of equal ones the last. An answer that is not found is never
guessed. Where it is not sure which text is the answer, `Extracted.passage` holds what a language
model that judges is given instead. `extract_answer_released` shows what the released code takes.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tabbench.core.thinking import without_thought

Form = Literal["tag", "line", "heading", "boxed", "json", "sentence", "not found"]
FORMS: tuple[Form, ...] = ("tag", "line", "heading", "boxed", "json", "sentence", "not found")


@dataclass(frozen=True)
class Extracted:
    """What a response answers.

    Attributes
    ----------
    answer : None when ``form`` is "not found"
    form : named at `extract_answer`
    passage : all that follows the first "Answer:", or the whole response, without the block of
        thinking; None where the answer is sure, or there is no text
    """

    answer: str | None
    form: Form
    passage: str | None = None


_NAME = r"(?:(?:the|my)[ \t]+)?(?:(?:final|correct|short)[ \t]+)?answer"
_UNIT = r"(?:[ \t]*\([^()\n]{1,60}\))?"
_NUMBER = r"[ \t]*\(?#?(?P<number>\d{1,2}|[a-h])\)?"
_TAG = re.compile(
    r"<(?:final[_ ]?)?answer>(?P<rest>.*?)(?:</(?:final[_ ]?)?answer>|\Z)", re.I | re.S
)
_LINE = re.compile(
    rf"^[ \t*_`>#+-]{{0,12}}{_NAME}{_UNIT}[ \t*_`]{{0,4}}[:\uff1a][ \t*_`]{{0,6}}(?P<rest>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = re.compile(
    rf"^[ \t*_`>#+-]{{0,12}}{_NAME}{_NUMBER}{_UNIT}[ \t*_`]{{0,4}}:[ \t*_`]{{0,6}}"
    r"(?P<rest>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t*_]*{_NAME}|\*\*{_NAME}\*\*|__{_NAME}__){_UNIT}[ \t*_#]*(?P<rest>)$",
    re.IGNORECASE | re.MULTILINE,
)
_BOX = re.compile(r"\\boxed\s*\{")
_JSON = re.compile(
    r'"(?:final[_ ]?)?answer"\s*:\s*(?P<rest>"(?:[^"\\\n]|\\.)*"|\[[^\]\n]*\]|[^\s,}"\[][^\n,}]*)',
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    rf"\b{_NAME}\b[*_]*(?:[ \t]+to[ \t]+(?:the|this)[ \t]+question)?"
    r"(?P<cue>[ \t]*:|[ \t]+(?:is|are|would[ \t]+be|should[ \t]+be)\b[ \t]*:?)"
    r"[ \t*_]*(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_NEXT_QUESTION = re.compile(r"^[ \t*_#>]*question[ \t*_]*:", re.IGNORECASE | re.MULTILINE)
_END = re.compile(
    r"[ \t]*#|[ \t*_>]*(?:question|explanation|reasoning|note|justification"
    r"|answer(?:[ \t]*\(?#?(?:\d{1,2}|[a-h])\)?)?)[ \t*_]*:",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\(?(?:\d{1,2}|[a-h])[.)])[ \t]")
_COMPLETES = re.compile(
    r"[ \t*_]*(?:however|but|for(?![ \t]+(?:example|instance|reference))|in[ \t]+contrast|whereas"
    r"|while|also|and|additionally|in[ \t]+addition|moreover|only|except|different|the[ \t]+others?"
    r"|on[ \t]+the[ \t]+other[ \t]+hand)\b",
    re.IGNORECASE,
)
"""How a paragraph begins that completes the answer before it."""


def extract_answer(response: str) -> Extracted:
    """Find the answer in a response; the block of thinking of a reasoning model is passed over.

    The forms, the strongest first: ``tag`` (``<answer>``), ``line`` (a line that begins with
    "Answer:", "Final answer:" or "Answer (in %):", also in bold or as a list item; "Answer 1:" and
    the numbers that follow count together), ``heading`` ("### Final Answer" and the paragraph
    below), ``boxed`` (the last ``\\boxed``), ``json`` (a key "answer"), ``sentence`` ("... so the
    answer is X", in the middle of a line). The answer ends at a blank line, unless what follows
    goes on with its list or with a word such as "however". A model that goes on to write a next
    "Question:" after its answer is not followed.

    A sentence, an answer that is not found, and one behind which text follows are unsure.

    Examples
    --------
    >>> extract_answer("**Answer:** 12.5 points")
    Extracted(answer='12.5 points', form='line', passage=None)
    >>> extract_answer("So the total is 12.")
    Extracted(answer=None, form='not found', passage='So the total is 12.')
    """
    text = without_thought(response)
    if text is None:
        return Extracted(None, "not found")
    text = _first_turn(text)
    answer, form, sure = _found(text)
    return Extracted(answer or None, form, None if sure else extract_answer_released(text) or None)


def _found(text: str) -> tuple[str, Form, bool]:
    """The answer, its form, and whether it is sure to be the whole answer."""
    tags = [answer for found in _TAG.finditer(text) if (answer := _clean(found["rest"]))]
    if tags:
        return tags[-1], "tag", True
    numbered = list(_NUMBERED.finditer(text))
    lines = list(_LINE.finditer(text))
    if numbered and not (lines and lines[-1].start() > numbered[-1].start() and lines[-1]["rest"]):
        return _parts(numbered, text), "line", True
    for form, places in (("line", lines), ("heading", list(_HEADING.finditer(text)))):
        for found in reversed(places):
            paragraph, whole = _paragraph(found["rest"].strip(), text, found.end())
            if answer := _clean(paragraph):
                return answer, form, whole  # type: ignore[return-value]
    boxes = list(_BOX.finditer(text))
    if boxes and (answer := _clean(_inside(text, boxes[-1].end()))):
        return answer, "boxed", True
    for found in reversed(list(_JSON.finditer(text))):
        if answer := _clean(_unquoted(found["rest"])):
            return answer, "json", True
    for found in reversed(list(_SENTENCE.finditer(text))):
        rest = re.split(r"(?<=[\w)\]%*])[.!](?:\s|$)", found["rest"])[0]
        if not rest.strip() and found["cue"].endswith(":"):
            rest, _ = _paragraph("", text, found.end())
        if answer := _clean(rest):
            return answer, "sentence", False
    return "", "not found", False


def _parts(numbered: list[re.Match[str]], text: str) -> str:
    """The numbered answers, from the last beginning on, each on lines of its own."""
    parts: dict[str, str] = {}
    for found in numbered:
        number = found["number"].casefold()
        if parts and (number in ("1", "a") or number in parts):
            parts = {}
        parts[number] = _clean(_paragraph(found["rest"].strip(), text, found.end())[0])
    return "\n".join(filter(None, parts.values()))


def _unquoted(value: str) -> str:
    try:
        read = json.loads(value)
    except ValueError:
        return value
    return read if isinstance(read, str) else value


def _first_turn(text: str) -> str:
    answer = _LINE.search(text)
    following = _NEXT_QUESTION.search(text, answer.end()) if answer else None
    return text[: following.start()] if following else text


def _paragraph(first: str, text: str, at: int) -> tuple[str, bool]:
    """The answer's lines, the others behind ``at``, and whether only a titled remark follows."""
    lines = [first] if first else []
    blank = False
    for line in _lines(text, at):
        if _END.match(line):
            break
        if not line.strip():
            blank = True
            continue
        if blank and lines and not _goes_on(lines[-1], line):
            return "\n".join(lines), False
        lines.append(line.strip())
        blank = False
    return "\n".join(lines), True


def _lines(text: str, at: int) -> Iterator[str]:
    """The lines that begin behind ``at``, one by one: a long response has many of them."""
    while (at := text.find("\n", at) + 1) > 0:
        end = text.find("\n", at)
        yield text[at : end if end >= 0 else len(text)]


def _goes_on(last: str, line: str) -> bool:
    """Whether a line behind a blank one belongs to the answer whose ``last`` line is before it."""
    announced = last.rstrip(" *_").endswith(":")
    return bool(announced or _COMPLETES.match(line) or (_ITEM.match(last) and _ITEM.match(line)))


def _clean(text: str) -> str:
    """An answer without box, emphasis, code marks, math marks and the full stop at its end."""
    boxes = list(_BOX.finditer(text))
    if len(boxes) == 1:
        text = _inside(text, boxes[0].end())
    text = re.sub(r"\\(?:boxed|text(?:bf|rm|it)?)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"(\*\*|__)(.*?)\1", r"\2", text.strip(), flags=re.DOTALL).replace("**", "")
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
