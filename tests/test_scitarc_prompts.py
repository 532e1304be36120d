"""Prompts as the paper prints them, in both stages, with and without plan and demonstrations."""

import json
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.demonstrations import read_demonstrations
from tabbench.scitarc.prompt_texts import PROMPT_TEXTS
from tabbench.scitarc.prompts import (
    EXECUTIONS,
    FAITHFUL,
    PLAN_MODES,
    Condition,
    Demonstration,
    execution_prompt,
    planning_prompt,
)
from tabbench.scitarc.requests import execution_asks, planning_asks
from tabbench.scitarc.responses import read_plan

PAPER = Path(__file__).parents[2] / "shared/papers/scitarc.txt"


def question(row, plan="SELECT x\nRETURN x", answer="7"):
    return Question(row, "p", f"What is {{{row}}}?", answer, plan, (f"table {row}\n", "second"))


QUESTIONS = [question(0), question(1, plan=None), question(2, answer=None), question(3)]
SHOWN = [Demonstration(question(8), "I read it.", "PLAN 8"), Demonstration(question(9), "So.", "9")]


def squeezed(text):
    return " ".join(text.split())


def printed(title):
    """A prompt of appendix D, without the bold marks and breaks that its print has lost."""
    text = PAPER.read_text(encoding="utf-8")
    start = text.index(title) + len(title)
    end = re.search(r"\n(?=\n|Table |Plan-Guided Program|Standard Program)", text[start:])
    return squeezed(text[start : start + end.start()])


NAMED = Question(0, "p", "[Question]", "", "", ("[Table Data]",))
GUIDE = "[…Same reading guide as above…]"


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's text is not here")
@pytest.mark.parametrize(
    ("title", "prompt"),
    [
        ("Standard Chain-of-Thought (CoT)\n", execution_prompt(NAMED, "language")),
        ("Standard Program-of-Thought (PoT)\n", execution_prompt(NAMED, "code")),
        ("Plan Generation Prompt\n", planning_prompt(NAMED)),
        ("Plan-Guided Chain-of-Thought\n", execution_prompt(NAMED, "language", "[Plan]")),
        ("Plan-Guided Program-of-Thought\n", execution_prompt(NAMED, "code", "[Plan]")),
    ],
)
def test_prompts_are_the_printed_ones(title, prompt):
    said = re.sub(
        r"(?<=How to read the plan:) - SELECT.*to provide",
        f" {GUIDE}" if "Program" in title else r"\g<0>",
        squeezed(prompt),
    )
    assert said == printed(title)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_the_released_prompts_say_more_of_plans_and_the_same_of_direct_questions(execution):
    asked = question(0)
    direct = execution_prompt(asked, execution, prompts="released")
    assert direct == execution_prompt(asked, execution)
    followed = [execution_prompt(asked, execution, "PLAN", prompts=one) for one in PROMPT_TEXTS]
    assert [text.count('such as "average", "argmax"') for text in followed] == [0, 1]
    planned = [planning_prompt(asked, one) for one in PROMPT_TEXTS]
    assert [text.count("\nRETURN ") for text in planned] == [1, 3]
    assert [text.count("END LOOP") for text in planned] == [0, 1]
    for text in (*followed, *planned):
        assert not re.search(r"\{(?!0\})", text)


@pytest.mark.parametrize("mode", ["self", "gold"])
def test_a_set_of_prompts_is_that_of_both_stages_and_of_demonstrations(mode):
    condition = Condition(mode, "language", 2)
    plans = dict.fromkeys(range(4), "RETURN x")
    texts = [
        [one.prompt for one in execution_asks(QUESTIONS, condition, plans, SHOWN, name).asks]
        for name in PROMPT_TEXTS
    ]
    for paper, released in zip(*texts, strict=True):
        assert (paper.count("a formula"), released.count("a formula")) == (0, 3)
    stages = [planning_asks(QUESTIONS, Condition("self", "code"), (), one) for one in PROMPT_TEXTS]
    assert stages[0].asks[0].prompt != stages[1].asks[0].prompt


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_tables_question_and_plan_stand_in_the_prompt(execution):
    prompt = execution_prompt(question(0), execution, "MY PLAN {0}")
    assert "table 0\n\n\nsecond" in prompt
    assert "What is {0}?" in prompt
    assert "\n\nMY PLAN {0}\n\n" in prompt
    assert "MY PLAN" not in execution_prompt(question(0), execution)


@pytest.mark.parametrize(("mode", "execution"), list(product(PLAN_MODES, EXECUTIONS)))
def test_each_condition_asks_what_can_be_asked(mode, execution):
    plans = {0: "OWN 0", 1: "OWN 1", 3: "OWN 3"}
    made = execution_asks(QUESTIONS, Condition(mode, execution), plans)
    rows = [0, 3] if mode == "gold" else [0, 1, 3]
    assert [ask.row for ask in made.asks] == rows
    assert made.left_out == (
        *(("row 1 has no plan",) if mode == "gold" else ()),
        "row 2 has no answer",
    )
    first = made.asks[0].prompt
    assert ("OWN 0" in first, "SELECT x\nRETURN x" in first) == (mode == "self", mode == "gold")


