"""Where the items of a gold answer stand in a prediction, and where they are only mentioned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from tabbench.scitarc.matcher_items import (
    ORDINALS,
    POLAR,
    STOPWORDS,
    Item,
    Number,
    Token,
    direction,
    is_total,
)

_SAME = 0.88
"""Smallest similarity of two words at which one counts as a misspelling of the other."""
_HARMLESS = {"instruct", "chat", "it", "hf", "base", "model", "score", "optimizer"}
"""Suffixes that a name may have without becoming another name."""
_KINDS = {
    *("score", "scores", "model", "models", "optimizer", "method", "dataset", "datasets"),
    *("failure", "failures", "error", "errors", "language", "languages", "task", "domain"),
}
"""Words that say what a name is of; a prediction may leave them out."""
_ORDERED = {"->", "to", "from", "over", "than", "without", "not"}
"""Words that make the order of a name's words matter."""
_BOUNDS = {("at", "least"), ("at", "most"), ("up", "to")}
_COMPARED = {"more", "less", "fewer", "greater", "higher", "lower", "larger", "smaller"}
_NEAR = 30
"""Tokens before a name in which something may deny it."""
_ARTICLES = {"the", "a", "an", "for", "in", "on"}
_NEGATED = {"non", "not", "no", "without", "except", "excluding", "nor", "neither", "never"}
_RULED_OUT = {("other", "than"), ("rather", "than"), ("instead", "of"), ("apart", "from")}
_ALL = {"all", "every", "any", "none", "nothing", "everything", "each", "anything"}
BEATS = {
    *("outperform", "outperforms", "beat", "beats", "surpass", "surpasses", "exceed", "exceeds"),
}
_COMPARES = BEATS | {
    "surpassed",
    "exceeded",
    "than",
    "versus",
    "vs",
    "against",
    "compared",
    "ahead",
}
"""Words whose object is what the answer is compared with."""
_BEATEN = {"outperformed", "beaten", "surpassed", "exceeded"}
RANKS = list(dict.fromkeys(ORDINALS.values()))
_BEHIND = {*RANKS[1:], "last", "runner"}
_DENIES = {"does", "do", "did", "is", "are", "was", "were", "has", "have", "can"}
_AGREES = {"indeed", "correct", "right"}


@dataclass(frozen=True)
class Place:
    """First and last token of an item."""

    first: int
    last: int


def places_of(wanted: Sequence[Item], read: list[Token]) -> list[Place | None]:
    """A place for each item; each token serves one item.

    Of equal numbers the one nearest to the item before is taken, a number's name.
    """
    taken: set[int] = set()
    places: list[Place | None] = []
    words = frozenset(item.words[0] for item in wanted if len(item.words) == 1)
    compared = sum(item.kind == "name" for item in wanted) == 1
    before = 0
    for item, after in zip_longest(wanted, wanted[1:]):
        candidates = [
            place
            for place in _candidates(item, read, before, words, compared)
            if taken.isdisjoint(range(place.first, place.last + 1))
        ]
        if item.kind == "name" and after and after.number:  # of equal names the one with its value
            candidates.sort(key=lambda place: not _followed(read, place, after))
        place = candidates[0] if candidates else None
        places.append(place)
        if place is not None:
            before = place.last
            taken.update(range(place.first, place.last + 1))
    return places


def _followed(read: list[Token], place: Place, item: Item) -> bool:
    assert item.number is not None
    near = range(place.last + 1, min(place.last + 4, len(read)))
    return any(_distance(item, item.number, read, at) is not None for at in near)


