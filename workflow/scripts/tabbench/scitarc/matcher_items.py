"""Texts of answers as tokens, and gold answers as the items that a prediction must name."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import takewhile, zip_longest
from typing import Literal

from tabbench.scitarc.latex_text import plain_text

Family = Literal["", "percent", "time", "bytes"]


@dataclass(frozen=True)
class Number:
    """A number as printed.

    Attributes
    ----------
    value : without its unit
    step : by how much another one may differ: one in the last digit; 0 for a count
    family : of its unit
    factor : of its unit: seconds or bytes
    signed : whether a sign is printed
    above : numerator of a fraction; a count may be printed as a part of a total
    """

    value: Decimal
    step: Decimal
    family: Family = ""
    factor: Decimal = Decimal(1)
    signed: bool = False
    above: Decimal | None = None

    def distance(self, other: "Number") -> Decimal | None:
        """How far the size of another one is from the size of this one; None if it is different.

        A share may be printed as a percentage, and a unit left out, but not replaced.
        """
        if self.family and other.family and self.family != other.family:
            return None
        if self.step == 0 and other.above == self.value:
            return Decimal(0)
        mine, step = abs(self.value), self.step
        sizes = [abs(other.value)]
        if self.family == other.family and self.family in ("time", "bytes"):
            mine, step = mine * self.factor, step * self.factor
            sizes = [abs(other.value) * other.factor]
        elif self.family == "percent" and not other.family and abs(other.value) <= 1:
            sizes.append(sizes[0] * 100)
        elif not self.family and other.family == "percent":
            sizes = [sizes[0] / 100] if mine <= 1 and self.step < 1 else sizes
        least = min(abs(size - mine) for size in sizes)
        return least if least <= step else None


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
    capitals : whether a letter behind the first is a capital
    """

    at: int
    text: str
    kind: Literal["word", "number", "mark", "stop", "bracket"]
    named: bool = False
    glued: bool = False
    number: Number | None = None
    capitals: bool = False


_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
    **{
        f"{ten}-{_UNITS[unit]}": 10 * tens + unit
        for tens, ten in enumerate(_TENS, start=2)
        for unit in range(1, 10)
    },
}
_PARTS = {"half": "1/2", "halves": "1/2", "third": "1/3", "thirds": "1/3", "quarter": "1/4"}
_PARTS |= {"quarters": "1/4", "fifth": "1/5", "fifths": "1/5", "tenth": "1/10", "tenths": "1/10"}
ORDINALS = {
    **{"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth"},
    **{word: word for word in ("first", "second", "third", "fourth", "fifth", "sixth")},
    **{word: word for word in ("seventh", "eighth", "ninth", "tenth")},
}
_TIMES = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), Decimal("0.001")),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), Decimal(1)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), Decimal(60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), Decimal(3600)),
}
_BYTES = {f"{prefix}b": Decimal(1000) ** at for at, prefix in enumerate("kmgt", start=1)}
_PERCENT = ("%", "percent", "per cent", "percentage points", "percentage point", "pct", "pp")
_SCALES = {
    **dict.fromkeys(("k", "thousand"), 3),
    **dict.fromkeys(("m", "million"), 6),
    **dict.fromkeys(("b", "billion"), 9),
}
_SIGNS = str.maketrans(
    {"−": "-", "–": "-", "‑": "-", "—": " ; ", "→": " -> ", "’": "'", "\u00a0": " ", "\u202f": " "}
)
_UNIT = "|".join(
    re.escape(unit) for unit in sorted((*_TIMES, *_BYTES, *_PERCENT), key=len, reverse=True)
)
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+(?![\d.,]|[^\S\n]*\d)|\d+)(?:\.\d+)?|\.\d+"
_TOKEN = re.compile(
    rf"(?P<number>(?<![\w.])(?<!\w-)[+-]?\s?(?:{_DIGITS})"
    r"(?:e[+-]?\d{1,3}|\s*[×x*]\s*10\s*\^\s*\(?[+-]?\d{1,3}\)?|\^\(?[+-]?\d{1,2}\)?)?(?:/\d+)?"
    rf"(?:\s?(?:{_SCALE})(?![\w-]))?(?:[x×](?!\w))?(?![\w^])(?!-\w)(?!\.\d)"
    rf"(?:[ -]?(?:{_UNIT})(?!\w))?)"
    rf"|(?P<spelt>(?<![\w-])(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?![\w]))"
    r"|(?P<word>->|[^\W\d_]+(?:'[^\W\d_]+|\+{1,2}(?!\w))?|\d+(?:\.\d+)*)"
    r"|(?P<stop>[.!?](?=\s|$))|(?P<bracket>[()\[\]])|(?P<mark>±|\+/-|[,;:\n|&>])",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?P<digits>[+-]?\s?[\d, ]*(?:\.\d+)?)"
    r"(?:e(?P<e>[+-]?\d+)|\s*[×x*]\s*10\s*\^\s*\(?(?P<power>[+-]?\d+)\)?"
    r"|\^\(?(?P<raised>[+-]?\d+)\)?)?(?:/(?P<below>\d+))?"
    rf"(?:\s?(?P<scale>{_SCALE})(?!\w))?[x×]?[ -]?(?P<unit>{_UNIT})?",
    re.IGNORECASE,
)
_ALONE = {"", "\n", "(", "[", ":", ",", ";", "="}
"""What stands before a sign that has a blank behind it."""
_JOINS = {"and", "or", "as", "well"}
_SUPERSCRIPT = re.compile("(?<=\\d)[⁺⁻⁰¹²³⁴-⁹]+")
_WORKING = re.compile(
    r"[-+]?[\d.,]{0,15}\d%?(?:\s*[-+*/×÷]\s*[-+]?[\d.,]{0,15}\d%?){1,20}\s*(?:=|equals)\s*"
    r"|\(\s*=?\s*[\d.]+%?(?:\s+[-+*/×÷]\s+[\d.]+%?)+\s*\)"
)
"""A calculation in front of its result, or in brackets behind it."""


