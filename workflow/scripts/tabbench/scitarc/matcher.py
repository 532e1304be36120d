"""A judge without a language model: numbers and names of the gold answer, found or not.

It follows the rules of the paper's judge (appendix B) as far as a program can: all parts of the
gold answer must be there, numbers within one in their last printed digit, names in any form of
writing and with typing errors, and no further part in addition. `matcher_pairs` says how far its
verdicts agree with labels written by hand; it does not understand sentences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tabbench.scitarc.exact_match import exact_match_normalised
from tabbench.scitarc.matcher_items import (
    POLAR,
    STOPWORDS,
    Item,
    Number,
    Token,
    items,
    pieces,
    tokens,
)

_SAME = 0.88
"""Smallest similarity of two words at which one counts as a misspelling of the other."""
_HARMLESS = {"instruct", "chat", "it", "hf", "base", "model", "score", "optimizer"}
"""Suffixes that a name may have without becoming another name."""
_LESS = {
    *("decrease", "decreases", "decreased", "drop", "drops", "dropped", "reduction", "fall"),
    *("falls", "lower", "loss", "minus", "worse", "negative", "down", "less"),
}
"""Words before a number that give it a minus sign."""
_VERBS = {"is", "are", "was", "were", "has", "have", "had"}
_NEGATED = {"non", "not", "no", "without"}
_SHORT = 4
"""Most words with which a piece next to the answer is a further part and no explanation."""


@dataclass(frozen=True)
class Match:
    """``score`` is 1 (correct), 0.5 (partly) or 0; ``reason`` says in words what decided."""

    score: float
    reason: str


@dataclass(frozen=True)
class _Found:
    """Where an item stands in the prediction: first and last token."""

    first: int
    last: int


def match(gold: str, prediction: str | None) -> Match:
    """Compare a prediction with the gold answer.

    Examples
    --------
    >>> match("HellaSwag, PiQA", "PIQA and HellaSwag").score
    1.0
    >>> match("4.2", "approximately 3.8")
    Match(score=0.0, reason='not found: 4.2')
    """
    if exact_match_normalised(prediction, gold) and gold.strip():
        return Match(1.0, "the same text")
    read = tokens(prediction or "", prose=True)
    if not any(token.kind in ("word", "number") for token in read):
        return Match(0.0, "no answer")
    gold_pieces = [found for piece in pieces(tokens(gold, prose=False)) if (found := items(piece))]
    wanted = [item for piece in gold_pieces for item in piece]
    if not wanted:
        return Match(0.0, "the gold answer holds neither a name nor a number")
    places = _places(wanted, read)
    missing = [item for item, place in zip(wanted, places, strict=True) if place is None]
    if missing:
        some = 0.5 if len(missing) < len(wanted) else 0.0
        return Match(some, f"not found: {', '.join(map(_shown, missing))}")
    there = [place for place in places if place is not None]
    if not _in_order(gold_pieces, there):
        return Match(0.5, "the parts belong together in another way")
    if extra := _extra(read, there):
        return Match(0.5, f"a further part: {extra}")
    return Match(1.0, "all parts, no other")


def _shown(item: Item) -> str:
    return str(item.number.value) if item.number else " ".join(item.words)


def _places(wanted: Sequence[Item], read: list[Token]) -> list[_Found | None]:
    """A place for each item; each token serves one item.

    Of equal numbers the one nearest to the item before is taken, a number's name.
    """
    taken: set[int] = set()
    places: list[_Found | None] = []
    before = 0
    for item in wanted:
        candidates = [
            place
            for place in _candidates(item, read, before)
            if taken.isdisjoint(range(place.first, place.last + 1))
        ]
        places.append(candidates[0] if candidates else None)
        if candidates:
            before = candidates[0].last
            taken.update(range(candidates[0].first, candidates[0].last + 1))
    return places


def _candidates(item: Item, read: list[Token], before: int) -> list[_Found]:
    """Places of an item, the best first; ``before`` is that of the item before it."""
    if item.kind == "polar":
        said_first = next((one for one in read if one.text in POLAR), None)
        if said_first is None or not _same_polar(item.words[0], POLAR[said_first.text]):
            return []
        return [_Found(said_first.at, said_first.at)]
    if item.number is not None:
        number = item.number
        near = [
            (distance, abs(at - before), at)
            for at in range(len(read))
            if (distance := _distance(number, read, at)) is not None
        ]
        return [_Found(at, at) for *_, at in sorted(near)]
    said = [at for at, token in enumerate(read) if token.kind in ("word", "number")]
    return [*_names(item.words, read, said), *_initials(item.words, read, said)]


def _same_polar(gold: str, first: str) -> bool:
    return first == gold or (gold == "none" and first == "no")


def _distance(gold: Number, read: list[Token], at: int) -> float | None:
    """How far the number at a place is from the gold one, in steps; None if it is another."""
    token = read[at].number
    if token is None:
        return None
    values = [token.value]
    if gold.percent and not token.percent:
        values.append(token.value * 100)
    before = {one.text for one in read[max(0, at - 4) : at]}
    if gold.value < 0 <= token.value and before & _LESS:
        values = [-value for value in values]
    distance = min(abs(value - gold.value) for value in values) / gold.step
    return float(distance) if distance <= 1 else None


def _names(words: Sequence[str], read: list[Token], said: Sequence[int]) -> list[_Found]:
    found = []
    for start in range(len(said) - len(words) + 1):
        span = said[start : start + len(words)]
        texts = [read[at].text for at in span]
        if all(map(_alike, words, texts)) and _whole(read, said, start, len(words)):
            found.append(_Found(span[0], span[-1]))
    return found


def _alike(gold: str, text: str) -> bool:
    if gold == text or (min(len(gold), len(text)) > 3 and gold.rstrip("s") == text.rstrip("s")):
        return True
    letters = gold.isalpha() and text.isalpha() and min(len(gold), len(text)) > 5
    return letters and SequenceMatcher(None, gold, text, autojunk=False).ratio() >= _SAME


def _whole(read: list[Token], said: Sequence[int], start: int, length: int) -> bool:
    """Whether the words are not a part of a longer name, nor denied."""
    before = read[said[start - 1]] if start else None
    if before is not None and before.text in _NEGATED and said[start] - said[start - 1] == 1:
        return False
    if read[said[start]].glued and before is not None and before.text != "->":
        return False
    after = start + length
    if after == len(said) or not read[said[after]].glued:
        return True
    return read[said[after]].text in _HARMLESS


def _initials(words: Sequence[str], read: list[Token], said: Sequence[int]) -> list[_Found]:
    """Places where an abbreviation is written out, or a name is abbreviated."""
    if len(words) == 1 and 2 <= len(words[0]) <= 5 and words[0].isalpha():
        length = len(words[0])
        spans = [said[start : start + length] for start in range(len(said) - length + 1)]
        return [
            _Found(span[0], span[-1])
            for span in spans
            if "".join(read[at].text[0] for at in span) == words[0]
        ]
    short = "".join(word[0] for word in words)
    return [_Found(at, at) for at in said if len(words) > 2 and read[at].text == short]


def _in_order(gold_pieces: Sequence[Sequence[Item]], places: Sequence[_Found]) -> bool:
    """Whether values stand with their names, and values without names in the gold order."""
    starts = iter(place.first for place in places)
    rows = [[next(starts) for _ in piece] for piece in gold_pieces]
    if all(item.kind == "number" for piece in gold_pieces for item in piece):
        flat = [start for row in rows for start in row]
        return flat == sorted(flat)
    pairs = [row for row in rows if len(row) == 2]
    heads, tails = zip(*pairs, strict=True) if pairs else ((), ())
    return _ranks(heads) == _ranks(tails)


def _ranks(values: Sequence[int]) -> list[int]:
    return [sorted(values).index(value) for value in values]


def _extra(read: list[Token], places: Sequence[_Found]) -> str:
    """A part next to the answer that the gold answer lacks; "" if there is none.

    Next to the answer is what only marks separate from it in the same sentence; a long piece
    there is an explanation.
    """
    taken = {at for place in places for at in range(place.first, place.last + 1)}
    for sentence in _sentences(read):
        if not any(token.at in taken for token in sentence):
            continue
        for piece in pieces(sentence):
            said = [one for one in piece if one.kind in ("word", "number")]
            texts = [one.text for one in said if one.text not in STOPWORDS]
            explains = len(texts) > _SHORT or not _VERBS.isdisjoint(one.text for one in said)
            if explains or "not" in texts or any(one.at in taken for one in piece):
                continue
            if any(one.named or one.kind == "number" for one in said):
                return " ".join(one.text for one in said)
    return ""


def _sentences(read: list[Token]) -> list[list[Token]]:
    cut: list[list[Token]] = [[]]
    for token in read:
        cut[-1].append(token)
        if token.kind == "stop":
            cut.append([])
    return cut
