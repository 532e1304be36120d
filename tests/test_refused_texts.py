"""A free text that is too long or refused for good is an outcome of that text, not of the job."""

import pandas as pd
import pytest
from endpoint_run import entry
from fault_server import PROBE, fault_server, never

from tabbench.baselines.llm_written.ask import ask_queries
from tabbench.baselines.llm_written.queries import NO_EXAMPLES, Query
from tabbench.config.model_entry import parse_model
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import Decoding, Failure, Message, Text, TextRequest
from tabbench.inference.engines.openai import OpenAIEngine
from tabbench.inference.engines.transformers import TransformersEngine
from tabbench.inference.failures import read_failures
from tabbench.inference.models import identity
from tabbench.inference.texts import LastingError, text_asker, write_one
from tabbench.sandbox.model_code import UnusableAnswerError
from tabbench.scitarc.answers import read_answers
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.judge import judge_by_matcher
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.responses import ask_conditions
from tabbench.scitarc.scores import accuracies, judged
from tabbench.scitarc.tables.leaderboard import found_answers, table2
from tabbench.scitarc.verdicts import judge_by_model, score_answers
from tabbench.synthetic.dialogue import Topic, hold_until_usable

REFUSED = (3, 8, 15)
SHORT = Decoding(6)


def requests(count=20):
    return [TextRequest(f"text/{n}", (Message("user", f"Say {n}."),), SHORT) for n in range(count)]


def some(text, _time):
    return any(f"Say {n}." in text for n in REFUSED)


def asker(folder, server):
    model = parse_model("faulty", entry(server.url, limits={"retries": 1}))
    return text_asker(
        identity(model), folder / "log.jsonl", lambda: OpenAIEngine(model, folder / "model")
    )


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [("content_filter", "refused"), ("http_400", "refused"), ("too_long", "too_long")],
)
def test_three_of_twenty_texts_are_refused_and_the_others_given(tmp_path, fault, outcome):
    with fault_server(fault, some) as server:
        found = asker(tmp_path, server)(requests())
        refused = {n: one.outcome for n, one in enumerate(found) if isinstance(one, Failure)}
        assert refused == dict.fromkeys(REFUSED, outcome)
        assert len(read_failures(tmp_path / "log.jsonl")) == 3
        # Again: only those are sent, and once they are taken they are texts like the others.
        before = len(server.bodies)
        server.fails = never
        again = asker(tmp_path, server)(requests())
        assert len(server.bodies) == before + 3
    assert all(isinstance(one, Text) for one in again)
    assert [one for n, one in enumerate(again) if n not in REFUSED] == [
        one for one in found if isinstance(one, Text)
    ]


def test_failures_of_an_earlier_turn_stay_recorded(tmp_path):
    with fault_server("content_filter", some) as server:
        ask = asker(tmp_path, server)
        ask(requests(10))
        ask(requests(20)[10:])
    assert len(read_failures(tmp_path / "log.jsonl")) == 3


@pytest.mark.parametrize("fault", ["wrong_key", "http_404", "quota"])
def test_what_is_about_the_account_or_the_model_still_ends_the_job(tmp_path, fault):
    with fault_server(fault, some) as server, pytest.raises(TabBenchError, match="HTTP 4"):
        asker(tmp_path, server)(requests())


def test_what_passes_ends_the_job_and_says_so(tmp_path):
    with (
        fault_server("http_500", some) as server,
        pytest.raises(TabBenchError, match=r"3 texts are missing.*http_500.*run again"),
    ):
        asker(tmp_path, server)(requests())


def test_an_endpoint_that_takes_no_request_at_all_is_an_error(tmp_path):
    with (
        fault_server("http_400", lambda text, _time: PROBE not in text) as server,
        pytest.raises(TabBenchError, match="accepts none of the requests"),
    ):
        asker(tmp_path, server)(requests(5))


def test_all_texts_too_long_is_no_error(tmp_path, tiny_model):
    engine = TransformersEngine(tiny_model, style="chat", context_length=10)
    ask = text_asker(
        identity(parse_model("faulty", entry("http://127.0.0.1:1/v1"))),
        tmp_path / "log.jsonl",
        lambda: engine,
    )
    assert {one.outcome for one in ask(requests(4))} == {"too_long"}
    with pytest.raises(LastingError, match="text/0: too_long"):
        write_one(engine, requests(1)[0])


# SciTaRC ---------------------------------------------------------------------------------------

QUESTIONS = [
    Question(row, "p", f"What is {row}?", "7", "SELECT x\nRETURN x", ("table\n",))
    for row in range(6)
]
FILTERED = Failure("content_filter", "the endpoint refuses to answer this prompt")
LONG = Failure("too_long", "the prompt has 9 tokens")


