"""Texts of answers as tokens, and gold answers as the items that a prediction must name."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from tabbench.scitarc.latex_text import plain_text


@dataclass(frozen=True)
class Number:
    """A number as printed; ``step`` is one in its last digit. Times are in seconds."""

    value: Decimal
    step: Decimal
    percent: bool = False


@dataclass(frozen=True)
class Token:
    """A word, a part of a name, a number or a mark.

    Attributes
    ----------
    at : its place among all tokens
    text : lower case, except for marks
    kind : ``mark`` stands between parts of an answer, ``stop`` ends a sentence
    named : whether it looks like a part of a name: a capital or a digit
    glued : whether it goes on with the token before it, at most a hyphen, / or _ between them
    """

    at: int
    text: str
    kind: Literal["word", "number", "mark", "stop", "bracket"]
    named: bool = False
    glued: bool = False
    number: Number | None = None


_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve"),
)
_ORDINALS = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth"}
_TIMES = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), Decimal("0.001")),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), Decimal(1)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), Decimal(60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), Decimal(3600)),
}
_SIGNS = str.maketrans({"−": "-", "–": "-", "‑": "-", "—": " ; ", "→": " -> ", "’": "'"})
_UNIT = "|".join(sorted(_TIMES, key=len, reverse=True))
_TOKEN = re.compile(
    r"(?P<number>(?<![\w.])(?<!\w-)[+-]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
    r"(?:e[+-]?\d{1,3}|\s*[×x*]\s*10\s*\^\s*\(?[+-]?\d{1,3}\)?)?(?:/\d+)?(?![\w^])(?!-\w)(?!\.\d)"
    rf"(?:\s?%|\s?(?:{_UNIT})\b)?)"
    r"|(?P<word>->|[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:\.\d+)*)"
    r"|(?P<stop>[.!?](?=\s|$))|(?P<bracket>[()\[\]])|(?P<mark>±|\+/-|[,;:\n|&])",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?P<digits>[+-]?\s?[\d,]+(?:\.\d+)?)(?:e(?P<e>[+-]?\d+)|\s*[×x*]\s*10\s*\^\s*"
    rf"\(?(?P<power>[+-]?\d+)\)?)?(?:/(?P<below>\d+))?\s?(?P<unit>%|{_UNIT})?",
    re.IGNORECASE,
)
_JOINS = {"and", "or", "as", "well"}


def tokens(text: str, prose: bool) -> list[Token]:
    """Cut a text with LaTeX or Markdown into tokens.

    Parameters
    ----------
    prose : whether a capital at the start of a sentence says nothing, as in a response; gold
        answers are no sentences
    """
    lines = [plain_text(line) for line in text.split("\n")]
    plain = unicodedata.normalize("NFKC", "\n".join(lines).translate(_SIGNS))
    plain = re.sub(
        r"\*\*|__|`|^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+(?=\S)", "", plain, flags=re.MULTILINE
    )
    plain = re.sub(r"-{3,}|={3,}", " ", plain)
    plain = re.sub(r"\b\d(?:st|nd|rd|th)\b", lambda found: _ORDINALS.get(found[0], found[0]), plain)
    return list(_tokens(plain, prose))


def _tokens(text: str, prose: bool) -> Iterator[Token]:
    end = -1
    sentence_begins = prose
    for at, found in enumerate(_TOKEN.finditer(text)):
        written = found[0]
        word = written.casefold()
        glued = end >= 0 and text[end : found.start()] in ("", "-", "/", "_")
        glued = glued and text[end - 1] not in ",;:|\n()"
        end = found.end()
        if found["number"]:
            yield Token(at, written, "number", glued=glued, number=_number(written))
        elif found["word"] and word in _WORDS and not glued:
            yield Token(at, word, "number", number=Number(Decimal(_WORDS.index(word)), Decimal(1)))
        elif found["word"] and word not in _JOINS:
            capital = written != word and not (sentence_begins and written[1:].islower())
            plain = word in POLAR or (word in STOPWORDS and (prose or len(word) > 1))
            named = (capital or word[0].isdigit()) and not plain
            yield Token(at, word, "word", named, glued)
        elif found["stop"]:
            yield Token(at, written, "stop")
        else:
            yield Token(at, word, "bracket" if found["bracket"] else "mark")
        sentence_begins = prose and bool(found["stop"])


def _number(written: str) -> Number:
    found = _NUMBER.fullmatch(written)
    assert found is not None, written
    digits = Decimal(re.sub(r"[,\s]", "", found["digits"]))
    step = Decimal(1).scaleb(int(digits.as_tuple().exponent))
    power = int(found["e"] or found["power"] or 0)
    value, step = digits.scaleb(power), step.scaleb(power)
    unit = (found["unit"] or "").casefold()
    if found["below"]:
        below = Decimal(found["below"])
        return Number(value / below if below else value, step, unit == "%")
    factor = _TIMES.get(unit, Decimal(1))
    return Number(value * factor, step * factor, unit == "%")


@dataclass(frozen=True)
class Item:
    """What a prediction must name: a name (its tokens' texts), a number, or a yes, no or none."""

    kind: Literal["name", "number", "polar"]
    words: tuple[str, ...] = ()
    number: Number | None = None


Piece = tuple[Item, ...]

POLAR = {"yes": "yes", "true": "yes", "no": "no", "false": "no", "none": "none", "neither": "none"}
STOPWORDS = {
    *("a", "an", "the", "of", "for", "on", "in", "at", "to", "by", "with", "from", "than", "vs"),
    *("is", "are", "was", "be", "that", "this", "it", "its", "which", "and", "or", "different"),
    *("respectively", "both", "all", "only"),
}
"""Words that no item of a gold answer is made of."""


def pieces(read: list[Token]) -> list[list[Token]]:
    """Tokens between marks and ends of sentences; a colon and ± join, brackets stay inside."""
    cut: list[list[Token]] = [[]]
    for token in read:
        if token.kind == "stop" or (token.kind == "mark" and token.text not in (":", "±", "+/-")):
            cut.append([])
        else:
            cut[-1].append(token)
    return [piece for piece in cut if any(token.kind in ("word", "number") for token in piece)]


def items(piece: list[Token]) -> Piece:
    """The items of one piece of a gold answer.

    Names are runs of tokens that look like names; words next to a name or a number are labels and
    units, which a prediction may leave out. A piece or bracket of plain words alone is one item.
    """
    found: list[Item] = []
    for part in _bracketed(piece):
        names = list(_names(part))
        named = {word for name in names for word in name}
        numbers = [
            Item("number", number=one.number)
            for one in part
            if one.kind == "number" and one.text not in named
        ]
        said = [one.text for one in part if one.text not in STOPWORDS]
        if len(part) == 1 and part[0].text in POLAR:
            found.append(Item("polar", (POLAR[part[0].text],)))
        elif names or numbers:
            found += [*(Item("name", name) for name in names), *numbers]
        elif said:
            found.append(Item("name", tuple(said)))
    return tuple(found)


def _bracketed(piece: list[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    for token in piece:
        if token.kind in ("bracket", "mark"):
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _names(part: list[Token]) -> Iterator[tuple[str, ...]]:
    """Runs of tokens that look like names, with what is glued to them and numbers inside."""
    run: list[str] = []
    for at, token in enumerate(part):
        after = part[at + 1] if at + 1 < len(part) else None
        arrow = "->" in (token.text, after and after.text, run[-1] if run else "")
        if arrow or token.named or (run and (token.glued or _numbers_a_name(token, after))):
            run.append(token.text)
        elif run:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)


def _numbers_a_name(token: Token, after: Token | None) -> bool:
    """Whether a number belongs to the name before it: "GPT 5", "Gemini 2.5 Pro"."""
    return token.kind == "number" and (token.text.isdigit() or (after is not None and after.named))
