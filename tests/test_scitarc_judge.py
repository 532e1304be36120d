"""Exact match, the judge's prompt and verdicts, and agreement against scikit-learn."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.agreement import agreement, read_labels
from tabbench.scitarc.exact_match import exact_match, exact_match_normalised, normalise
from tabbench.scitarc.judge import (
    DECODING,
    Item,
    Verdict,
    is_combined,
    judge,
    judge_by_matcher,
    judge_name,
    judge_prompt,
    judge_unsure_by,
    judging_model,
    parse_verdict,
)
from tabbench.scitarc.names import judge_title

PAPER = Path(__file__).parents[2] / "shared/papers/scitarc.txt"


@pytest.mark.parametrize(
    ("prediction", "gold", "released", "normalised"),
    [
        ("12.5", " 12.5\n", True, True),
        ("12.5.", "12.5", False, True),
        ("gpt-4o", "GPT-4o", False, True),
        ("**GPT-4o**", "GPT-4o", False, True),
        ("−6.37", "-6.37", False, True),
        (r"17.25\%", "17.25%", False, True),
        ("1,234", "1234", False, True),
        ("1,23", "123", False, False),
        ("B, A", "A, B", False, False),
        ("The answer is A", "A", False, False),
        (None, "A", False, False),
        ("", "A", False, False),
    ],
)
def test_exact_match(prediction, gold, released, normalised):
    assert exact_match(prediction, gold) == released
    assert exact_match_normalised(prediction, gold) == normalised


@given(st.text(max_size=60))
def test_normalising_keeps_exact_matches(text):
    assert exact_match_normalised(f" {text} ", text)
    assert exact_match(text, text)


@given(st.text("aB1,.%- $*", max_size=20))
def test_case_and_blanks_do_not_matter_once_normalised(text):
    assert normalise(text.upper()) == normalise(text) == normalise(f"  {text}\n")


def squeezed(text):
    return " ".join(text.split())


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's text is not here")
def test_the_prompt_is_the_printed_one_but_for_the_braces():
    text = PAPER.read_text(encoding="utf-8")
    start = text.index("You are evaluating a table QA system.")
    printed = squeezed(text[start : text.index("Table 5: The LLM-as-a-Judge")])
    printed = printed.replace("{ground_truth}", "{gold}")
    made = judge_prompt(Item("{question}", "{gold}", "{prediction}"))
    assert squeezed(made).replace('{"reasoning"', '"reasoning"').replace("1.0}", "1.0") == printed


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ('{"reasoning": "same", "score": 1.0}\n[Evaluation End]', 1.0),
        ('"reasoning": "same", "score": 0.5', 0.5),
        ('[Evaluation Start]\n{"score": 0, "reasoning": "no"}', 0.0),
        ('{"reasoning": "it says "five"", "score": 0.0}', 0.0),
        ('{"reasoning": "a\nb", "score": "1.0"}', 1.0),
        ("**Score**: 1", 1.0),
        ("The score is 0.5 since a part is missing.", 0.5),
        ('{"reasoning": "the score of the model is 5", "score": 1.0}', 1.0),
        ('{"score": 1.0} [Evaluation End] {"score": 0.0}', 1.0),
        ("Score: 1.", 1.0),
        ('<think>As in {"score": 1.0}. But it is wrong.</think>{"score": 0.0}', 0.0),
        ('<think>{"score": 1.0} [Evaluation End]</think>\n{"score": 0.5}', 0.5),
        ('{"reasoning": "Brief explanation", "score": 1.0}\n{"reasoning": "b", "score": 0.0}', 0.0),
        ('{"reasoning": "a", "score": 0.5} {"reasoning": "b", "score": 0.5}', 0.5),
        ('It is {a}, whose score is 4. {"reasoning": "a", "score": 1.0}', 1.0),
        ('{"verdict": {"score": 0.5}}', 0.5),
        ('{"reasoning": "Brief explanation", "score": 0.0}', 0.0),
        ('{"reasoning": "Brief explanation.", "score": 1.0}', 1.0),
        ('"reasoning": "Brief explanation", "score": 0.5', 0.5),
    ],
)
def test_verdicts_that_can_be_read(response, score):
    parsed = parse_verdict(response)
    assert parsed is not None
    assert parsed[0] == score


@pytest.mark.parametrize(
    "response",
    [
        "",
        "The prediction is correct.",
        '{"reasoning": "almost", "score": 0.75}',
        '{"reasoning": "unsure", "score": null}',
        "score: 1.0 or score: 0.5",
        "Score: 10",
        "score: 50%",
        "score: 1.0/1.0",
        "1.0",
        '<think>As in {"score": 1.0}. But it is',
        '{"score": 1.0}<think>Or is it',
        '{"reasoning": "a", "score": 1.0} {"reasoning": "b", "score": 0.0}',
        '{"reasoning": "a", "score": 1.0} {"reasoning": "b", "score": 7}',
        '{"reasoning": "it says "five"", "score": 0.0} {"reasoning": "b", "score": 1.0}',
        '{"reasoning": "it says "{"score": 1.0}"", "score": 0.0}',
        '{"reasoning": "the score is 1", "score": null}',
        '{"score": 1' + 400 * "0" + "}",
        '{"score": ' + 5000 * "[",
    ],
)
def test_verdicts_that_cannot_be_read_are_none_and_not_zero(response):
    assert parse_verdict(response) is None


@given(st.text(max_size=100))
def test_any_response_has_a_score_of_the_scale_or_none(text):
    parsed = parse_verdict(text)
    assert parsed is None or parsed[0] in (0.0, 0.5, 1.0)


VERDICTS = st.fixed_dictionaries(
    {"reasoning": st.text(max_size=30), "score": st.sampled_from([0.0, 0.5, 1.0])}
)
PROSE = st.text("ab {}[]:\\\n", max_size=20)


@given(VERDICTS, PROSE, PROSE)
def test_a_record_is_read_whatever_its_reason_and_what_stands_around_it(verdict, before, after):
    response = f"<think>{before}</think>{after} {json.dumps(verdict)}\n[Evaluation End]"
    parsed = parse_verdict(response)
    assert parsed == (verdict["score"], verdict["reasoning"])


@given(st.lists(VERDICTS, min_size=1, max_size=4))
def test_records_count_where_they_agree(verdicts):
    scores = {one["score"] for one in verdicts}
    parsed = parse_verdict("\n".join(json.dumps(one) for one in verdicts))
    assert (parsed is None) == (len(scores) > 1)
    assert parsed is None or parsed == (scores.pop(), verdicts[0]["reasoning"])


def test_half_a_character_in_a_reason_can_be_written():
    assert parse_verdict(r'{"reasoning": "\ud83d", "score": 0}') == (
        0.0,
        "\N{REPLACEMENT CHARACTER}",
    )


class Answers:
    """A judge that says what it is told to, round by round."""

    def __init__(self, *rounds):
        self.rounds = list(rounds)
        self.asked = []

    def __call__(self, prompts):
        self.asked.append(prompts)
        return self.rounds.pop(0)


ITEMS = [Item("q", "a", "a"), Item("q", "a", None), Item("q", "a", "b"), Item("q", "{a}", "{c}")]


def test_the_released_judge_has_more_rules_and_examples():
    paper, released = (judge_prompt(ITEMS[0], prompts=one) for one in ("paper", "released"))
    assert (paper.count("- Ground:"), released.count("- Ground:")) == (4, 6)
    assert "Names of models must be exactly the same" in released
    assert released.endswith("\n[Evaluation Start]")
    asked = Answers(['{"score": 1}'])
    judge(ITEMS[:1], asked, "released")
    assert asked.asked == [[released]]


def test_unreadable_verdicts_are_asked_for_once_more_and_then_failed():
    ask = Answers(['{"score": 1}', "hm", "hm"], ['{"score": 0.5}', "hm again"])
    verdicts = judge(ITEMS, ask)
    assert [one.status for one in verdicts] == [
        "correct",
        "no answer",
        "partly correct",
        "judge failed",
    ]
    assert [one.score for one in verdicts] == [1.0, 0.0, 0.5, None]
    assert [one.correct for one in verdicts] == [True, False, False, None]
    assert [one.asked for one in verdicts] == [1, 0, 2, 2]
    assert verdicts[3].reasoning == "hm again"
    assert [len(prompts) for prompts in ask.asked] == [3, 2]
    assert all("could not be read" in prompt for prompt in ask.asked[1])
    assert "Prediction: {c}" in ask.asked[0][2]


def test_a_missing_answer_never_reaches_the_judge():
    assert judge([Item("q", "a", None), Item("q", "a", "  ")], Answers()) == [
        *judge([Item("q", "a", None)], Answers()),
        *judge([Item("q", "a", "")], Answers()),
    ]


def test_the_matcher_judges_the_same_items():
    verdicts = judge_by_matcher([*ITEMS, Item("q", "A1, B2", "A1"), Item("q", "12.5", "12.6")])
    assert [one.status for one in verdicts] == [
        *("correct", "no answer", "wrong", "wrong", "partly correct", "correct"),
    ]
    assert verdicts[4].reasoning == "not found: b 2"
    assert {one.asked for one in verdicts} == {0}


UNSURE = [
    Item("q", "BERT", "It is BERT."),  # all parts
    Item("q", "Portuguese", "PT"),  # a name may be written otherwise
    Item("q", "12.5", "13.9"),  # a number may not
    Item("q", "12.5", "12.5", "12.5, I think. Or 13."),  # which text is the answer?
    Item("q", "12.5", None, "It is the first."),
    Item("q", "12.5", None),
    Item("q", "A1", "A1, B2"),
]


def test_a_model_judges_what_the_matcher_is_not_sure_of():
    asked = []

    def rest(items):
        asked.extend(items)
        return [Verdict("correct", 1.0, f"seen {at}", 1) for at in range(len(items))]

    verdicts = judge_unsure_by(rest, UNSURE)
    assert asked == [UNSURE[1], UNSURE[3], UNSURE[4], UNSURE[6]]
    assert [one.asked for one in verdicts] == [0, 1, 0, 1, 1, 0, 1]
    assert [one.status for one in verdicts] == [
        *("correct", "correct", "wrong", "correct", "correct", "no answer", "correct"),
    ]
    assert [one.reasoning for one in verdicts if one.asked] == [f"seen {at}" for at in range(4)]
    sure = [item for item, one in zip(UNSURE, verdicts, strict=True) if not one.asked]
    assert judge_unsure_by(rest, sure) == judge_by_matcher(sure)
    assert len(asked) == 4


@given(st.lists(st.sampled_from(UNSURE), max_size=12))
def test_every_answer_has_the_verdict_of_one_judge(items):
    verdicts = judge_unsure_by(lambda some: [Verdict("wrong", 0.0, "", 1)] * len(some), items)
    for item, one, matched in zip(items, verdicts, judge_by_matcher(items), strict=True):
        assert one == (matched if UNSURE.index(item) in (0, 2, 5) else Verdict("wrong", 0.0, "", 1))


def test_judges_have_names():
    assert judging_model(judge_name("matcher")) is None
    both = judge_name({"matcher_then": "llama"})
    assert judging_model(both) == judging_model("llama") == "llama"
    assert judge_title(both, {"llama": "Llama"}) == "the matcher (Llama where it is unsure)"
    assert (is_combined(both), is_combined("llama"), is_combined("matcher")) == (True, False, False)


def test_the_judge_decodes_greedily_and_ends_at_its_tag():
    assert DECODING.temperature == 0
    assert DECODING.stop == ("[Evaluation End]",)
    assert judge_prompt(ITEMS[0]).endswith("\n[Evaluation Start]")
    assert not re.search(r"\{\{|\}\}", judge_prompt(ITEMS[0]))


RATINGS = st.lists(
    st.tuples(st.sampled_from([0, 0.5, 1]), st.sampled_from([0, 0.5, 1])), min_size=2, max_size=40
)


@settings(max_examples=40)
@given(RATINGS)
def test_agreement_is_that_of_scikit_learn(pairs):
    first, second = (pd.Series(values, dtype=float) for values in zip(*pairs, strict=True))
    found = agreement(first, second)
    given_ratings = sorted({*first, *second})
    labels = [str(rating) for rating in given_ratings]
    one, two = first.astype(str), second.astype(str)
    assert found.n == len(pairs)
    assert found.percent == pytest.approx(100 * np.mean(first == second))
    assert found.table.to_numpy().tolist() == confusion_matrix(one, two, labels=labels).tolist()
    if len(labels) == 1:
        assert np.isnan(found.kappa)
    else:
        assert found.kappa == pytest.approx(cohen_kappa_score(one, two), abs=1e-12)


def test_items_that_one_rater_left_out_are_counted():
    first = pd.Series({"a": True, "b": False, "c": None}, dtype="boolean")
    second = pd.Series({"b": True, "c": True, "d": True, "a": True})
    found = agreement(first, second)
    assert (found.n, found.n_missing, found.percent) == (2, 2, 50.0)


def test_no_common_item_is_no_agreement():
    found = agreement(pd.Series({"a": 1.0}), pd.Series({"b": 1.0}))
    assert found.n == 0
    assert np.isnan(found.percent)


def test_an_item_rated_twice_is_an_error():
    with pytest.raises(TabBenchError, match="second rater rated"):
        agreement(pd.Series([1.0]), pd.Series([1.0, 0.0], index=[0, 0]))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.floats(0.55, 0.95))
def test_the_interval_of_kappa_is_near_the_asymptotic_one(seed, accuracy):
    """Against the variance of Fleiss, Cohen and Everitt (1969), written out."""
    random = np.random.default_rng(seed)
    first = random.integers(0, 3, 400)
    second = np.where(random.random(400) < accuracy, first, random.integers(0, 3, 400))
    found = agreement(pd.Series(first), pd.Series(second))
    p = found.table.to_numpy() / 400
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = np.trace(p), rows @ columns
    both = columns[:, None] + rows[None, :]
    diagonal = np.diag(p) * ((1 - expected) - np.diag(both) * (1 - observed)) ** 2
    others = (p * both.T**2).sum() - (np.diag(p) * np.diag(both) ** 2).sum()
    spread = diagonal.sum() + (1 - observed) ** 2 * others
    spread -= (observed * expected - 2 * expected + observed) ** 2
    half = 1.96 * np.sqrt(spread / 400) / (1 - expected) ** 2
    assert found.low == pytest.approx(found.kappa - half, abs=0.03)
    assert found.high == pytest.approx(found.kappa + half, abs=0.03)


def test_without_kappa_there_is_no_interval():
    same = agreement(pd.Series([1, 1, 1]), pd.Series([1, 1, 1]))
    assert np.isnan([same.kappa, same.low, same.high]).all()
    alike = agreement(pd.Series([1, 1, 0]), pd.Series([1, 1, 0]))
    assert (alike.kappa, alike.low, alike.high) == (1, 1, 1)


ANSWERS = [f"id{row}" for row in range(6)]
HEAD = "id,answer,label\n"


def test_human_labels_are_read(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(HEAD + 'id3,a,0.5\nid4,b,\nid5,c,1\nid1,d," 0,5"\nid0,e,1.0\nold,f,0\n')
    assert read_labels(path, ANSWERS).to_dict() == {
        **{"id3": 0.5, "id5": 1.0, "id1": 0.5, "id0": 1.0, "old": 0.0}
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("row,label\n1,1\n", "no column"),
        (HEAD + "id3,a,1\nid4,b,2\n", "the label '2' of id4 is not 0, 0.5 or 1"),
        (HEAD + "id3,a,yes\n", "the label 'yes' of id3"),
        ("", "cannot be read"),
        (HEAD + "id3,a,\n", "nothing is filled in; fill in the column 'label'"),
        (HEAD + "id3,a,1\nid4,b,\nid3,a,0\n", "id3 is filled in more than once"),
        (HEAD + "n,a,1\n", "none of its 1 ids is of an answer of this run"),
    ],
)
def test_human_labels_that_cannot_be_read(tmp_path, content, message):
    path = tmp_path / "labels.csv"
    path.write_text(content)
    with pytest.raises(TabBenchError, match=message):
        read_labels(path, ANSWERS)
