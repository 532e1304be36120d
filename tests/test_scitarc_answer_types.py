"""Types of gold answers, against labels given by hand."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scitarc_frames import scored

from tabbench.scitarc.answer_types import TYPES, accuracy_by_type, answer_type
from tabbench.scitarc.matcher_pairs import read_pairs
from tabbench.scitarc.tables.answer_types import answer_types

RESOURCES = Path(__file__).parents[1] / "resources/scitarc"
BY_HAND = {
    "number": (
        *("0.1066", "12,345.6", "17.25%", "-6.37", "0.83 ± 0.02", "1.5e-4", "10^-4", "1/4", ".82"),
        *("24 models", "1,024 tokens", "3.5 seconds", "70B", "3.2x", "$1,500", "thirteen"),
        *("8 of 11", "12 of 20", "The sum is 118.2", "decreases by 3.2", "12.4 higher", "k = 64"),
        *("2.5 million", "$0.5$", "0.044 (with the gold plan)", "7.25 points"),
    ),
    "name": (
        *("Japanese", "ResNet-50", "Llama-3.1-8B", "DeepSeek-V3.2 (thinking)", "zh→en", "F1"),
        *("\\textbf{DeepSeek-V3.2} (thinking)", "plan horizon", "F-score on CoNLL", "2-shot"),
        *("Layer 6", "Table 2", "LoRA (r=8)", "Gemini 2.5 Flash", "o3-mini", "layer_norm"),
        *("increases", "lower", "None", "neither", "zero-shot", "Average pooling", "first group"),
    ),
    "list": (
        *("HellaSwag, PiQA", "MMLU and GSM8K", "3 and 7", "1, 3, 5", "Llama > Falcon > Mistral"),
        *("Korean; different for GPT-4o-mini-Audio (Cantonese) and GPT-4o-mini (Russian)", "2, 5"),
        *("XGBoost, 3.2", "Encoder: 3.1, Decoder: 2.7", "Swin-B by 2.4", "1st: Llama, 2nd: Falcon"),
        "InternVL2.5-38B, InternVL2.5-78B, and Qwen2.5-VL-72B (on chrF++ EN-ZH)",
        *("TabPFN: 0.82±0.01, XGBoost: 0.79±0.02", "14 of 36 pairs; tied: 1", "Adam or SGD"),
    ),
    "yes or no": ("Yes", "no.", "True", "Yes, 4.3", "No, 3 models", "Yes; T5", "No (only two)"),
}


@pytest.mark.parametrize(
    ("gold", "kind"), [(gold, kind) for kind, golds in BY_HAND.items() for gold in golds]
)
def test_types_are_those_given_by_hand(gold: str, kind: str) -> None:
    assert answer_type(gold) == kind


def test_a_name_that_begins_like_a_no_is_a_name() -> None:
    assert answer_type("No-U-Turn sampler") == "name"
    assert answer_type("Nordic") == "name"


def test_every_gold_answer_of_the_repository_has_a_type() -> None:
    questions = json.loads((RESOURCES / "questions.json").read_text())
    own = [answer_type(one["answer"]) for one in questions]
    assert own.count("number") == 4
    assert own.count("list") == len(own) - 4
    pairs = read_pairs(RESOURCES / "matcher_pairs.csv")["gold"]
    assert set(pairs.map(answer_type)) == set(TYPES)


@given(st.text(max_size=60))
def test_any_text_has_a_type(gold: str) -> None:
    assert answer_type(gold) in TYPES


def test_accuracies_are_of_the_questions_of_the_type() -> None:
    scores = scored(40, [("a", "language", 0.5), ("b", "code", 0.3)], [("none", 0), ("gold", 0)])
    scores["gold"] = ["Yes" if row % 4 == 0 else "7" for row in scores["row"]]
    table = accuracy_by_type(scores).set_index(["model", "answer_type"])
    direct = scores[(scores["model"] == "b") & (scores["plan_mode"] == "none")].dropna(
        subset="correct"
    )
    polar = direct[direct["gold"] == "Yes"]
    assert table.loc[("b", "yes or no"), "n"] == len(polar)
    assert table.loc[("b", "yes or no"), "accuracy"] == polar["correct"].astype(bool).mean()
    assert table["n"].groupby("model").sum()["b"] == len(direct)
    shown = answer_types(scores, {"a": "A", "b": "B"})
    assert shown.header == ("Model", "Method", "n, number", "Number", "n, yes or no", "Yes or no")
    assert any("of type: name, list" in note for note in shown.notes)