def tokens(text: str, prose: bool) -> list[Token]:
    """Cut a text with LaTeX or Markdown into tokens.

    Parameters
    ----------
    prose : whether a capital at the start of a sentence says nothing, and a calculation is only the
        way to its result, as in a response; gold answers are no sentences
    """
    text = _SUPERSCRIPT.sub(lambda found: "^" + unicodedata.normalize("NFKC", found[0]), text)
    lines = [plain_text(line) for line in text.split("\n")]
    plain = unicodedata.normalize("NFKC", "\n".join(lines).translate(_SIGNS))
    plain = re.sub(
        r"\*\*|__|`|^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+(?=\S)", "", plain, flags=re.MULTILINE
    )
    plain = re.sub(r"-{3,}|={3,}", " ", plain)
    plain = re.sub(r"\b\d(?:st|nd|rd|th)\b", lambda found: ORDINALS.get(found[0], found[0]), plain)
    plain = re.sub(r"\bw/o\b", "without", plain)
    plain = re.sub(r"\bavg\b\.?", "average", plain, flags=re.IGNORECASE)
    plain = re.sub(r"(?<=\d)\s+(?:times|fold)\b", "x", plain)
    plain = re.sub(
        rf"\b({'|'.join(_UNITS[1:10])}|an?)[ -]({'|'.join(_PARTS)})\b(?! \w+\b)",
        lambda found: _part(found[1], found[2]),
        plain,
    )
    if prose:
        plain = _WORKING.sub("", plain)
    return list(_tokens(plain, prose))


def _part(count: str, part: str) -> str:
    above, below = _PARTS[part].split("/")
    return f"{_WORDS.get(count, 1) * int(above)}/{below}"


def _tokens(text: str, prose: bool) -> Iterator[Token]:
    end = -1
    sentence_begins = prose
    for at, found in enumerate(_TOKEN.finditer(text)):
        written = found[0]
        word = written.casefold()
        glued = end >= 0 and text[end : found.start()] in ("", "-", "/", "_")
        glued = glued and text[end - 1] not in ",;:|\n()>"
        end = found.end()
        if found["number"]:
            if (
                re.match(r"[+-]\s", written)
                and text[: found.start()].rstrip(" ")[-1:] not in _ALONE
            ):
                written = word = written[1:].lstrip()  # a dash, not a sign
            yield Token(at, word, "number", glued=glued, number=_number(written))
        elif found["spelt"]:
            count = Number(Decimal(_WORDS[word]), Decimal(0))
            yield Token(at, str(_WORDS[word]), "number", glued=glued, number=count)
        elif found["word"] and word not in _JOINS:
            capital = written != word and not (sentence_begins and written[1:].islower())
            plain = word in POLAR or (word in STOPWORDS and (prose or len(word) > 1))
            named = (capital or word[0].isdigit()) and not plain
            yield Token(at, word, "word", named, glued, capitals=not written[1:].islower())
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
    if found["raised"]:
        base = digits ** int(found["raised"]) if abs(digits) <= 1000 else digits
        digits, step = base, Decimal(0)
    power = int(found["e"] or found["power"] or 0) + _SCALES.get((found["scale"] or "").lower(), 0)
    value, step = digits.scaleb(power), step.scaleb(power)
    if found["below"]:
        below = Decimal(found["below"])
        value, step = (value / below, Decimal("0.0001")) if below else (value, step)
    unit = (found["unit"] or "").casefold()
    signed = written[0] in "+-"
    if unit in _PERCENT:
        return Number(value, step, "percent", signed=signed)
    if unit in _TIMES:
        return Number(value, step, "time", _TIMES[unit], signed)
    if unit in _BYTES:
        return Number(value, step, "bytes", _BYTES[unit], signed)
    whole = "." not in found["digits"] and not (found["e"] or found["power"] or found["below"])
    above = digits if found["below"] else None
    return Number(value, Decimal(0) if whole else step, signed=signed, above=above)


