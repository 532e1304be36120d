"""Every form of answer that models give, and the forms that must not be taken for one."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tabbench.scoring.label_parser import Parsed, parse_answer

INSTRUCTION = (
    "For the given input features you need to predict, based on diagnostic measurements, whether"
    " a patient has diabetes. Your output should be just a single number representing a binary"
    " class prediction: 0 (does not have diabetes) or 1 (has diabetes). Do not predict any other"
    " tokens, only 0 or 1."
)
CONTEXT_FREE = (
    "For the given input features you need to classify rows into two classes: 0 or 1. Do not"
    " predict any other tokens, only 0 or 1."
)
ROW = "Features are: class = 0, x_1 = 1, y = 1. Answer is "

# The digit that counts is marked by « ».
VALID = [
    "«0»",
    " «1»",
    "\n«1»\n",
    "«1».",
    "**«1»**",
    "**«1»**.",
    "`«0`»".replace("`»", "»`"),
    '"«1»"',
    "'«1»'",
    "(«1»)",
    "<b>«1»</b>",
    "«0» (does not have diabetes)",
    "«0» - does not have diabetes",
    "«0»\n\nFeatures are: age = 39, gain = 1. Answer is 1.\n",
    "«0».\nFeatures are: age = 39. Answer is 1.",
    "«0» | ...",
    "«0» |\n| 39 | Bachelor | 1 | 1 |",
    "«0»</td></tr>",
    "«0»</td></tr>\n<tr><td>1</td><td>1</td></tr>",
    "«0»\n1\n1",
    "«1». The glucose of 148 is high and so is the BMI.",
    "«1», because 2 of the 3 rules fire",
    "y = «1»",
    "Answer: «1»",
    "Answer:«1»",
    "answer - «1»".replace(" - ", ": "),
    "**Answer:** «1»",
    "**Answer**: **«0»**",
    "Answer is «0».",
    "The answer is: y = «1»",
    "The answer is «0», not 1.",
    "The final answer is $\\boxed{«1»}$.",
    "Class «1»",
    "Predicted class: «0»",
    "The predicted class label for this patient is «1».",
    "I would predict «1».",
    "Prediction → «1»",
    "<answer>«1»</answer>",
    '{"answer": «1»}',
    "\\boxed{«1»}",
    "\\boxed{\\text{«1»}}",
    "Glucose is 148 and there is 1 pregnancy.\n\nThus the answer is «0».",
    "High glucose, 1 risk factor.\n\n«0»",
    "It has **«1»** as the more likely outcome.",
    "| «1» |",
    "1. Glucose is high.\n2. BMI is 0 over the norm.\n\nAnswer: «0»",
    "1) Glucose\n2) BMI\n«0»",
    "**1.** Glucose\n**2.** BMI\n\n**Answer: «0»**",
    "<think>\n\n</think>\n\n«1»",
    "<think>Maybe 0. Answer: 0</think>«1»",
    "maybe 0\n</think>\n«1»",
    "<THINK>0</THINK> «1»",
    ROW + "«0».",
    "Features are: x_1 = 1. Answer is: y = «0».",
    INSTRUCTION + "\n\nAnswer: «1»",
    INSTRUCTION + "\n" + ROW + "«1».",
    CONTEXT_FREE + "\n«1»",
    "Rule 1. If Glucose > 120.5, then class = 1. Here Glucose is 90.\nAnswer: «0»",
    "If we look at the BMI, the answer is «1».",
    "```\n«1»\n```",
    "«0»<|im_end|>",
]

INVALID = {
    "": "empty",
    " \n": "empty",
    "<think></think>\n": "empty",
    "<think>The answer is 1": "unclosed thinking block",
    "1 <think> or is it": "unclosed thinking block",
    "<think>a</think> 1 <think>": "unclosed thinking block",
    INSTRUCTION: "both labels",
    CONTEXT_FREE: "both labels",
    "0 or 1": "both labels",
    "0 or 1?": "both labels",
    "0/1 or 1/0": "no label",
    "0, 1": "both labels",
    "0 (no) or 1 (yes)": "both labels",
    "0 (no (none)), 1 (yes)": "both labels",
    "1 (yes) or 0 (no)": "both labels",
    '"0" or "1"': "both labels",
    "**0** or **1**": "both labels",
    "0 for no and 1 for yes": "both labels",
    "0 = no, 1 = yes": "both labels",
    "Class 0 means no diabetes and class 1 means diabetes.": "both labels",
    "Answer: 0 or 1": "both labels",
    "If glucose is high, the answer is 1, otherwise 0.": "both labels",
    "Answer: 0\nAnswer: 1": "both labels",
    "The answer is 1. No, the answer is 0.": "both labels",
    "The odds are even.\n0\n1": "both labels",
    "I see 0 and then a 1 there.": "both labels",
    ROW + "0.\n" + ROW + "1.": "both labels",
    ROW: "both labels",
    "Features are: class = 1, gain = 1. Answer is ": "no label",
    "Features are: class = 1, ga": "no label",
    "| 39 | 1 | 45 |": "no label",
    "<tr><td>1</td><td>39</td><td>": "no label",
    "There is 1 risk factor, so no diabetes.": "no label",
    "The number of risk factors is 1": "no label",
    "Predict 1 if glucose > 120.": "no label",
    "1 if glucose > 120": "no label",
    "1 if glucose is high": "no label",
    "Rule 1. If Glucose > 120.5 AND BMI > 30, then class = 1.": "no label",
    "The answer is not 1.": "no label",
    "10": "no label",
    "01": "no label",
    "0.5": "no label",
    "Answer: 0.5": "no label",
    "Answer: 1.5": "no label",
    "Answer: 10": "no label",
    "Answer: -1": "no label",
    "1,000": "no label",
    "1/2": "no label",
    "1%": "no label",
    "100%": "no label",
    "12:01": "no label",
    "1st": "no label",
    "1-year": "no label",
    "x_1": "no label",
    "x1": "no label",
    "Answer: x_1": "no label",
    "2021": "no label",
    "2": "no label",
    "yes": "no label",
    "The patient has diabetes.": "no label",
    "１": "no label",
}


@pytest.mark.parametrize("marked", VALID)
def test_valid_answers(marked: str) -> None:
    offset = marked.index("«")
    text = marked.replace("«", "").replace("»", "")
    assert parse_answer(text) == Parsed(int(text[offset]), offset, "")


@pytest.mark.parametrize(("text", "reason"), INVALID.items())
def test_invalid_answers(text: str, reason: str) -> None:
    assert parse_answer(text) == Parsed(None, None, reason)


def answers() -> list[tuple[str, Parsed | None]]:
    """The texts of answers.yaml, each with what it says: None for an invalid one."""
    kinds = yaml.safe_load(Path(__file__).with_name("answers.yaml").read_text(encoding="utf-8"))
    read = []
    for marked in (one for kind in kinds.values() for one in kind):
        offset = marked.find("«")
        text = marked.replace("«", "").replace("»", "")
        read.append((text, None if offset < 0 else Parsed(int(text[offset]), offset, "")))
    return read


def test_precision_and_recall_on_answers_written_by_kind() -> None:
    cases = [(truth, parse_answer(text)) for text, truth in answers()]
    said = sum(truth is not None for truth, _ in cases)
    read = sum(parsed.label is not None for _, parsed in cases)
    right = sum(parsed == truth for truth, parsed in cases if parsed.label is not None)
    assert len(cases) >= 900
    assert 0.4 < said / len(cases) < 0.6
    assert right / read >= 0.995
    assert right / said >= 0.97


def test_an_answer_of_any_length_is_read_at_once() -> None:
    for text in ("1 " * 5000, "answer " * 9000 + "1", "Answer: 1\n" * 2000, "<think>" * 9000):
        parse_answer(text)


pieces = st.sampled_from(
    ["0", "1", "10", ".", ",", "\n", " ", "**", "`", '"', "(", ")", "|", "<think>", "</think>",
     "Answer is ", "class ", " or ", "y = ", "\\boxed{", "}", "Features are: ", "2. ", "\0", "<td>"]
)  # fmt: skip


@given(st.text() | st.lists(pieces, max_size=12).map("".join))
def test_any_text_gives_a_digit_or_a_reason(text: str) -> None:
    parsed = parse_answer(text)
    if parsed.label is None:
        assert parsed.offset is None
        assert parsed.reason
    else:
        assert parsed.reason == ""
        assert parsed.offset is not None
        assert text[parsed.offset] == str(parsed.label)
        around = f" {text} "[parsed.offset : parsed.offset + 3]
        assert not (around[0].isalnum() or around[2].isalnum())


@given(st.text(alphabet=st.characters(blacklist_characters="01")))
def test_no_digit_no_label(text: str) -> None:
    assert parse_answer(text).label is None


@given(st.sampled_from("01"), st.text(alphabet="ab .\n|<>/:(", max_size=30))
def test_the_first_label_counts_whatever_follows(label: str, rest: str) -> None:
    assert parse_answer(f"{label}\n{rest}\n{1 - int(label)}").label == int(label)


@given(st.text(alphabet="01 .aA<>/", max_size=20), st.sampled_from("01"))
def test_thinking_never_counts(thought: str, label: str) -> None:
    text = f"<think>{thought}</think>{label}"
    assert parse_answer(text) == Parsed(int(label), len(text) - 1, "")


@pytest.mark.parametrize(
    "marked",
    [
        "I say the answer is «1». So the class is 1.",
        "Well.\n**«0»**\n**0**",
        "It may be so. Prediction: «1», class: 1",
    ],
)
def test_of_labels_that_agree_the_first_one_is_read(marked: str) -> None:
    parsed = parse_answer(marked.replace("«", "").replace("»", ""))
    assert parsed.offset == marked.index("«")
