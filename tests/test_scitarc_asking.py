"""From questions to responses, answers and scores: what the rules of SciTaRC call."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_table
from tabbench.inference.engines.base import Description, Text
from tabbench.inference.responses import Identity
from tabbench.inference.texts import text_asker
from tabbench.scitarc.answers import read_answers
from tabbench.scitarc.dataset import Question, read_questions
from tabbench.scitarc.demonstrations import read_demonstrations
from tabbench.scitarc.frames import (
    asked_rows,
    demonstrations_frame,
    demonstrations_of,
    questions_frame,
    read_back,
)
from tabbench.scitarc.judge import DECODING, judge_by_matcher
from tabbench.scitarc.prompts import EXECUTIONS, FAITHFUL, Condition
from tabbench.scitarc.responses import ask_conditions
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.schemas.demonstrations import SCITARC_DEMONSTRATIONS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.schemas.responses import SCITARC_RESPONSES
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.verdicts import judge_by_model, score_answers

SHIPPED = Path(__file__).parents[1] / "resources/scitarc"
CONDITIONS = [
    Condition("none", "language"),
    Condition("self", "language"),
    Condition("self", "code"),
    Condition("gold", "code", 2),
]


def question(row, plan="SELECT x\nRETURN x", answer="7"):
    return Question(row, "p", f"What is {row}?", answer, plan, (f"table {row}\n", "second"))


QUESTIONS = (question(0), question(1, plan=None), question(2, answer=None), question(3))


@pytest.fixture(scope="module")
def shipped():
    questions = read_questions(SHIPPED / "questions.json").questions
    shown = {
        one: read_demonstrations(SHIPPED / "demonstrations.json", questions, one)
        for one in EXECUTIONS
    }
    return questions, shown


class Model:
    """Answers by what the prompt asks for; notes every request."""

    def __init__(self):
        self.requests = []

    def ask(self, requests):
        self.requests += requests
        return [Text(self.respond(one), 9, 4, 0.5, True) for one in requests]

    def respond(self, request):
        prompt = request.messages[0].content
        if "Do not solve it" in prompt:
            return f"```\nSELECT of {request.name}\n```"
        return "```python\nprint(7)\n```" if "Python" in prompt else "**Answer:** 7."


def asked(model, shipped, conditions=tuple(CONDITIONS), questions=QUESTIONS):
    return ask_conditions(questions, shipped[1], conditions, model.ask, FAITHFUL, True)


def test_questions_and_demonstrations_come_back_from_their_files(shipped, tmp_path):
    questions, shown = shipped
    everything = (*questions, question(90, plan=None), question(91, answer=None))
    write_table(questions_frame(everything, frozenset({3})), tmp_path / "q", SCITARC_QUESTIONS)
    frame = read_table(tmp_path / "q", SCITARC_QUESTIONS)
    assert read_back(frame) == everything
    assert frame.loc[frame["asked"], "row"].tolist() == [3]
    write_table(demonstrations_frame(shown), tmp_path / "d", SCITARC_DEMONSTRATIONS)
    assert demonstrations_of(read_table(tmp_path / "d", SCITARC_DEMONSTRATIONS)) == shown


@given(st.integers(1, 40), st.integers(1, 40))
def test_more_rows_keep_those_of_fewer(one, other):
    held_out = [question(5)]
    everything = [*QUESTIONS, *map(question, range(4, 30))]
    few, many = (asked_rows(everything, rows, held_out) for rows in sorted((one, other)))
    assert few <= many
    assert len(many) == min(max(one, other), 27)
    assert not many & {1, 2, 5}


def test_without_a_number_every_question_with_an_answer_is_asked():
    assert asked_rows(QUESTIONS, None, [question(0)]) == {0, 1, 3}


def test_each_condition_is_asked_and_what_it_was_asked_stands_beside_the_response(shipped):
    model = Model()
    frame = asked(model, shipped)
    counts = frame.groupby(["plan_mode", "execution", "shots"])["row"].apply(list).to_dict()
    assert counts == {
        ("none", "language", 0): [0, 1, 3],
        ("self", "language", 0): [0, 1, 3],
        ("self", "code", 0): [0, 1, 3],
        ("gold", "code", 2): [0, 3],
    }
    of = frame.set_index(["plan_mode", "execution", "row"])
    assert pd.isna(of.loc[("none", "language", 0), "plan"])
    assert of.loc[("self", "code", 1), "plan"] == "SELECT of scitarc/plan/1"
    assert of.loc[("gold", "code", 3), "plan"] == QUESTIONS[3].plan
    for row in frame.to_dict("records"):
        assert pd.isna(row["plan"]) or row["plan"] in row["prompt"]
    assert {one.decoding for one in model.requests} == {FAITHFUL}
    assert all(one.plain for one in model.requests)
    names = Counter(one.name for one in model.requests)
    assert names["scitarc/gold-code-2/3"] == names["scitarc/none-language-0/1"] == 1


def test_the_second_stage_never_sees_the_first(shipped):
    """A fresh context: one turn, and of the planning prompt nothing but the plan."""
    model = Model()
    asked(model, shipped)
    assert all(len(one.messages) == 1 for one in model.requests)
    second = [one.messages[0].content for one in model.requests if "/self-" in one.name]
    assert second
    assert not any("Do not solve it" in prompt for prompt in second)


@pytest.mark.parametrize(
    ("written", "ended", "plan", "status"),
    [
        ("SELECT x", True, "SELECT x", "whole"),
        ("SELECT x", False, "SELECT x", "cut"),
        ("<think>```\nno\n```</think>\n```\nSELECT x\n```", True, "SELECT x", "whole"),
        ("<think>SELECT x", False, "", "empty"),
        (" \n", True, "", "empty"),
    ],
)
def test_a_plan_that_is_cut_or_empty_is_carried_out_and_counted(
    shipped, written, ended, plan, status
):
    class Planner(Model):
        def ask(self, requests):
            return [
                Text(written, 9, 4, 0.5, ended)
                if one.name.startswith("scitarc/plan/")
                else Text("Answer: 7", 9, 4, 0.5, True)
                for one in requests
            ]

    frame = asked(Planner(), shipped, CONDITIONS[:2]).set_index("plan_mode")
    assert set(frame.loc["self", "plan"]) == {plan}
    assert set(frame.loc["self", "plan_status"]) == {status}
    assert not frame.loc["self", "prompt"].str.contains("think>").any()
    assert set(frame.loc["none", "plan_status"]) == {""}


def test_a_plan_is_asked_once_for_all_conditions_and_nothing_twice(shipped, tmp_path):
    class Engine:
        description = Description("made", "completion", "none", "none")

        def write(self, requests):
            model.requests += requests
            texts = (Text(model.respond(one), 9, 4, 0.5, True) for one in requests)
            yield dict(enumerate(texts))

    model, loaded = Model(), []
    identity = Identity("m", "w", "e/1", "completion", "float32", "{}", True, 8, ())

    def again():
        def load():
            loaded.append(1)
            return Engine()

        ask = text_asker(identity, tmp_path / "log.jsonl", load)
        return ask_conditions(QUESTIONS, shipped[1], CONDITIONS, ask, FAITHFUL, True)

    first = again()
    assert Counter(one.name for one in model.requests)["scitarc/plan/0"] == 1
    assert len(model.requests) == 3 + 11
    assert len(loaded) == 1
    pd.testing.assert_frame_equal(again(), first)
    assert (len(model.requests), len(loaded)) == (14, 1)


def test_every_seed_asks_anew_and_finds_what_another_run_asked(shipped, tmp_path):
    class Engine:
        description = Description("made", "completion", "none", "none")

        def write(self, requests):
            model.requests += requests
            texts = (Text(f"{model.respond(one)} {one.seed}", 9, 4, 0.5, True) for one in requests)
            yield dict(enumerate(texts))

    model = Model()
    identity = Identity("m", "w", "e/1", "completion", "float32", "{}", True, 8, ())
    ask = text_asker(identity, tmp_path / "log.jsonl", Engine)

    def asked(*seeds):
        before = len(model.requests)
        frame = ask_conditions(QUESTIONS, shipped[1], CONDITIONS, ask, FAITHFUL, True, seeds=seeds)
        return frame, len(model.requests) - before

    alone, requested = asked(0)
    both, more = asked(0, 7)
    assert (requested, more) == (14, 14)
    assert {one.seed for one in model.requests[14:]} == {7}
    pd.testing.assert_frame_equal(both[both["seed"] == 0], alone)
    again = both[both["seed"] == 7].reset_index(drop=True)
    changed = ["seed", "response", "plan", "prompt"]
    pd.testing.assert_frame_equal(again.drop(columns=changed), alone.drop(columns=changed))
    assert again["response"].str.endswith(" 7").all()
    own = again["plan_mode"] == "self"
    assert again.loc[own, "plan"].str.contains("/seed7/").all()  # the plan of the same seed
    assert asked(7, 0)[1] == 0
    assert len({one.name for one in model.requests}) == 28


def test_too_few_demonstrations_are_a_fault_of_the_configuration(shipped):
    with pytest.raises(TabBenchError, match="3 demonstrations are configured, but there are 2"):
        asked(Model(), shipped, [Condition("none", "code", 3)])


def test_the_questions_shown_are_held_out_of_their_own_set_alone(shipped):
    questions, shown = shipped
    rows = {one.question.row for one in shown["code"]}
    condition = [Condition("none", "code", 2)]
    assert not rows & set(asked(Model(), shipped, condition, questions)["row"])
    others = [question(row) for row in sorted(rows)]
    assert set(asked(Model(), shipped, condition, others)["row"]) == rows


RESPONSES = [
    ("language", "So.\n\nAnswer: 12 points", "12 points", "line"),
    ("language", "I cannot tell.", None, "not found"),
    ("code", "```python\nprint(3 * 4)\n```", "12", "ok"),
    ("code", "```python\n1 / 0\n```", None, "exception"),
    ("code", "```python\nx = 1\n```", None, "empty"),
    ("code", "", None, "no code"),
]


def responses():
    return pd.DataFrame(
        [
            ("m", "none", execution, 0, 0, row, None, "", "prompt", response, "", True, 1, 1, 0.1)
            for row, (execution, response, *_) in enumerate(RESPONSES)
        ],
        columns=SCITARC_RESPONSES.names,
    )


def test_answers_are_found_or_printed_and_failures_kept_apart(tmp_path):
    answers = read_answers(responses(), "process")
    write_table(answers, tmp_path / "a", SCITARC_ANSWERS)
    read = read_table(tmp_path / "a", SCITARC_ANSWERS)
    found = [None if pd.isna(one) else one for one in read["prediction"]]
    assert found == [answer for *_, answer, _ in RESPONSES]
    assert read["source"].tolist() == [source for *_, source in RESPONSES]
    assert read["message"].ne("").tolist() == [False, False, False, True, True, True]
    assert "ZeroDivisionError" in read["message"][3]
    printed = [None if pd.isna(one) else one for one in read["printed"]]
    assert printed == [None, None, "12\n", None, "", None]


def test_no_responses_give_no_answers():
    assert read_answers(responses().iloc[:0], "process").columns.tolist() == SCITARC_ANSWERS.names


GOLD = tuple(question(row, answer="12") for row in range(len(RESPONSES)))


def scored(judge_all, name="matcher"):
    return score_answers(read_answers(responses(), "process"), GOLD, judge_all, name)


def test_the_matcher_scores_every_answer(tmp_path):
    scores = scored(judge_by_matcher)
    write_table(scores, tmp_path / "s", SCITARC_SCORES)
    assert scores["status"].tolist() == ["correct", "no answer", "correct"] + 3 * ["no answer"]
    assert scores["exact_match"].tolist() == [False, False, True, False, False, False]
    assert scores["exact_match_normalised"].tolist() == scores["exact_match"].tolist()
    assert scores["source"].tolist() == [source for *_, source in RESPONSES]


@pytest.mark.parametrize(
    ("execution", "response", "released"),
    [
        ("language", "Answer: 12.5", True),
        ("language", "So.\nFinal answer:  12.5 \n", True),
        ("language", "12.5", True),  # without the line: all of the response
        ("language", "**Answer:** 12.5", False),
        ("language", "Answer: 12.5.", False),
        ("language", "Answer: 12.5\n\nExplanation: the mean.", False),
        ("language", "### Final Answer\n12.5", False),
        ("language", "<think>\nAnswer: 1\n</think>\nAnswer: 12.5", False),
        ("code", "print('So:')\nprint(12.5)", True),
        ("code", "print('Answer: 12.5')", False),
    ],
)
def test_exact_match_is_of_what_the_released_code_takes(execution, response, released):
    asked = responses().iloc[:1].assign(execution=execution, response=response)
    answers = read_answers(asked, "process")
    (row,) = score_answers(answers, [question(0, answer="12.5")], judge_by_matcher, "m").to_dict(
        "records"
    )
    assert row["exact_match"] == released
    if response != "12.5":  # no form of an answer
        assert row["status"] == "correct"


def test_a_model_judges_what_answers_may_fail_and_sees_unsure_ones_whole():
    prompts = []

    def ask(requests):
        prompts.extend(requests)
        said = ["no verdict", '{"score": 0.0}', '{"reasoning": "equal", "score": 1.0}']
        said = said[: len(requests)]
        return [Text(one, 9, 4, 0.5, True) for one in said]

    scores = scored(judge_by_model(ask, plain=True), "a judge")
    assert scores["status"].tolist() == ["judge failed", "wrong", "correct"] + 3 * ["no answer"]
    assert pd.isna(scores["correct"][0])
    assert scores["asked"].tolist() == [2, 1, 1, 0, 0, 0]
    assert scores["reasoning"].tolist() == ["no verdict", "", "equal", "", "", ""]
    assert set(scores["judge"]) == {"a judge"}
    assert len(prompts) == 4
    assert "could not be read" in prompts[3].messages[0].content
    assert {one.decoding for one in prompts} == {DECODING}
    assert all(one.plain and one.name.startswith("judge/") for one in prompts)
    assert len({one.name for one in prompts}) == 4
