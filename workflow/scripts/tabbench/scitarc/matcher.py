"""A judge without a language model: numbers and names of the gold answer, found or not.

It follows the rules of the paper's judge (appendix B) as far as a program can: all parts of the
gold answer must be there, measured numbers within one in their last printed digit and counts
exactly, names in any form of writing and with typing errors, nothing denied, and no further part in
addition. `matcher_pairs` says how far its verdicts agree with labels written by hand.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tabbench.scitarc.exact_match import exact_match_normalised
from tabbench.scitarc.matcher_items import (
    ORDINALS,
    STOPWORDS,
    Item,
    Piece,
    Token,
    items,
    pieces,
    tokens,
)
from tabbench.scitarc.matcher_places import BEATS, RANKS, Place, places_of

_VERBS = {
    *("is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "goes", "falls"),
    *("drops", "rises", "gets", "achieves", "reaches", "obtains", "gains", "comes", "improves"),
    *("shows", "performs", "equals"),
}
_CONTEXT = {
    *("compared", "followed", "closely", "versus", "vs", "against", "than", "up", "down", "from"),
    *("ahead", "because", "since", "while", "whereas", "i", "instead", "rather", "which"),
    *("according", "out", "among", "after", "based", "across"),
}
"""Words with which a piece begins that explains the answer."""
_SHORT = 4
"""Most words with which a piece next to the answer is a further part and no explanation."""
_CONCLUSION = re.compile(
    r"(?:\A|[.,;:\n])\s*(?:and\s+)?(?:so|thus|therefore|hence)\b,?", re.IGNORECASE
)


@dataclass(frozen=True)
class Match:
    """``score`` is 1 (correct), 0.5 (partly) or 0; ``reason`` says in words what decided.

    A verdict is sure that finds all parts and no other, or misses no name: a name may be written in
    many ways, and what looks like a further part or another order may be none. How often sure
    verdicts are wrong: `matcher_pairs.sure_verdicts`.
    """

    score: float
    reason: str
    sure: bool


def match(gold: str, prediction: str | None) -> Match:
    """Compare a prediction with the gold answer.

    Examples
    --------
    >>> match("HellaSwag, PiQA", "PIQA and HellaSwag").score
    1.0
    >>> match("4.2", "approximately 3.8")
    Match(score=0.0, reason='not found: 4.2', sure=True)
    """
    if exact_match_normalised(prediction, gold) and gold.strip():
        return Match(1.0, "the same text", sure=True)
    gold_pieces = [found for piece in pieces(tokens(gold, prose=False)) if (found := items(piece))]
    wanted = [item for piece in gold_pieces for item in piece]
    said = prediction or ""
    single = len(wanted) == 1 and wanted[0].kind != "polar"
    if single and len(rest := _CONCLUSION.split(said)[-1].strip()) > 0:
        said = rest
    read = tokens(said, prose=True)
    if not any(token.kind in ("word", "number") for token in read):
        return Match(0.0, "no answer", sure=True)
    if not wanted:
        return Match(0.0, "the gold answer holds neither a name nor a number", sure=False)
    places = places_of(wanted, read)
    missing = [item for item, place in zip(wanted, places, strict=True) if place is None]
    if missing:
        some = 0.5 if len(missing) < len(wanted) else 0.0
        nameless = all(item.kind != "name" for item in missing)
        return Match(some, f"not found: {', '.join(map(_shown, missing))}", nameless)
    there = [place for place in places if place is not None]
    if not _in_order(gold_pieces, there, read, _ranked(gold)):
        return Match(0.5, "the parts belong together in another way", sure=False)
    if extra := _extra(read, there, {item.kind for item in wanted}):
        return Match(0.5, f"a further part: {extra}", sure=False)
    return Match(1.0, "all parts, no other", sure=True)


def _shown(item: Item) -> str:
    return str(item.number.value) if item.number else " ".join(item.words)


def _ranked(gold: str) -> bool:
    """Whether the order of the gold answer's names is a ranking."""
    return " > " in gold or len(re.findall(r"\b(?:1st|first|2nd|second|3rd|third)\b:", gold)) > 1