def test_only_self_planning_has_a_first_stage():
    planned = planning_asks(QUESTIONS, Condition("self", "code"))
    assert [(ask.row, ask.stage) for ask in planned.asks] == [
        (0, "plan"),
        (1, "plan"),
        (3, "plan"),
    ]
    assert planned.asks[0].prompt.endswith("just write the plan:\n")
    assert planning_asks(QUESTIONS, Condition("gold", "code")).asks == ()


def test_the_second_stage_is_the_prompt_of_a_gold_plan_and_nothing_of_the_first():
    """Identical prompts isolate the plan; a fresh context holds none of the first stage."""
    own = execution_asks([question(0)], Condition("self", "language"), {0: "SELECT x\nRETURN x"})
    gold = execution_asks([question(0)], Condition("gold", "language"))
    assert own.asks[0].prompt == gold.asks[0].prompt


def test_self_planning_without_plans_says_which_rows():
    with pytest.raises(TabBenchError, match=r"rows \[1, 3\] have no plan of the model"):
        execution_asks(QUESTIONS, Condition("self", "code"), {0: "x"})


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("mode", ["none", "gold"])
def test_demonstrations_come_first_solved_and_are_held_out(mode, execution):
    condition = Condition(mode, execution, 2)
    made = execution_asks([*QUESTIONS, SHOWN[0].question], condition, None, SHOWN)
    assert "row 8 is a demonstration" in made.left_out
    prompt = made.asks[0].prompt
    places = [prompt.index(text) for text in ("What is {8}?", "I read it.", "What is {9}?", "So.")]
    assert places == sorted(places)
    assert prompt.endswith(
        execution_prompt(QUESTIONS[0], execution, None if mode == "none" else QUESTIONS[0].plan)
    )
    assert ("PLAN 8" in prompt) == (mode == "gold")
    assert ("\nAnswer: 7\n" in prompt) == (execution == "language")
    assert ("```python\nI read it.\n```" in prompt) == (execution == "code")


def test_shots_and_demonstrations_must_fit():
    with pytest.raises(TabBenchError, match="1 demonstrations for 2 shots"):
        execution_asks(QUESTIONS, Condition("none", "code", 2), None, SHOWN[:1])


def test_the_plan_is_read_from_a_fence_or_is_all_of_the_response():
    assert read_plan("Plan:\n```\nSELECT a\n  x\n```\nDone.") == "SELECT a\n  x"
    assert read_plan("\n\n  SELECT a\nRETURN a\n") == "  SELECT a\nRETURN a"


@pytest.mark.parametrize(
    ("response", "plan"),
    [
        ("<think>First I look.</think>\nSELECT a\nRETURN a", "SELECT a\nRETURN a"),
        ("<think>```\nSELECT b\n```</think>\n```\nSELECT a\n```", "SELECT a"),
        ("<think>```\nSELECT b\n```\nor rather", ""),
        ("```\n```", ""),
        ("", ""),
    ],
)
def test_a_thought_is_no_plan(response, plan):
    assert read_plan(response) == plan


@given(st.text("SELECTa`\n ", max_size=60), st.text("SELECTa`\n ", max_size=60))
def test_a_plan_is_read_as_if_nothing_had_been_thought(thought, written):
    assert read_plan(f"<think>{thought}</think>{written}") == read_plan(written)
    assert read_plan(f"<think>{thought}") == ""


def test_the_faithful_profile():
    assert (FAITHFUL.temperature, FAITHFUL.top_p, FAITHFUL.repetition_penalty) == (0.1, 0.95, 1.05)
    assert (FAITHFUL.max_new_tokens, FAITHFUL.stop) == (2048, ())


ENTRY = {"row": 3, "language": "I read.", "code": "print(7)"}


def test_demonstrations_are_read_for_an_execution(tmp_path):
    path = tmp_path / "shown.json"
    path.write_text(json.dumps([ENTRY]))
    (shown,) = read_demonstrations(path, QUESTIONS, "code")
    assert (shown.question.row, shown.trace, shown.plan) == (3, "print(7)", "SELECT x\nRETURN x")
    assert read_demonstrations(path, QUESTIONS, "language")[0].trace == "I read."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "cannot be read as JSON"),
        (json.dumps([{**ENTRY, "row": 1}]), "row 1 is no question with a plan"),
        (json.dumps([{**ENTRY, "row": 77}]), "row 77 is no question"),
        (json.dumps([{**ENTRY, "trace": "x"}]), "unknown key"),
        (json.dumps([{"row": 1}]), "required property"),
    ],
)
def test_demonstrations_that_cannot_be_shown(tmp_path, content, message):
    path = tmp_path / "shown.json"
    path.write_text(content)
    with pytest.raises(TabBenchError, match=message):
        read_demonstrations(path, QUESTIONS, "code")