def ask_some(requests):
    """Row 0 is too long and row 1 refused, in either stage."""
    outcomes = []
    for request in requests:
        text = request.messages[-1].content
        if "What is 0?" in text:
            outcomes.append(LONG)
        elif "What is 1?" in text:
            outcomes.append(FILTERED)
        else:
            outcomes.append(Text("Answer: 7", 10, 3, 0.1, True))
    return outcomes


def scored(conditions):
    frame = ask_conditions(QUESTIONS, {"language": ()}, conditions, ask_some, SHORT, False)
    answers = read_answers(frame.assign(model="a"), "process")
    return frame, score_answers(answers, QUESTIONS, judge_by_matcher, "matcher")


def test_a_question_without_a_response_is_counted_and_in_no_accuracy():
    frame, scores = scored([Condition("none", "language"), Condition("self", "language")])
    assert len(frame) == 2 * len(QUESTIONS)
    assert frame.groupby("plan_mode")["failure"].value_counts().to_dict() == {
        (mode, failure): count
        for mode in ("none", "self")
        for failure, count in (("", 4), ("too_long", 1), ("refused", 1))
    }
    (row,) = accuracies(scores[scores["plan_mode"] == "none"], ["model"]).to_dict("records")
    assert (row["n"], row["n_too_long"], row["n_refused"]) == (4, 1, 1)
    assert (row["n_judge_failed"], row["n_no_answer"]) == (0, 0)
    assert row["accuracy"] == 1.0
    assert row["accuracy_unanswered_wrong"] == pytest.approx(4 / 6)
    assert set(judged(scores)["row"]) == {2, 3, 4, 5}


def test_the_tables_show_them_where_there_are_any():
    _, scores = scored([Condition("none", "language")])
    cards = {"a": {"developer": "Us", "access": "open weights", "size": "1B"}}
    table = table2(scores, {"a": "A"}, cards)
    assert table.header[-3:] == ("Too long", "Refused", "Accuracy %, these wrong")
    assert table.rows[0][-3:] == ("1", "1", "66.7")
    assert any("neither is among n" in note for note in table.notes)
    listed = found_answers(scores, {"a": "A"}).rows[0]
    assert "too_long 1" in listed[-1]
    assert "refused 1" in listed[-1]
    whole = table2(scores[scores["row"] > 1], {"a": "A"}, cards)
    assert "Too long" not in whole.header


def test_a_verdict_that_is_refused_is_a_failed_one():
    answers = pd.DataFrame(
        {
            **{"model": "a", "plan_mode": "none", "execution": "language", "shots": 0, "seed": 0},
            **{"row": [2, 3], "prediction": ["7", "8"], "passage": None, "released": ["7", "8"]},
            **{"source": "line", "message": "", "response": "", "ended": True},
        }
    )

    def ask(requests):
        verdict = Text('{"reasoning": "same", "score": 1.0}', 1, 1, 0.1, True)
        return [
            FILTERED if "What is 3?" in one.messages[0].content else verdict for one in requests
        ]

    scores = score_answers(answers, QUESTIONS, judge_by_model(ask, False), "judge")
    assert scores["status"].tolist() == ["correct", "judge failed"]


# Other users of free texts -----------------------------------------------------------------------


def test_a_query_that_is_refused_is_a_failed_one_and_its_next_turn_is_not_asked():
    asked = []

    def ask(requests):
        asked.append([one.name for one in requests])
        return [
            FILTERED if "query2" in one.name else Text("words", 1, 1, 0.1, True) for one in requests
        ]

    queries = [Query("featllm", NO_EXAMPLES, number) for number in (1, 2, 3)]
    frame = ask_queries("toy", queries, lambda _: ["rules?", "code?"], ask, False)
    assert frame["failure"].tolist() == ["", "refused", ""]
    assert frame["code"].tolist() == ["words", "", "words"]
    assert [len(names) for names in asked] == [3, 2]


def test_a_dialogue_that_is_refused_is_an_attempt_that_failed(tmp_path):
    def chat(_messages, seed):
        if seed == 0:
            raise UnusableAnswerError("text: content_filter: refused")
        return "fine"

    topic = Topic("healthcare", "predict whether the patient has diabetes")
    place = hold_until_usable(topic, chat, 2, tmp_path, lambda _: None, "m", {})
    assert place.name == "seed1"
    with pytest.raises(TabBenchError, match="content_filter"):
        hold_until_usable(topic, chat, 1, tmp_path / "once", lambda _: None, "m", {})