def _candidates(
    item: Item, read: list[Token], before: int, words: frozenset[str], compared: bool
) -> Iterator[Place]:
    """Places of an item, the best first; ``before`` is that of the item before it."""
    if item.kind == "polar":
        yield from _polar(item.words[0], read)
        return
    if item.number is not None:
        near = [
            (distance, abs(at - before), at)
            for at in range(len(read))
            if (distance := _distance(item, item.number, read, at)) is not None
        ]
        yield from (Place(at, at) for *_, at in sorted(near))
        if item.number.value == 0 and not near:
            yield from (Place(one.at, one.at) for one in read if one.text in ("none", "no"))
        return
    for place in _named(item.words, read, words):
        if not _denied(read, place, compared):
            yield place


def _polar(gold: str, read: list[Token]) -> Iterator[Place]:
    """The yes, no or none that a prediction says first, or in other words, unless undecided."""
    said = [one for one in read if one.text in POLAR]
    meant = {POLAR[one.text] for one in said}
    if gold == "none":
        first = next((one for one in read if POLAR.get(one.text) in ("none", "no")), None)
        zero = next((one for one in read if one.number and one.number.value == 0), None)
        if found := first or zero:
            yield Place(found.at, found.at)
        return
    undecided = {"yes", "no"} <= meant and any(one.text in ("whether", "or") for one in read)
    if said and not undecided and POLAR[said[0].text] == gold:
        yield Place(said[0].at, said[0].at)
    if said:
        return
    denies = next((one for one in read if one.text == "not" or one.text.endswith("n't")), None)
    agrees = next((one for one in read if one.text in _AGREES), None)
    found = denies if gold == "no" else (None if denies else agrees)
    if found is not None:
        yield Place(found.at, found.at)


def _distance(item: Item, gold: Number, read: list[Token], at: int) -> float | None:
    """How far the number at a place is from the gold one; None if it says something else."""
    number = read[at].number
    if number is None or _bounds(read, at) or (at and read[at - 1].text == "not"):
        return None
    if is_total(read, at) and not item.total:
        return None
    distance = gold.distance(number)
    if distance is None:
        return None
    says = direction(read, at)
    if gold.value < 0:
        agrees = says < 0
    elif item.direction:
        agrees = says != -item.direction
    else:
        agrees = number.value >= 0
    return float(distance / gold.step if gold.step else distance) if agrees else None


def _bounds(read: list[Token], at: int) -> bool:
    """Whether a number is the end of a range: "at least 4", "between 4 and 6"."""
    before = [one.text for one in read[max(0, at - 3) : at]]
    pair = tuple(before[-2:])
    compared = len(pair) == 2 and pair[1] == "than" and pair[0] in _COMPARED
    return pair in _BOUNDS or compared or "between" in before


def _named(words: Sequence[str], read: list[Token], others: frozenset[str]) -> Iterator[Place]:
    """Places of a name, in its own words or without those that only say what it is of."""
    said = [at for at, token in enumerate(read) if token.kind in ("word", "number")]
    core = [word for word in words if word not in _KINDS]
    spellings = [words, core] if core and len(core) < len(words) else [words]
    for spelling in spellings:
        yield from _spelt(spelling, read, said, others)
    yield from _initials(words, read, said)
    if len(words) > 1 and _ORDERED.isdisjoint(words):
        yield from _reordered(words, read, said, others)


def _spelt(
    words: Sequence[str], read: list[Token], said: Sequence[int], others: frozenset[str]
) -> Iterator[Place]:
    """Places of a name in any cut into words, or with typing errors."""
    joined = "".join(words)
    for start in range(len(said)):
        begins = read[said[start]].text[0] == joined[0] or read[said[start]].number is not None
        if not begins and not _alike(words[0], read[said[start]].text):
            continue
        text = ""
        for end in range(start, min(len(said), start + len(joined))):
            text += read[said[end]].text.replace(" ", "")
            span = said[start : end + 1]
            same = len(span) == len(words) and all(
                map(_alike, words, (read[at].text for at in span))
            )
            if (text == joined or same) and _whole(read, said, start, len(span), others):
                yield Place(span[0], span[-1])
            if len(text) > len(joined) + 3:
                break


