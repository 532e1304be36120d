"""The label parser: label of a generated answer and offset of its digit. Unclear is invalid.

A label is the digit 0 or 1 standing alone: not a part of "10", "0.5", "x_1", "-1" or "1/2"; "1.0"
is the label 1. It counts where an answer is expected, the strongest place first: at the start of
the text; in a phrase, a tag or a box of an answer; alone on a line or emphasised. A digit elsewhere
in prose does not count, nor one that is negated, doubted, asked for, given a probability or
explained. Thoughts, echoed feature rows, rules ("if BMI > 30, then class = 1") and the pair "0
(no) or 1 (yes)" are passed over.
"""

import re
from dataclasses import dataclass

from tabbench.core.thinking import blank_thought
from tabbench.scoring import answer_phrases as phrases


@dataclass(frozen=True)
class Parsed:
    """A parsed answer.

    ``label`` and the character ``offset`` of its digit in the text, both None when the answer
    is invalid; then ``reason`` says why, else it is "".
    """

    label: int | None
    offset: int | None
    reason: str


_QUOTE = r"*_`\"'“”‘’"
_WORD = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # of scripts that part words by spaces
_LABEL = re.compile(
    rf"(?<!{_WORD})(?<!\d[.,:/|–−-])(?<![.+–−-])"  # not inside a word or number, no sign
    r"[01]"
    rf"(?=(?:\.00?)?(?!{_WORD}|[%°/]|[.,:|]\d|[–−-]\w|['’]s\b))"  # nor the start of one
    r"(?!\s+(?:if|when|unless)\b)"  # no condition of a rule
)

# What nobody sees, control tokens of chat templates, underlines of emphasis.
_UNSEEN = re.compile(
    r"[\ufeff\u200b-\u200f\u2060]|</?s>|<\|[^|<>\n]{1,40}\|>|<(?:start|end)_of_turn>"
    r"|(?<!\w)_{1,2}(?=[01]_{1,2}(?!\w))|(?<=_[01])_{1,2}(?!\w)"
)

# A feature row of the prompt, repeated: its cells are no labels, what follows its cue may be.
_ECHO = re.compile(r"\bFeatures are:.*?(?=\. Answer is|$)", re.MULTILINE)

# A rule of the prompt, repeated: "If BMI > 30.5, then class = 1".
_SENTENCE = r"(?:[^.\n]|\.(?=\d))"
_RULE = re.compile(
    rf"(?:\b[01][ \t]+)?\bif\b{_SENTENCE}{{1,200}}?(?:\bthen\b|[<>≥≤]){_SENTENCE}*", re.IGNORECASE
)

# Both labels as alternatives: "0 or 1", "0 (no), 1 (yes)", '"0" for no and "1" for yes', a line
# for each. Bounded: a search that starts at every character must not run on from each.
_MEANING = r"(?:[ \t]*\((?:[^()\n]|\([^()\n]{0,100}\)){0,200}\)|[^.\n\d()]{0,80}?)"
_JOINT = (
    rf"[{_QUOTE}]*[ \t]*\(?(?:[,;/→]|[=-]>|\.{{2,3}}|[,;]?[ \t]*(?:\\text\{{[ \t]*)?"
    r"\b(?:or|and|vs\.?|versus|otherwise|else|oder|ou|o)\b[ \t]*\}?)"
    rf"[ \t]*(?:(?:class|label)[ \t]+)?[{_QUOTE}]*"
)
_PAIR = re.compile(
    "|".join(
        rf"(?<![\w.]){first}(?!\w){_MEANING}{_JOINT}{second}(?!\w|\.\d)"
        rf"|(?<![\w.]){first}[ \t]*[:=–-][^\n]{{1,100}}\n[\s*-]{{0,9}}(?:(?:class|label) )?{second}"
        r"[ \t]*[:=–-]"
        for first, second in ("01", "10")
    ),
    re.IGNORECASE,
)

_LIST_ITEM = re.compile(r"^[ \t*_#(]{0,20}(\d{1,2})[.)][*_]*[ \t]+\S", re.MULTILINE)

# What a model goes on to write behind its answer: the next row, or the next turn.
_NEXT = re.compile(
    r"^[ \t]*(?:Features are:|(?:user|human|question|q|input|###[ \t]*\w{1,20})[ \t]*:)",
    re.IGNORECASE | re.MULTILINE,
)

_EDGE = rf"[ \t{_QUOTE}$()\[\]{{}}|.]{{0,20}}"
_LINE_BEFORE = re.compile(rf"(?:\A|\n)[ \t]{{0,9}}(?:(?:#{{1,6}}|[>•-])[ \t])?{_EDGE}\Z")
_LINE_AFTER = re.compile(rf"(?:\.00?)?{_EDGE}$", re.MULTILINE)
_EMPHASIS_BEFORE = re.compile(r"(?:\*\*|`)\Z")
_EMPHASIS_AFTER = re.compile(r"(?:\.00?)?\.?(?:\*\*|`)")
_ASKED = re.compile(r"[^.!\n]{0,80}[?？]")
_SENTENCE_END = re.compile(r"\n|[.!?](?=\s|\Z)|→|\b(?:but|но|aber|mais|pero)\b", re.IGNORECASE)
_REACH = 300
"""Characters before a label in which the phrase that it ends can begin."""
_MOST = 50
"""Labels from either end of a text that are looked at."""


