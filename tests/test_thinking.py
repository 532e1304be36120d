"""Thoughts in the marks of many models: passed over, noticed, and nothing left of an open one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.thinking import (
    blank_thought,
    opens_thought,
    shows_thought,
    thinking_off,
    without_thought,
)
from tabbench.probes.recognition import listed_names
from tabbench.probes.windows import first_line
from tabbench.sandbox.model_code import code_blocks
from tabbench.scitarc.extraction import Extracted, extract_answer
from tabbench.scitarc.judge import parse_verdict
from tabbench.scitarc.programs import first_program
from tabbench.scitarc.responses import read_plan
from tabbench.scoring.label_parser import Parsed, parse_answer

MARKS = [
    ("<think>", "</think>"),
    ("<THINK>", "</THINK>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>commentary<|message|>", "<|channel|>final <|constrain|>json<|message|>"),
    ("analysisWe look. ", "assistantfinal"),
    ("Here is my thought process:\n", "\nHere is my response:\n"),
]
marks = pytest.mark.parametrize(("opening", "closing"), MARKS)


@marks
@pytest.mark.parametrize("thought", ["", "The answer is 0?\n\nNo. ", "Answer: 0\n```\n0\n```\n"])
def test_every_reader_passes_over_a_thought(opening: str, closing: str, thought: str) -> None:
    written = opening + thought + closing
    assert shows_thought(written)
    assert parse_answer(written + "1") == Parsed(1, len(written), "")
    assert extract_answer(written + "Answer: 12").answer == "12"
    assert read_plan(written + "SELECT a\nRETURN a") == "SELECT a\nRETURN a"
    assert first_program(written + "```python\nprint(1)\n```") == "print(1)"
    assert code_blocks(written + "```python\nx = 1\n```") == ["x = 1"]
    assert parse_verdict(written + '{"reasoning": "same", "score": 1.0}') == (1.0, "same")
    assert first_line(written + "\n39") == "39"
    assert listed_names(written + "Columns: age") == ["age"]


@pytest.mark.parametrize("opening", [opening for opening, _ in MARKS])
def test_no_reader_takes_anything_from_an_open_thought(opening: str) -> None:
    written = opening + "Answer: 1\nColumns: age\n```\nprint(1)\n```\n"
    assert without_thought(written) is None
    assert blank_thought(written) is None
    assert shows_thought(written)
    assert opens_thought("[assistant]\n\n" + opening) or opening[0] in "aH"
    assert parse_answer(written) == Parsed(None, None, "unclosed thinking block")
    assert extract_answer(written) == Extracted(None, "not found")
    assert read_plan(written) == first_program(written) == first_line(written) == ""
    assert code_blocks(written) == listed_names(written) == []
    assert parse_verdict(written + '{"score": 1.0}') is None


@pytest.mark.parametrize(
    ("response", "rest"),
    [
        ("Answer: 1", "Answer: 1"),
        ("a</think>b", "b"),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("<think>a <think> b</think>c</think>d", "d"),
        ("<answer>1</answer><reasoning>a</reasoning>", "<answer>1</answer>"),
        ("<think>a</think>b<think>c", None),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "b"),
        ("<|channel|>final<|message|>b<|return|>", "b"),
        ("Analysis: I think of analysis.", "Analysis: I think of analysis."),
    ],
)
def test_what_is_left(response: str, rest: str | None) -> None:
    assert without_thought(response) == rest


@given(st.lists(st.sampled_from([*(m for pair in MARKS for m in pair), "a", "1", "\n"])))
def test_blanking_keeps_every_offset_of_the_answer(pieces: list[str]) -> None:
    text = "".join(pieces)
    blanked = blank_thought(text)
    if blanked is None:
        assert without_thought(text) is None
    else:
        assert len(blanked) == len(text)
        assert all(new in (old, " ") for new, old in zip(blanked, text, strict=True))


@pytest.mark.parametrize(
    ("arguments", "off"),
    [
        ({}, False),
        ({"enable_thinking": False}, True),
        ({"enable_thinking": True}, False),
        ({"thinking": False}, True),
        ({"thinking_budget": 0}, True),
        ({"thinking_budget": 512}, False),
        ({"tools": None}, False),
    ],
)
def test_arguments_that_turn_thinking_off(arguments: dict[str, object], off: bool) -> None:
    assert thinking_off(arguments) is off
