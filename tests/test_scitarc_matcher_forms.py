"""The matcher on every gold answer of the question set: forms that change nothing, and faults."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tabbench.scitarc.matcher import match

QUESTIONS = Path(__file__).parents[1] / "resources/scitarc/questions.json"
GOLD = [one["answer"] for one in json.loads(QUESTIONS.read_text(encoding="utf-8"))]
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


def replaced(gold: str, found: re.Match, text: str) -> str:
    return gold[: found.start()] + text + gold[found.end() :]


def parts(gold: str) -> list[str]:
    return re.split(r"[,;] ", gold)


def percentages(gold: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(r"(?<![\w.-])(\d+(?:\.\d+)?)%", gold):
        share = f"{float(found[1]) / 100:.{len(found[1].partition('.')[2]) + 2}f}"
        yield gold, replaced(gold, found, share)


SAME: dict[str, Callable[[str], str]] = {
    "in a sentence": lambda gold: f"Based on the tables, the answer to the question is {gold}.",
    "bold": lambda gold: f"**{gold}**",
    "in quotation marks": lambda gold: f'"{gold}"',
    "behind a colon": lambda gold: f"Result: {gold}",
    "in lower case": str.lower,
    "in upper case": str.upper,
    "as a tuple": lambda gold: str(tuple(parts(gold))),
    "as lines": lambda gold: "\n".join(f"- {part}" for part in gold.split("; ")),
    "in another order": lambda gold: "; ".join(reversed(gold.split("; "))),
}


@pytest.mark.parametrize("form", SAME)
def test_forms_that_change_nothing_are_right(form):
    for gold in GOLD:
        assert match(gold, SAME[form](gold)).score == 1, gold


def test_a_percentage_is_a_share_and_a_share_a_percentage():
    both = [pair for gold in GOLD for pair in percentages(gold)]
    assert len(both) > 4
    for percentage, share in both:
        assert match(percentage, share).score == 1, share
        assert match(share, percentage).score == 1, share


@pytest.mark.parametrize("steps", [-3, 2, 7])
def test_a_digit_changed_beyond_rounding_is_wrong(steps):
    for gold in GOLD:
        for found in NUMBER.finditer(gold):
            digits = len(found[0].partition(".")[2])
            value = float(found[0]) + steps * 10**-digits
            if value >= 0:
                changed = replaced(gold, found, f"{value:.{digits}f}")
                assert match(gold, changed).score < 1, changed


def test_a_flipped_sign_is_wrong():
    for gold in GOLD:
        for found in NUMBER.finditer(gold):
            if gold[found.start() - 1 : found.start()] != "-" and float(found[0]):
                changed = replaced(gold, found, f"-{found[0]}")
                assert match(gold, changed).score < 1, changed


def test_a_part_left_out_is_wrong():
    for gold in GOLD:
        for at in range(len(split := parts(gold))):
            rest = "; ".join(split[:at] + split[at + 1 :])
            assert match(gold, rest).score < 1, rest


@pytest.mark.parametrize("form", ["{}, FooNet-3", "BarBERT and {}"])
def test_another_name_is_wrong(form):
    for gold in GOLD:
        assert match(gold, form.format(gold)).score < 1, gold


def test_the_answer_of_another_question_is_wrong():
    for gold in GOLD:
        for other in GOLD:
            assert (match(gold, other).score == 1) == (gold == other), (gold, other)


@pytest.mark.parametrize(
    "form", ["all except {}", "not {}", "everything but {}", "FooNet outperforms {}"]
)
def test_a_sentence_that_says_the_opposite_is_wrong(form):
    names = [gold for gold in GOLD if not gold[0].isdigit() and ":" not in gold]
    assert len(names) > 9
    for gold in names:
        assert match(gold, form.format(gold)).score < 1, gold
