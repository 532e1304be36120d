"""The matcher: its rules one by one, properties, and its measured agreement with hand labels."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.matcher import match
from tabbench.scitarc.matcher_pairs import (
    judge_pairs,
    label_agreement,
    matcher_agreement,
    read_pairs,
    sure_verdicts,
)

PARTS = ("development", "held out", "afterwards")
PAIRS = Path(__file__).parents[1] / "resources/scitarc/matcher_pairs.csv"


def test_measured_agreement_with_the_labels():
    """These are measurements, not aims."""
    found = matcher_agreement(read_pairs(PAIRS))
    assert {part: one.n for part, one in found.items()} == {
        **{"development": 237, "held out": 200, "afterwards": 60}
    }
    assert [round(found[part].percent, 1) for part in PARTS] == [97.9, 99.5, 90.0]
    assert [round(found[part].kappa, 2) for part in PARTS] == [0.96, 0.99, 0.80]
    # Of all pairs, wrong answers that are taken as right:
    assert [found[part].table.loc[False, True] for part in PARTS] == [1, 1, 1]


def test_the_two_passes_of_labels_agree():
    found = label_agreement(read_pairs(PAIRS))
    assert (found.n, found.n_missing) == (200, 0)
    assert found.percent == 99.0
    assert round(found.kappa, 3) == 0.979


def test_the_labels_cover_all_scores_in_both_parts():
    pairs = read_pairs(PAIRS)
    assert not pairs.duplicated(["gold", "prediction"]).any()
    assert (pairs["why"].str.len() > 3).all()
    labels = {name: set(part["label"]) for name, part in pairs.groupby("part")}
    assert labels == {part: {0, 0.5, 1} for part in PARTS}


def test_each_verdict_has_a_reason():
    assert (judge_pairs(read_pairs(PAIRS))["reason"].str.len() > 5).all()


@pytest.mark.parametrize(
    ("gold", "prediction", "score"),
    [
        ("2", "3", 0),
        ("2021 and 2023", "2020 and 2022", 0),
        ("24 models", "25 models", 0),
        ("24 ms", "25 ms", 1),
        ("46%", "47%", 1),
        ("qwen2.5-72b", "The best is qwen2.5-72b.", 1),
        ("o4-mini", "It is o4-mini with 55.2", 1),
        ("memos-0630", "memos-0630 wins", 1),
        ("memos-0630", "memos-0701 wins", 0),
        ("0.1066", "10.66%", 1),
        ("10.66%", "0.1066", 1),
        ("BERT", "GPT-4 outperforms BERT", 0),
        ("Korean", "every language except Korean", 0),
        ("12", "7 of the 12", 0),
        ("7 of 12", "7 out of the 12", 1),
        ("increases", "It decreases", 0),
        ("0.5", ".5", 1),
        ("1234", "1 234", 1),
        ("0.0001", "10⁻⁴", 1),
        ("13", "thirteen", 1),
        ("16K", "16,000", 1),
        ("-6.37", "6.37 lower", 1),
        ("-6.37", "6.37 higher", 0),
        ("Claude-Sonnet-4.5", "Claude 4.5 Sonnet", 1),
        ("English-to-French", "French to English", 0),
        ("a) 5.2, b) 7.1", "a) 7.1, b) 5.2", 0.5),
        ("5.2 with cache, 7.1 without", "7.1 without, 5.2 with cache", 1),
    ],
)
def test_kinds_of_answers(gold, prediction, score):
    assert match(gold, prediction).score == score


@pytest.mark.parametrize(
    ("gold", "prediction", "score", "reason"),
    [
        ("12.5", "12.6", 1.0, "all parts"),
        ("12.5", "12.7", 0.0, "not found: 12.5"),
        ("A1, B2", "B2 and A1", 1.0, "all parts"),
        ("A1, B2", "A1", 0.5, "not found: b 2"),
        ("A1", "A1, B2", 0.5, "a further part: b 2"),
        ("A1: 3.5, B2: 7.5", "A1: 7.5, B2: 3.5", 0.5, "belong together"),
        ("A1", None, 0.0, "no answer"),
        ("5", "1e999999999", 0.0, "not found"),
        ("1e999", "1e999", 1.0, "same text"),
        ("1/0", "1", 1.0, "all parts"),
        ("Both", "**both**.", 1.0, "the same text"),
        ("", "", 0.0, "no answer"),
        ("A1", "...", 0.0, "no answer"),
        ("?", "A1", 0.0, "neither a name nor a number"),
    ],
)
def test_rules(gold, prediction, score, reason):
    found = match(gold, prediction)
    assert found.score == score
    assert reason in found.reason


def test_sure_verdicts_are_seldom_wrong():
    """As resources/scitarc/README.md says."""
    pairs = read_pairs(PAIRS)
    found = sure_verdicts(pairs)
    assert (found.n, found.n_sure, found.errors) == (260, 199, 3)
    wilson = binomtest(3, 199).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx(tuple(wilson))
    afterwards = judge_pairs(pairs[pairs["part"] == "afterwards"])
    wrong = afterwards["score"].eq(1) != afterwards["label"].eq(1)
    assert (afterwards["sure"].sum(), (wrong & afterwards["sure"]).sum()) == (42, 2)
    assert wrong.sum() == 6  # the model is asked for the other four


NAMES = st.sampled_from(
    ["GPT-4o", "Llama-3.3-70B", "ResNet-50", "HellaSwag", "PiQA", "Korean", "XGBoost", "BERT-base"]
)
NUMBERS = st.decimals(0, 9999, places=2).map(str)
LISTS = st.lists(NAMES, min_size=1, max_size=4, unique=True)


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_and_writing_of_a_list_do_not_matter(names, random):
    shuffled = random.sample(names, len(names))
    for separator in (", ", "; ", " and ", "\n- "):
        assert match(", ".join(names), separator.join(shuffled)).score == 1
    assert match(", ".join(names), ", ".join(shuffled).lower()).score == 1
    assert match(", ".join(names), f"**{', '.join(shuffled)}**.").score == 1


@given(LISTS, st.data())
def test_a_list_lacks_nothing_and_has_nothing_more(names, data):
    others = [name for name in ("GPT-4o", "Korean", "XGBoost") if name not in names]
    gold = ", ".join(names)
    if len(names) > 1:
        left_out = data.draw(st.sampled_from(names))
        fewer = ", ".join(name for name in names if name != left_out)
        assert match(gold, fewer).score == 0.5
    for other in others:
        assert match(gold, f"{gold}, {other}").score == 0.5
        assert match(gold, other).score == 0


@given(st.decimals(-9999, 9999, places=2), st.integers(-5, 5))
def test_numbers_may_differ_by_one_in_the_last_digit(number, steps):
    prediction = number + steps * number.scaleb(0).__class__("0.01")
    same_sign = (number < 0) == (prediction < 0)
    if same_sign:
        assert match(str(number), f"It is {prediction} points.").score == (abs(steps) <= 1)


@given(st.integers(1000, 99_999_999))
def test_thousands_separators(number):
    assert match(str(number), f"{number:,}").score == 1
    assert match(f"{number:,}", str(number)).score == 1


@given(st.decimals("0.1", "99.9", places=1))
def test_a_percentage_may_lack_its_sign_or_be_a_share(number):
    for prediction in (f"{number}", f"{number} %", rf"{number}\%", str(number / 100)):
        assert match(f"{number}%", prediction).score == 1


@example([("GPT-4o", "76.80"), ("Llama-3.3-70B", "76.80")])
@given(st.lists(st.tuples(NAMES, NUMBERS), min_size=2, max_size=3, unique_by=lambda pair: pair[0]))
def test_values_belong_to_their_names(pairs):
    gold = ", ".join(f"{name}: {value}" for name, value in pairs)
    other_order = "; ".join(f"{name} ({value})" for name, value in reversed(pairs))
    assert match(gold, other_order).score == 1


@given(st.text(max_size=40), st.text(max_size=60))
def test_any_texts_have_a_score(gold, prediction):
    assert match(gold, prediction).score in (0, 0.5, 1)


@pytest.mark.parametrize("text", ["1,", "A1 ", "\n", "\n- ", "a-", "x × 10 ^ ", "comprehensive "])
def test_long_texts_take_no_long_time(text):
    match("Comprehension, GPT-4o: 12.5, A1", text * 5_000)


def test_pairs_that_cannot_be_read(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("gold,prediction,label\na,b,1\n")
    with pytest.raises(TabBenchError, match="expected"):
        read_pairs(path)
    head = "gold,prediction,label,why,part,kind,second\n"
    for pair in ("a,b,2,x,development,,", "a,b,1,x,held out,y,", "a,b,1,x,held out,y,2"):
        path.write_text(f"{head}c,d,1,x,development,,\n{pair}\n")
        with pytest.raises(TabBenchError, match="pair 2: a label"):
            read_pairs(path)


@pytest.mark.parametrize(
    ("gold", "prediction", "score"),
    [
        ("summarization", "summarisation", 1.0),  # 24 of 26 letters agree
        ("precision", "decision", 0.0),  # 14 of 17
        ("comprehension", "comprehensive", 0.0),  # 22 of 26
    ],
)
def test_a_misspelling_is_the_word_and_a_like_word_is_not(gold, prediction, score):
    assert match(gold, prediction).score == score


def test_a_word_is_denied_by_what_stands_right_before_it():
    assert match("Korean", "not Korean").score == 0
    assert match("Korean", "Without, Korean").score > 0


@pytest.mark.parametrize(
    ("gold", "prediction", "score"),
    [
        ("1, 2, 3", "1, 2 and 3", 1.0),
        ("1, 2, 3", "3, 2 and 1", 0.5),  # values without names stand in their order
        ("2 min", "120 s", 1.0),
        ("2 min", "2 s", 0.0),
        ("1.5e3", "1600", 1.0),  # one in the last printed digit
        ("1.5e3", "1800", 0.0),
    ],
)
def test_order_units_and_powers_of_numbers(gold, prediction, score):
    assert match(gold, prediction).score == score