def _reordered(
    words: Sequence[str], read: list[Token], said: list[int], others: frozenset[str]
) -> Iterator[Place]:
    """Places of a name's words in another order, with small words between them."""
    wanted = sorted(_ordinal(word) for word in words if word not in STOPWORDS)
    if len(wanted) < 2:
        return
    there = [(nth, at) for nth, at in enumerate(said) if read[at].text not in STOPWORDS]
    for start in range(len(there) - len(wanted) + 1):
        window = there[start : start + len(wanted)]
        span = [at for _, at in window]
        apart = any(read[at].kind in ("mark", "stop") for at in range(span[0], span[-1]))
        whole = _whole(read, said, window[0][0], window[-1][0] - window[0][0] + 1, others)
        if sorted(_ordinal(read[at].text) for at in span) == wanted and not apart and whole:
            yield Place(span[0], span[-1])


def _ordinal(word: str) -> str:
    """The number of an ordinal: "second table" is "Table 2"."""
    return str(RANKS.index(word) + 1) if word in RANKS else word


def _alike(gold: str, text: str) -> bool:
    if gold == text or (min(len(gold), len(text)) > 3 and gold.rstrip("s") == text.rstrip("s")):
        return True
    if not (gold.isalpha() and text.isalpha() and min(len(gold), len(text)) > 5):
        return False
    swapped = len(gold) == len(text) and gold[0] == text[0] and sorted(gold) == sorted(text)
    return swapped or SequenceMatcher(None, gold, text, autojunk=False).ratio() >= _SAME


def _whole(
    read: list[Token], said: Sequence[int], start: int, length: int, others: frozenset[str]
) -> bool:
    """Whether the words are not a part of a longer name; parts may be items of their own."""
    before = read[said[start - 1]] if start else None
    if read[said[start]].glued and before is not None and before.text not in {"->", *others}:
        return False
    after = start + length
    if after == len(said) or not read[said[after]].glued:
        return True
    return read[said[after]].text in _HARMLESS | others


def _denied(read: list[Token], place: Place, compared: bool) -> bool:
    """Whether a name is ruled out, or, if ``compared``, only what the answer is compared with."""
    before: list[str] = []
    for one in reversed(read[max(0, place.first - _NEAR) : place.first]):
        if one.kind in ("mark", "stop"):
            break
        before.insert(0, one.text)
    near = [text for text in before if text not in _ARTICLES][-4:]
    if near and (near[-1] in _NEGATED or tuple(near[-2:]) in _RULED_OUT):
        return True
    if near and near[-1] == "but" and not _ALL.isdisjoint(before):
        return True
    behind = [one.text for one in read[place.last + 1 : place.last + 5]]
    verb = next((at for at, text in enumerate(behind) if text in _DENIES), None)
    if verb is not None and verb < 2 and behind[verb + 1 : verb + 2] == ["not"]:
        return True
    if behind[:1] and behind[0].endswith("n't"):
        return True
    passive = not _BEATEN.isdisjoint(before) and near[-1:] == ["by"]
    if not compared or passive:
        return False
    if behind and behind[0] in ("comes", "is", "ranks") and not _BEHIND.isdisjoint(behind[1:3]):
        return True
    return not _COMPARES.isdisjoint(near) or (not _BEATEN.isdisjoint(behind) and "by" in behind)


def _initials(words: Sequence[str], read: list[Token], said: Sequence[int]) -> Iterator[Place]:
    """Places where an abbreviation is written out, or a name is abbreviated."""
    if len(words) == 1 and 2 <= len(words[0]) <= 5 and words[0].isalpha():
        length = len(words[0])
        for start in range(len(said) - length + 1):
            span = said[start : start + length]
            if "".join(read[at].text[0] for at in span) == words[0]:
                yield Place(span[0], span[-1])
    short = "".join(word[0] for word in words)
    if len(words) > 2:
        yield from (Place(at, at) for at in said if read[at].text == short)