def _in_order(
    gold_pieces: Sequence[Piece], places: Sequence[Place], read: list[Token], ranked: bool
) -> bool:
    """Whether values stand with their names or labels, and without any in the gold order."""
    starts = iter(place.first for place in places)
    rows = [[(item, next(starts)) for item in piece] for piece in gold_pieces]
    if ranked and not _keeps_ranks([start for row in rows for _, start in row], read):
        return False
    flat = [(item, start) for row in rows for item, start in row]
    if all(item.kind == "number" for item, _ in flat):
        heads = _labels([item for item, _ in flat], read)
        numbers = [start for _, start in flat]
        return _ranks(heads) == _ranks(numbers) if heads else numbers == sorted(numbers)
    pairs = [(row[0][1], row[1][1]) for row in rows if len(row) == 2]
    return _ranks([head for head, _ in pairs]) == _ranks([tail for _, tail in pairs])


def _labels(numbers: Sequence[Item], read: list[Token]) -> list[int]:
    """Where the words stand that tell the numbers apart; none unless all are there."""
    said = [one.text for one in read]
    found = []
    for item in numbers:
        own = [
            word
            for word in item.label
            if word in said and sum(word in other.label for other in numbers) == 1
        ]
        if not own:
            return []
        found.append(said.index(own[0]))
    return found


def _keeps_ranks(starts: list[int], read: list[Token]) -> bool:
    """Whether names stand in their order, or with ordinals that put them in it."""
    ordinals = []
    for piece in pieces(read):
        said = [one.text for one in piece if one.text in ORDINALS]
        here = [start for start in starts if piece[0].at <= start <= piece[-1].at]
        if len(said) == 1 and len(here) == 1:
            ordinals.append((RANKS.index(ORDINALS[said[0]]), here[0]))
    if len(ordinals) == len(starts):
        return [start for _, start in sorted(ordinals)] == starts
    return starts == sorted(starts)


def _ranks(values: Sequence[int]) -> list[int]:
    return [sorted(values).index(value) for value in values]


def _extra(read: list[Token], places: Sequence[Place], kinds: set[str]) -> str:
    """A part next to the answer that the gold answer lacks; "" if there is none.

    Next to the answer is what only marks separate from it in the same sentence. A long piece there
    is an explanation, and so are numbers where names are asked for, and names behind a colon where
    numbers are.

    Parameters
    ----------
    kinds : of the gold answer's items
    """
    taken = {at for place in places for at in range(place.first, place.last + 1)}
    for sentence in _sentences(read):
        if not any(token.at in taken for token in sentence):
            continue
        if "name" in kinds and (winner := _winner(sentence, taken)):
            return winner
        aside = _aside(sentence, taken)
        for piece in pieces(sentence):
            said = [one for one in piece if one.kind in ("word", "number")]
            texts = [one.text for one in said if one.text not in STOPWORDS]
            explains = len(texts) > _SHORT or not _VERBS.isdisjoint(one.text for one in said)
            explains = explains or said[0].text in _CONTEXT or "not" in texts
            explains = explains or said[0].at in aside
            if explains or any(one.at in taken for one in piece):
                continue
            named = kinds & {"name", "polar"} or all(one.text != ":" for one in sentence)
            if any((one.named and named) or (one.number and "number" in kinds) for one in said):
                return " ".join(one.text for one in said)
    return ""


def _aside(sentence: list[Token], taken: set[int]) -> set[int]:
    """Tokens in brackets behind an answer that hold no part of it."""
    found: set[int] = set()
    inside: list[int] | None = None
    for one in sentence:
        if one.text in ("(", "["):
            inside = []
        elif one.kind == "bracket" and inside is not None:
            found |= set(inside) if taken.isdisjoint(inside) else set()
            inside = None
        elif inside is not None:
            inside.append(one.at)
    answered = min((one.at for one in sentence if one.at in taken), default=0)
    return {at for at in found if at > answered}


def _winner(sentence: list[Token], taken: set[int]) -> str:
    """Who outperforms the answer, where a sentence says so; "" otherwise."""
    for at, token in enumerate(sentence):
        if token.text in BEATS:
            before = [one for one in sentence[:at] if one.kind == "word"]
            if any(one.named for one in before) and taken.isdisjoint(one.at for one in before):
                return " ".join(one.text for one in before)
    return ""


def _sentences(read: list[Token]) -> list[list[Token]]:
    cut: list[list[Token]] = [[]]
    for token in read:
        cut[-1].append(token)
        if token.kind == "stop":
            cut.append([])
    return cut
