"""Every form of final answer, what is not found, and what the released rule takes instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.scitarc.extraction import extract_answer, extract_answer_released

FOUND = [
    ("Answer: 12.5", "12.5", "line"),
    ("Let me see.\nAnswer: -6.37", "-6.37", "line"),
    ("answer : GPT-4o.", "GPT-4o", "line"),
    ("**Answer:** X, Y.", "X, Y", "line"),
    ("**Answer**: X", "X", "line"),
    ("- **Final Answer**: `7`", "7", "line"),
    ("> Answer: a", "a", "line"),
    ("### Final Answer: 3", "3", "line"),
    ("Final answer: $0.83 \\pm 0.02$", "0.83 \\pm 0.02", "line"),
    ("The final answer: **Korean**", "Korean", "line"),
    ("Answer: $\\boxed{0.12}$", "0.12", "line"),
    ("Answer: The answer is \\boxed{\\text{GPT-4}}.", "GPT-4", "line"),
    ("Answer: \\boxed{A} and \\boxed{B}", "A and B", "line"),
    ("Answer: a\nOn second thought:\nAnswer: b", "b", "line"),
    ("Answer: a\n\nAnswer:", "a", "line"),
    ("Answer:\n- A\n- B\n\nThis is since ...", "- A\n- B", "line"),
    ("Answer: The models are:\n\n- A\n- B\n\nBye", "The models are:\n- A\n- B", "line"),
    ("Answer: A\nExplanation: it is the largest", "A", "line"),
    ("Answer: 5\n\nQuestion: and now?\nAnswer: 9", "5", "line"),
    ("Question: so what is asked?\nAnswer: 9", "9", "line"),
    ("<think>Answer: 3</think>\n\nAnswer: 4", "4", "line"),
    ("Answer: 3 is wrong </think> Answer: 4", "4", "line"),
    ('Answer: "Adam"', "Adam", "line"),
    ("Answer: GPT-4o vs. GPT-5.", "GPT-4o vs. GPT-5", "line"),
    ("### Final Answer\n\nfoo bar\n\nmore", "foo bar", "heading"),
    ("**Answer**\n\nKorean", "Korean", "heading"),
    ("## Answer\n1. A\n2. B", "1. A\n2. B", "heading"),
    ("So it is \\boxed{12}.", "12", "boxed"),
    ("first \\boxed{1}, then $\\boxed{\\frac{1}{2}}$", "\\frac{1}{2}", "boxed"),
    ("thus \\boxed{\\text{GPT-4} and more", "GPT-4 and more", "boxed"),
    ("so the answer is 12.5. That is all.", "12.5", "sentence"),
    ("The answer to the question is **Korean**.", "Korean", "sentence"),
    ("Therefore, the correct answer would be Adam", "Adam", "sentence"),
    ("We find 3 of them, so answer: 3", "3", "sentence"),
    ("The final answer is:\n\n**12**", "12", "sentence"),
    ("So the final answer is:\n- A\n- B", "- A\n- B", "sentence"),
    ("Answer: Korean.\n\nHowever, it is B for C.", "Korean.\nHowever, it is B for C", "line"),
    ("Answer: Korean.\n\nFor example, it has 3.", "Korean", "line"),
    ("Answer:\n\n1. A\n\n2. B\n\n3. C\n\nThis is since", "1. A\n2. B\n3. C", "line"),
    ("Answer: **The models are:**\n\n- A\n\n- B", "The models are:\n- A\n- B", "line"),
    ("Answer 1: A\nAnswer 2: B", "A\nB", "line"),
    ("**Answer (a):** A\n\nas 3 > 2\n\n**Answer (b):** B", "A\nB", "line"),
    ("Answer 1: X\nor rather\nAnswer 1: A\nAnswer 2: B", "A\nB", "line"),
    ("Answer 1: A\nAnswer: C", "C", "line"),
    ("Answer (in %): 12.5", "12.5", "line"),
    ("**Final answer (rounded):** 12.5", "12.5", "line"),
    ("so <answer>12</answer>.", "12", "tag"),
    ("<answer>\n**12**\n", "12", "tag"),
    ('{"steps": 3, "answer": "A, B"}', "A, B", "json"),
    ('```json\n{"final_answer": 12.5}\n```', "12.5", "json"),
]

UNSURE = [
    ("I cannot answer this question.", "I cannot answer this question."),
    ("<think>x</think>The total is 12.", "The total is 12."),
    ("so the answer is 12.5, or is it 13?", "so the answer is 12.5, or is it 13?"),
    ("Answer: Korean\n\nIt is B for C.", "Korean\n\nIt is B for C."),
    ("a\nAnswer: 1\n\nb\nAnswer: 2\n\nc", "1\n\nb\nAnswer: 2\n\nc"),
]


@pytest.mark.parametrize(("response", "passage"), UNSURE)
def test_a_model_that_judges_is_given_all_of_an_unsure_answer(response, passage):
    assert extract_answer(response).passage == passage


@pytest.mark.parametrize(
    "response", ["Answer: 12", "Answer: 12\nExplanation: it is", "", "<think>a"]
)
def test_a_sure_answer_and_an_empty_response_have_no_passage(response):
    assert extract_answer(response).passage is None


@pytest.mark.parametrize(("response", "answer", "form"), FOUND)
def test_forms_that_are_found(response, answer, form):
    found = extract_answer(response)
    assert (found.answer, found.form) == (answer, form)


@pytest.mark.parametrize(
    "response",
    [
        "",
        "   \n",
        "So the total is 12.",
        "Answer:",
        "**Answer:**\n\n",
        "I cannot answer this question.",
        "<think> the answer is 3",
        "<think>\nAnswer: 3",
        "\\boxed{}",
        "Answers: many",
    ],
)
def test_what_is_not_found_is_not_guessed(response):
    found = extract_answer(response)
    assert (found.answer, found.form) == (None, "not found")


@pytest.mark.parametrize(
    ("response", "taken"),
    [
        ("I think.\nAnswer: 12\n\nand more", "12\n\nand more"),
        ("Final Answer: 12", "12"),
        ("ANSWER : 12\nAnswer: 13", "12\nAnswer: 13"),
        ("**Answer:** 12", "**Answer:** 12"),
        ("### Final Answer\n12", "### Final Answer\n12"),
        ("so the answer is 12", "so the answer is 12"),
        ("", ""),
    ],
)
def test_the_released_rule(response, taken):
    assert extract_answer_released(response) == taken


ANSWERS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 ,;%/-]{0,30}[A-Za-z0-9%]", fullmatch=True).filter(
    lambda text: "answer" not in text.lower() and "boxed" not in text
)
FORMS = st.sampled_from(
    [
        "Answer: {}",
        "**Answer:** {}",
        "**Answer: {}**",
        "**Answer**: **{}**",
        "__Answer:__ {}",
        "Final Answer: {}.",
        "# Answer: {}",
        "## Final Answer\n{}",
        "- Answer: {}",
        "\\boxed{{{}}}",
        "Answer: $\\boxed{{{}}}$",
        "**Answer:** `{}`",
    ]
)
THOUGHTS = st.lists(
    st.text("abc 0123.,:*#$\\{}", max_size=40).filter(lambda text: "\\boxed" not in text),
    max_size=4,
).map("\n".join)


@given(ANSWERS, FORMS, THOUGHTS)
def test_an_answer_in_any_form_is_found_behind_any_thoughts(answer, form, thoughts):
    assert extract_answer(f"{thoughts}\n\n{form.format(answer)}").answer == answer


@given(st.text(max_size=200))
def test_any_text_has_an_answer_or_none(text):
    found = extract_answer(text)
    assert (found.answer is None) == (found.form == "not found")
    assert found.answer is None or found.answer.strip()
    extract_answer_released(text)


@pytest.mark.parametrize(
    "text",
    [
        "*" * 20_000,
        "answer " * 5_000,
        "\\boxed{" * 5_000,
        "Answer:\n" * 3_000,
        " " * 20_000,
        "Answer 1:\n" * 3_000,
    ],
)
def test_long_texts_take_no_long_time(text):
    extract_answer(text)
    extract_answer_released(text)
