"""The label parser: label of a generated answer and offset of its digit. Unclear is invalid.

A label is the digit 0 or 1 standing alone: not a part of "10", "1.0", "x_1", "-1" or "1/2".
It counts where an answer is expected, the strongest place first: at the start of the text;
after an answer phrase ("Answer is", "predicted class:", ...) or in a box; alone on a line or
emphasised. A digit elsewhere in prose does not count. Thinking blocks, echoed feature rows,
rules ("if BMI > 30, then class = 1") and the pair "0 (no) or 1 (yes)" are passed over.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Parsed:
    """A parsed answer.

    ``label`` and the character ``offset`` of its digit in the text, both None when the answer
    is invalid; then ``reason`` says why, else it is "".
    """

    label: int | None
    offset: int | None
    reason: str


_THINKING = re.compile(r"<think>.*?</think>", re.IGNORECASE | re.DOTALL)
_THINKING_FROM_PROMPT = re.compile(r"\A.*</think>", re.IGNORECASE | re.DOTALL)
_THINKING_OPEN = re.compile(r"<think>", re.IGNORECASE)

_QUOTE = r"*_`\"'“”‘’"
_LABEL = (
    r"(?<!\w)(?<!\d[.,:/|–−-])(?<![.+–−-])"  # not inside a word or number, no sign
    r"[01]"
    r"(?![\w%°/]|[.,:|]\d|[–−-]\w|['’]s\b)"  # not the start of a number or a word
    r"(?!\s+(?:if|when|unless)\b)"  # no condition of a rule
)

# A feature row of the prompt, repeated: its cells are no labels, what follows its cue may be.
_ECHO = re.compile(r"\bFeatures are:.*?(?=\. Answer is|$)", re.MULTILINE)

# A rule of the prompt, repeated: "If BMI > 30.5, then class = 1".
_SENTENCE = r"(?:[^.\n]|\.(?=\d))"
_RULE = re.compile(
    rf"(?:\b[01][ \t]+)?\bif\b{_SENTENCE}{{1,200}}?(?:\bthen\b|[<>≥≤]){_SENTENCE}*", re.IGNORECASE
)

# Both labels as alternatives: "0 or 1", "0 (no), 1 (yes)", '"0" for no and "1" for yes'. On one
# line, and bounded: a search that starts at every character must not run on from each.
_MEANING = r"(?:[ \t]*\([^\n]{0,300}?\)|[^.\n\d()]{0,80}?)"
_JOINT = (
    rf"[{_QUOTE}]*[ \t]*(?:[,;/]|[,;]?[ \t]*\b(?:or|and|vs\.?|versus|otherwise|else)\b)"
    rf"[ \t]*(?:(?:class|label)[ \t]+)?[{_QUOTE}]*"
)
_PAIR = re.compile(
    "|".join(
        rf"(?<![\w.]){first}(?!\w){_MEANING}{_JOINT}{second}(?!\w|\.\d)"
        for first, second in ("01", "10")
    ),
    re.IGNORECASE,
)

_LIST_ITEM = re.compile(r"^[ \t*_#(]{0,20}(\d{1,2})[.)][*_]*[ \t]+\S", re.MULTILINE)

_MARKUP = rf"[\s{_QUOTE}«(\[{{]|\\\(|</?(?:b|strong|em|i|p)>"
_BOX = r"\\boxed\s*\{\s*(?:\\text\s*\{)?\s*"
_KEY = (
    r"\b(?:answer|prediction|predicted|predict|class|classification|label|output|result"
    r"|response|say|choose)\b(?:\s+(?:for|of)\s+[^.\n\d:=]{1,60}?)?"
)
_FILL = (
    r"\b(?:is|are|be|was|as|to|the|a|it|would|should|will|must|class|label|answer|value|category"
    r"|prediction|output|likely|most|thus|therefore|final|y)\b|[:=→>$]"
)
_EDGE = rf"[ \t{_QUOTE}$()\[\]{{}}|.]{{0,20}}"

# Where an answer is expected, the strongest place first; the label is the one group that matches.
_START = re.compile(rf"(?:{_MARKUP})*(?:y\s*=\s*)?({_LABEL})", re.IGNORECASE)
_PLACES = (
    re.compile(rf"{_KEY}(?:{_FILL}|{_MARKUP}){{0,40}}({_LABEL})|{_BOX}({_LABEL})", re.IGNORECASE),
    re.compile(
        rf"^{_EDGE}({_LABEL}){_EDGE}$|\*\*({_LABEL})\.?\*\*|`({_LABEL})`",
        re.IGNORECASE | re.MULTILINE,
    ),
)


def parse_answer(text: str) -> Parsed:
    """Find the label that a model answered.

    A text that starts with a lone label answers with it, whatever follows (an explanation, or
    the next rows that a model goes on to write), unless it is the instruction's pair or a
    numbered list. Otherwise the labels in the strongest place that has any must agree; the
    first one counts.

    Examples
    --------
    >>> parse_answer("The answer is: y = 1")
    Parsed(label=1, offset=19, reason='')
    >>> parse_answer("Choose 0 (no) or 1 (yes).")
    Parsed(label=None, offset=None, reason='both labels')
    """
    body = _blank(_THINKING_FROM_PROMPT, _blank(_THINKING, text, " "), " ")
    if _THINKING_OPEN.search(body):
        return Parsed(None, None, "unclosed thinking block")
    if not body.strip():
        return Parsed(None, None, "empty")
    plain = _without_list_numbers(body)
    for passed_over in (_ECHO, _RULE, _PAIR):
        plain = _blank(passed_over, plain)
    start = _START.match(plain)
    if start:
        return _parsed(start)
    for place in _PLACES:
        found = [_parsed(match) for match in place.finditer(plain)]
        if len({answer.label for answer in found}) == 2:
            return Parsed(None, None, "both labels")
        if found:
            return found[0]
    both = len(set(re.findall(_LABEL, body))) == 2
    return Parsed(None, None, "both labels" if both else "no label")


def _parsed(match: re.Match[str]) -> Parsed:
    group = match.lastindex or 0
    return Parsed(int(match[group]), match.start(group), "")


def _blank(pattern: re.Pattern[str], text: str, fill: str = "\0") -> str:
    """Overwrite what matches, so that offsets stay; no pattern reaches across a NUL."""
    return pattern.sub(lambda match: fill * len(match[0]), text)


def _without_list_numbers(text: str) -> str:
    """Overwrite the numbers of a numbered list: a "1." there is no label if a "2." follows."""
    items = list(_LIST_ITEM.finditer(text))
    if all(item[1] != "2" for item in items):
        return text
    return _blank(_LIST_ITEM, text)