@dataclass(frozen=True)
class Item:
    """What a prediction must name: a name (its tokens' texts), a number, or a yes, no or none.

    Attributes
    ----------
    direction : of a number: 1 or -1 where a sign or a word such as "higher" says it, else 0
    total : whether it is the second number of "7 of 12"
    label : words that say what a number without a name is of
    """

    kind: Literal["name", "number", "polar"]
    words: tuple[str, ...] = ()
    number: Number | None = None
    direction: int = 0
    total: bool = False
    label: tuple[str, ...] = ()


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
    label = tuple(
        one.text
        for one in piece
        if one.kind == "word" and (one.text not in STOPWORDS or len(one.text) == 1)
    )
    for part in _bracketed(piece):
        names = list(_names(part))
        named = {word for name in names for word in name}
        numbers = [
            Item(
                "number",
                number=one.number,
                direction=direction(part, at),
                total=is_total(part, at),
                label=() if names else label,
            )
            for at, one in enumerate(part)
            if one.kind == "number" and one.text not in named
        ]
        said = [one.text for one in part if one.text not in STOPWORDS and one.text not in ORDINALS]
        if len(part) == 1 and part[0].text in POLAR:
            found.append(Item("polar", (POLAR[part[0].text],)))
        elif _is_phrase(part):
            found.append(Item("name", tuple(said)))
        elif names or numbers:
            found += [*(Item("name", name) for name in names), *numbers]
        elif said and not (len(said[0]) == 1 and len(part) < len(piece)):  # "b)" is a label
            found.append(Item("name", tuple(said)))
    return tuple(found)


def _is_phrase(part: list[Token]) -> bool:
    """Whether a part is a phrase with a capital at its start: "Average pooling"."""
    if not 1 < len(part) <= 3 or any(one.kind != "word" for one in part):
        return False
    plain = part[0].text.isalpha() and not part[0].capitals
    return part[0].named and plain and not any(one.named or one.glued for one in part[1:])


_LESS = re.compile(
    r"(?:decreas|drop|reduc|fall|fell|los|declin)\w*|lower|minus|worse|negative|down|less|smaller|fewer"
)
_MORE = re.compile(r"(?:increas|ris|gain|improv)\w*|rose|higher|more|up|larger|better|plus|greater")


def direction(read: Sequence[Token], at: int) -> int:
    """1 or -1 where the sign of a number, or the nearest word in its clause, says so; else 0."""
    number = read[at].number
    if number is not None and (number.value < 0 or number.signed):
        return -1 if number.value < 0 else 1
    before, behind = _clause(read[max(0, at - 4) : at][::-1]), _clause(read[at + 1 : at + 5])
    words = [one for pair in zip_longest(before, behind) for one in pair if one is not None]
    for one in words:
        if _LESS.fullmatch(one.text) or _MORE.fullmatch(one.text):
            return -1 if _LESS.fullmatch(one.text) else 1
    return 0


def _clause(read: Sequence[Token]) -> list[Token]:
    return list(takewhile(lambda one: one.kind == "word", read))


def is_total(read: Sequence[Token], at: int) -> bool:
    """Whether a number is the second one of "7 of 12", "7 out of the 12"."""
    before = [
        one for one in read[max(0, at - 4) : at] if one.text not in ("the", "all", "its", "out")
    ]
    return len(before) > 1 and before[-1].text == "of" and before[-2].kind == "number"


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
        inside = run and (token.glued or _numbers_a_name(token, after))
        if arrow or token.named or inside or _begins_a_name(part, at):
            run.append(token.text)
        elif run:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)


def _begins_a_name(part: list[Token], at: int) -> bool:
    """Whether a name in lower case begins: "qwen2.5-7b", "o3-mini"."""
    chain = list(takewhile(lambda one: one.glued, part[at + 1 :]))
    return part[at].kind == "word" and any(one.text[0].isdigit() for one in chain)


def _numbers_a_name(token: Token, after: Token | None) -> bool:
    """Whether a number belongs to the name before it: "GPT 5", "Gemini 2.5 Pro", "Yi 34B"."""
    if token.number is None or token.number.family or not token.text[0].isdigit():
        return False
    return token.text.rstrip("kmb").isdigit() or (after is not None and after.named)