def parse_answer(text: str) -> Parsed:
    """Find the label that a model answered.

    A text that starts with a lone label answers with it, whatever follows (an explanation, or
    the next rows that a model goes on to write), unless it is the instruction's pair, a numbered
    list, or taken back. Otherwise the labels in the strongest place that has any must agree; the
    first one counts.

    Examples
    --------
    >>> parse_answer("The answer is: y = 1")
    Parsed(label=1, offset=19, reason='')
    >>> parse_answer("Choose 0 (no) or 1 (yes).")
    Parsed(label=None, offset=None, reason='both labels')
    >>> parse_answer("Probability of class 1: 12%")
    Parsed(label=None, offset=None, reason='no label')
    """
    body = blank_thought(text)
    if body is None:
        return Parsed(None, None, "unclosed thinking block")
    body = _blank(_UNSEEN, body, " ")
    answer = body.lstrip()
    if not answer:
        return Parsed(None, None, "empty")
    parsed = _parse(answer)
    if parsed.offset is None:
        return parsed
    return Parsed(parsed.label, len(body) - len(answer) + parsed.offset, "")


def _parse(body: str) -> Parsed:
    """Parse an answer that begins with its first visible character."""
    plain = _without_list_numbers(body)
    for passed_over in (_ECHO, _RULE, _PAIR):
        plain = _blank(passed_over, plain)
    labels = [match.start() for match in _LABEL.finditer(plain)]
    if len(labels) > 2 * _MOST:  # a table; the answer stands before or behind it
        labels = labels[:_MOST] + labels[-_MOST:]
    found = [at for at in labels if _is_said(plain, at)]
    if labels and _is_start(plain, labels[0]):
        found.insert(0, labels[0])
    found = found or [at for at in labels if _stands_out(plain, at)]
    if found:
        end = _end_of_answer(body, found[0])
        values = {plain[at] for at in found if at < end}
        if corrected := phrases.CORRECTED.search(plain, found[0] + 1, end):
            values.add(corrected[1])
        if len(values) == 1:
            return Parsed(int(plain[found[0]]), found[0], "")
        return Parsed(None, None, "both labels")
    both = len({match[0] for match in _LABEL.finditer(body)}) == 2
    return Parsed(None, None, "both labels" if both else "no label")


def _is_start(text: str, at: int) -> bool:
    """Whether the text starts with the label."""
    return (
        bool(phrases.START.fullmatch(text, 0, at))
        and not _ASKED.match(text, at + 1)
        and any(after.match(text, at + 1) for after in (phrases.FOLLOWED, phrases.STARTED))
    )


def _is_said(text: str, at: int) -> bool:
    """Whether a phrase, a tag or a box says that the label is the answer."""
    begin = max(0, at - _REACH)
    if phrases.MARKED.search(text, begin, at):
        return True
    if not _may_be_said(text, at):
        return False
    for phrase in (phrases.NAMED, phrases.SAID, phrases.BARE):
        found = phrase.search(text, begin, at)
        if found and (phrase is not phrases.BARE or phrases.ENDED.match(text, at + 1)):
            clause = text[found.start() + 1 : at]
            before = _sentence(text[begin : found.start() + 1])
            # A name can stand anywhere in its sentence; the other phrases begin a clause.
            told = before + clause if phrase is phrases.NAMED else clause
            return not (phrases.REFUSED.search(told) or phrases.CONDITIONAL.search(before))
    return False


def _stands_out(text: str, at: int) -> bool:
    """Whether the label stands alone on its line, or is emphasised."""
    begin = max(0, at - _REACH)
    if _LINE_BEFORE.search(text, begin, at) and _LINE_AFTER.match(text, at + 1):
        return True
    return (
        bool(_EMPHASIS_BEFORE.search(text, begin, at))
        and bool(_EMPHASIS_AFTER.match(text, at + 1))
        and _may_be_said(text, at)
        and not phrases.REFUSED.search(_sentence(text[begin:at]))
    )


def _may_be_said(text: str, at: int) -> bool:
    """Whether what follows the label does not make it a number of something, or a question."""
    return bool(phrases.FOLLOWED.match(text, at + 1)) and not _ASKED.match(text, at + 1)


def _sentence(text: str) -> str:
    """The last sentence of a text, or what there is of it."""
    return _SENTENCE_END.split(text)[-1]


def _end_of_answer(text: str, first: int) -> int:
    """Where a model goes on to write the next row or turn behind its first label."""
    following = _NEXT.search(text)
    return following.start() if following and following.start() > first else len(text)


def _blank(pattern: re.Pattern[str], text: str, fill: str = "\0") -> str:
    """Overwrite what matches, so that offsets stay; no pattern reaches across a NUL."""
    return pattern.sub(lambda match: fill * len(match[0]), text)


def _without_list_numbers(text: str) -> str:
    """Overwrite the numbers of a numbered list: a "1." there is no label if a "2." follows."""
    items = list(_LIST_ITEM.finditer(text))
    if all(item[1] != "2" for item in items):
        return text
    return _blank(_LIST_ITEM, text)
