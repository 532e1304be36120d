"""The openai engine against an endpoint that fails in every way, and its parts alone."""

import asyncio
import json
import time
from dataclasses import replace

import pytest
from endpoint_run import PRICES, asks, charges, entry, log, run
from fault_server import FAULTS, PROBE, always, fault_server, first_time, never
from quiet import Quiet

from tabbench.config.model_entry import parse_model
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import (
    Decoding,
    Generation,
    LabelScore,
    Message,
    Text,
    TextRequest,
)
from tabbench.inference.engines.meter import Meter
from tabbench.inference.engines.openai import OpenAIEngine
from tabbench.inference.engines.replies import Tokens
from tabbench.inference.engines.spending import Spending
from tabbench.inference.failures import failures_path, read_failures
from tabbench.inference.infer import Counts, infer
from tabbench.inference.models import identity
from tabbench.inference.responses import read_responses, text_key
from tabbench.inference.texts import text_asker, write_one
from tabbench.scoring.predict import predict

PASSING = [
    "rate_limit",
    "rate_limit_date",
    "http_500",
    "http_503",
    "connection",
    "malformed_json",
    "no_logprobs",
    "no_choice",
    "no_usage",
    "timeout",
]
LASTING = [*PASSING, "wrong_model", "content_filter", "http_400"]
KINDS = {"rate_limit_date": "rate_limit"}


@pytest.mark.parametrize("fault", [*PASSING, "two_choices"])
def test_what_passes_is_tried_again_and_each_prompt_has_one_answer(tmp_path, fault):
    with fault_server(fault, first_time) as server:
        counts = run(tmp_path, server, limits={"timeout": 0.2 if fault == "timeout" else 5})
        assert counts == Counts(24, 0, 24)
        assert len(log(tmp_path)) == len(set(log(tmp_path))) == 24
        assert not failures_path(tmp_path / "k0.jsonl").exists()
        asked = sum(server.asked.values())
        assert run(tmp_path, server) == Counts(24, 24, 0)
        assert sum(server.asked.values()) == asked, "an answered prompt was asked again"


@pytest.mark.parametrize("fault", LASTING)
def test_what_stays_is_recorded_and_only_that_is_asked_again(tmp_path, fault):
    kind = KINDS.get(fault, fault)

    def some_fail(text, time):
        return always(text, time) and any(f"x = {row}." in text for row in (3, 5))

    limits = {"timeout": 0.2 if fault == "timeout" else 5, "retries": 2}
    asked = asks(modes=["forward"])
    with fault_server(fault, some_fail) as server:
        with pytest.raises(TabBenchError, match=rf"2 of 12 prompts have no response.*{kind}"):
            run(tmp_path, server, asked, limits=limits)
        failed = read_failures(tmp_path / "k0.jsonl")
        assert {one.failure.kind for one in failed.values()} == {kind}
        assert len(log(tmp_path)) == 10
        assert not failed.keys() & set(log(tmp_path))
        before = server.answered.copy()
        server.fails = never
        assert run(tmp_path, server, asked, limits=limits) == Counts(12, 10, 2)
        again = server.answered - before
        assert sorted(again.values()) == [1, 1]
        assert read_failures(tmp_path / "k0.jsonl") == {}
        assert len(set(log(tmp_path))) == len(log(tmp_path)) == 12


def test_tolerated_errors_are_counted_and_have_no_label(tmp_path):
    def one_fails(text, _time):
        return "x = 3." in text

    asked = asks(modes=["forward"])
    with fault_server("content_filter", one_fails) as server:
        assert run(tmp_path, server, asked, tolerated=0.1) == Counts(12, 0, 11, 1)
        model = parse_model("faulty", entry(server.url))
    path = tmp_path / "k0.jsonl"
    (frame,) = predict([asked], identity(model), read_responses(path), read_failures(path), "Ask.")
    (row,) = frame[frame["status"] == "error"].to_dict("records")
    assert row["row_id"] == 3
    assert frame["y_pred"].isna().sum() == frame["p_1"].isna().sum() == 1
    assert frame["engine"].unique().tolist() == ["openai (test)"]


def test_a_dead_endpoint_ends_the_run_early(tmp_path):
    with fault_server("http_500", always) as server:
        with pytest.raises(TabBenchError, match=r"50 requests in a row failed.*http_500"):
            run(tmp_path, server, asks(200), limits={"retries": 0})
        assert sum(server.asked.values()) < 60


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("wrong_key", "does not accept the API key$"),
        ("quota", "quota is used up"),
        ("long_wait", "asks to wait 86,400 s"),
    ],
)
def test_what_no_prompt_can_pass_stops_at_once(tmp_path, fault, message):
    with fault_server(fault, always) as server:
        with pytest.raises(TabBenchError, match=message):
            run(tmp_path, server)
        assert sum(server.asked.values()) <= 2 + 4


def test_the_budget_stops_and_a_larger_one_goes_on(tmp_path):
    with fault_server() as server:
        with pytest.raises(
            TabBenchError, match=r"budget of 0\.25 USD is spent.*raise limits"
        ) as at:
            run(tmp_path, server, limits={"budget": 0.25, "in_flight": 2}, prices=PRICES)
        assert "dataset" not in str(at.value)
        some = len(log(tmp_path))
        assert 0 < some < 24
        # Two probes and each answer: 7 or more tokens, a thousandth of a dollar each.
        lines = charges(tmp_path)
        assert len(lines) == some + 2
        assert {line["state"] for line in lines} == {"counted"}
        spent = sum(float(line["cost"]) for line in lines)
        # What is left does not hold the most that one more request may cost.
        assert 0.25 - 0.15 < spent <= 0.25
        # The limit holds over runs: nothing more is asked.
        asked = sum(server.asked.values())
        with pytest.raises(TabBenchError, match="is spent"):
            run(tmp_path, server, limits={"budget": 0.25}, prices=PRICES)
        assert sum(server.asked.values()) == asked
        counts = run(tmp_path, server, limits={"budget": 9}, prices=PRICES)
        assert counts == Counts(24, some, 24 - some)
        assert sum(server.asked.values()) == 24 + 2


def test_a_reply_that_is_no_answer_costs_money_and_is_asked_for_three_times(tmp_path):
    with fault_server("no_choice", always) as server:
        model = parse_model("faulty", entry(server.url, limits={"retries": 9}, prices=PRICES))
        asking = OpenAIEngine(model, tmp_path / "model")
        with pytest.raises(TabBenchError, match="1 of 1 prompts have no response"):
            infer(
                [(tmp_path / "k0.jsonl", asks(1, ["forward"]))],
                identity(model),
                lambda: asking,
                Quiet(),
            )
        assert sum(server.asked.values()) == 2 + 3
    lines = charges(tmp_path)
    assert len(lines) == 2 + 3
    assert asking.usage.cost == pytest.approx(sum(float(line["cost"]) for line in lines))
    assert asking.usage.estimated_cost == 0
    assert asking.usage.prompt_tokens == sum(int(line["prompt_tokens"]) for line in lines)


def test_a_budget_that_is_spent_to_the_cent_is_spent(tmp_path):
    spending = Spending(tmp_path / "model/spending.csv")
    spending.settle(spending.charge_ahead(Tokens(9), 0.9, 1.0), "counted", Tokens(1), 0.5)
    with fault_server() as server:
        with pytest.raises(TabBenchError, match=r"budget of 0\.5 USD is spent"):
            run(tmp_path, server, limits={"budget": 0.5}, prices=PRICES)
        assert not server.asked


def test_only_failures_in_a_row_end_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr("tabbench.inference.engines.openai.FAILURES_IN_A_ROW", 5)
    limits = {"retries": 0, "in_flight": 1}
    asked = asks(14, ["forward"])

    def most_fail(text, time):
        return always(text, time) and not any(f"x = {row}. " in text for row in (4, 9))

    for fails, requests, message in (
        (most_fail, 14, "12 of 14 prompts have no response"),
        (always, 5, "5 requests in a row failed"),
    ):
        with fault_server("http_500", fails) as server:
            with pytest.raises(TabBenchError, match=message):
                run(tmp_path / fails.__name__, server, asked, limits=limits)
            assert sum(server.asked.values()) == 2 + requests


def test_an_interrupted_run_keeps_what_came_and_asks_the_rest(tmp_path):
    class Dies(Quiet):
        def asked(self, _outcomes, _usage):
            raise KeyboardInterrupt

    with fault_server() as server:
        model = parse_model("faulty", entry(server.url))
        with pytest.raises(KeyboardInterrupt):
            infer(
                [(tmp_path / "k0.jsonl", asks())],
                identity(model),
                lambda: OpenAIEngine(model, tmp_path / "model"),
                Dies(),
            )
        kept = len(log(tmp_path))
        assert kept > 0
        assert run(tmp_path, server) == Counts(24, kept, 24 - kept)


def test_equal_prompts_are_asked_once(tmp_path):
    with fault_server() as server:
        assert run(tmp_path, server, asks() + asks()) == Counts(24, 0, 24)
        assert sum(server.asked.values()) == 24 + 2


def test_as_many_are_in_flight_as_allowed(tmp_path):
    with fault_server() as server:
        server.delay = 0.05
        run(tmp_path, server, limits={"in_flight": 3})
        assert server.most_in_flight == 3


def test_all_requests_wait_when_the_server_asks_one_to_wait(tmp_path, monkeypatch):
    wait = {"Retry-After": "0.4"}
    monkeypatch.setitem(FAULTS, "rate_limit", lambda handler, _: handler.refuse(429, wait))

    def first_row(text, time):
        return first_time(text, time) and "x = 0." in text

    with fault_server("rate_limit", first_row) as server:
        run(tmp_path, server, asks(12, ["forward"]), limits={"in_flight": 2})
        rows = [body["prompt"].split("x = ")[1].split(".")[0] for body in server.bodies[2:]]
    assert rows.count("0") == 2
    assert rows.index("0", rows.index("0") + 1) < 8  # else all others would be answered by then


def test_rates_are_kept_over_jobs(tmp_path, monkeypatch):
    monkeypatch.setattr("tabbench.inference.engines.pace.MINUTE", 1.0)
    times = []
    with fault_server(fails=lambda *_: times.append(time.monotonic()) or False) as server:
        for job in range(2):
            limits = {"requests_per_minute": 20, "in_flight": 16}
            asked = [one for one in asks(12) if one.row_id % 2 == job]
            run(tmp_path, server, asked, limits=limits)
    assert len(times) == 2 + 24
    assert all(later - first > 0.9 for first, later in zip(times, times[20:], strict=False))


def test_the_tokens_of_a_reply_count_towards_the_rate(tmp_path, monkeypatch):
    model = parse_model("faulty", entry("http://x/v1", limits={"tokens_per_minute": 6000}))
    meter = Meter(model, tmp_path / "model")

    class WaitsError(Exception):
        pass

    async def sleep(_):
        raise WaitsError

    def send(completion):
        return asyncio.run(meter.charge_ahead(Tokens(400, 0, completion), asyncio.Lock()))

    monkeypatch.setattr(asyncio, "sleep", sleep)
    meter.count(send(100), {"usage": {"prompt_tokens": 200, "completion_tokens": 700}})
    # A fifth of the rate, 1,200 tokens, may be used at once: 900 are, 200 more are expected.
    with pytest.raises(WaitsError):
        send(101)
    send(100)


def test_the_key_is_sent_and_written_nowhere(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TOY_KEY", "secret-7")
    said = {"message": "no such thing for secret-7"}
    monkeypatch.setitem(FAULTS, "http_400", lambda handler, _: handler.refuse(400, **said))
    with fault_server("http_400", always) as server:
        endpoint = {"url": server.url, "api_key_env": "TOY_KEY"}
        with pytest.raises(TabBenchError) as error:
            run(tmp_path, server, endpoint=endpoint)
        assert server.keys == {"Bearer secret-7"}
        monkeypatch.delenv("TOY_KEY")
        with pytest.raises(TabBenchError, match="set the environment variable TOY_KEY"):
            run(tmp_path, server, endpoint=endpoint)
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 2
    assert "no such thing for ***" in str(error.value)
    assert "secret-7" not in str(error.value) + "".join(written) + "".join(capsys.readouterr())


def test_both_styles_send_what_they_should(tmp_path):
    with fault_server() as server:
        run(tmp_path / "a", server, asks(1, ["generation"]))
        body = server.bodies[-1]
        assert body["prompt"] == "System.\n\nTask. x = 0. Answer is "
        assert (body["max_tokens"], body["temperature"], body["stop"]) == (4, 0, ["\n"])
        assert body["logprobs"] == 20
        args = {"enable_thinking": False}
        asked = asks(1, ["forward"])
        run(tmp_path / "b", server, asked, style="chat", template_args=args, request={"x": 1})
        body = server.bodies[-1]
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert body["messages"][1]["content"] == "Task. x = 0. Answer is"
        assert (body["logprobs"], body["top_logprobs"], body["max_tokens"]) == (True, 20, 1)
        assert body["chat_template_kwargs"] == args
        assert body["x"] == 1
        assert "stop" not in body


def test_answers_are_what_the_endpoint_says(tmp_path):
    with fault_server() as server:
        run(tmp_path, server)
    answers = [response.answer for response in read_responses(tmp_path / "k0.jsonl").values()]
    assert {type(answer) for answer in answers} == {LabelScore, Generation}
    for answer in answers:
        if isinstance(answer, LabelScore):
            assert sorted((answer.logp_0, answer.logp_1)) == [-1.75, -0.25]
        else:
            assert answer.label_logps[0][int(answer.text)] == -0.25
        assert answer.bounded == ()
        assert answer.prompt_tokens == 7
        assert answer.seconds > 0


# The probe


def engine(folder, server, **changes):
    return OpenAIEngine(parse_model("faulty", entry(server.url, **changes)), folder)


def test_a_probe_is_made_once_and_kept(tmp_path):
    with fault_server() as server:
        found = engine(tmp_path, server).capabilities()
        assert found.logprobs
        assert found.single_token_labels
        assert not found.thinking
        assert found.context_length == 2048
        assert engine(tmp_path, server).capabilities() == found
        assert sum(server.asked.values()) == 2
        engine(tmp_path, server, template_args={"enable_thinking": False}).capabilities()
        assert sum(server.asked.values()) == 4
    stored = json.loads((tmp_path / "capabilities.json").read_text())
    assert stored["found"]["context_length"] == 2048


def test_without_logprobs_forward_is_refused_and_generation_keeps_labels(tmp_path):
    with fault_server("no_logprobs", lambda *_: True) as server:
        with pytest.raises(TabBenchError, match="no log-probabilities, which forward scoring"):
            run(tmp_path, server, asks(2))
        assert server.asked and all(PROBE in text for text in server.asked)
        asked = asks(6, ["generation"])
        assert run(tmp_path, server, asked) == Counts(6, 0, 6)
        model = parse_model("faulty", entry(server.url))
    responses = read_responses(tmp_path / "k0.jsonl")
    assert all(
        isinstance(one.answer, Generation) and one.answer.label_logps is None
        for one in responses.values()
    )
    (frame,) = predict([asked], identity(model), responses, {}, "Ask.")
    assert (frame["status"] == "label_only").all()
    assert frame["y_pred"].notna().all()
    assert frame["p_1"].isna().all()


@pytest.mark.parametrize("args", [{}, {"enable_thinking": False}])
def test_a_thinking_model_is_refused_before_the_first_prompt(tmp_path, args):
    with fault_server("thinking", lambda *_: True) as server:
        message = "ignores it" if args else "use generation mode alone"
        with pytest.raises(TabBenchError, match=f"thinks before it answers.*{message}"):
            run(tmp_path, server, template_args=args)
        assert server.asked and all(PROBE in text for text in server.asked)


def test_a_context_that_the_endpoint_does_not_have_is_refused(tmp_path):
    with (
        fault_server() as server,
        pytest.raises(TabBenchError, match="4096 in the entry, 2048 at the endpoint"),
    ):
        run(tmp_path, server, context_length=4096)


def test_a_server_that_does_not_run_is_named(tmp_path):
    with fault_server() as server:
        url = server.url
    with pytest.raises(TabBenchError, match=r"127\.0\.0\.1.*trivial prompt got no answer"):
        engine(tmp_path, type("Gone", (), {"url": url}), limits={"retries": 1}).capabilities()


def free_text(user, seed=0, **other):
    return TextRequest(f"text/{user}", (Message("user", user),), None, seed, **other)


def test_free_texts_are_tried_again_and_each_is_given_once(tmp_path):
    with fault_server("rate_limit", first_time) as server:
        asked = [free_text(f"Hello {number}", number) for number in range(9)]
        found = list(engine(tmp_path, server).write(asked))
        assert sorted(index for texts in found for index in texts) == list(range(9))
        assert all(isinstance(one, Text) for texts in found for one in texts.values())
        assert {body["seed"] for body in server.bodies} == set(range(9))


def test_a_text_that_cannot_be_had_is_asked_again_and_the_others_are_kept(tmp_path):
    with fault_server("wrong_model", lambda text, _: "Hello 3" in text) as server:
        asked = [free_text(f"Hello {number}") for number in range(5)]
        who = identity(parse_model("faulty", entry(server.url)))
        ask = text_asker(who, tmp_path / "log.jsonl", lambda: engine(tmp_path, server))
        with pytest.raises(TabBenchError, match=r"1 texts are missing.*text/Hello 3: wrong_model"):
            ask(asked)
        (failed,) = read_failures(tmp_path / "log.jsonl").values()
        assert failed.failure.kind == "wrong_model"
        assert failed.key == text_key(who, asked[3])
        before = len(server.bodies)
        assert len(ask([one for one in asked if "3" not in one.name])) == 4
        assert len(server.bodies) == before
        server.fails = never
        assert len(ask(asked)) == 5
        assert len(server.bodies) == before + 1
        assert read_failures(tmp_path / "log.jsonl") == {}


def test_decoding_of_a_text_reaches_the_endpoint(tmp_path):
    with fault_server() as server:
        decoding = Decoding(7, 0.1, 0.95, 1.05, ("\n",))
        request = replace(free_text("Hello", 3, plain=True), decoding=decoding)
        write_one(engine(tmp_path, server), request)
        body = server.bodies[-1]
        assert body["prompt"] == "Hello"
        assert {name: body[name] for name in ("max_tokens", "temperature", "top_p", "seed")} == {
            "max_tokens": 7,
            "temperature": 0.1,
            "top_p": 0.95,
            "seed": 3,
        }
        assert (body["repetition_penalty"], body["stop"]) == (1.05, ["\n"])


def test_a_field_that_the_server_refuses_is_left_out(tmp_path):
    with fault_server() as server:
        decoding = Decoding(7, 0.1, 0.95, 1.05)
        request = replace(free_text("Hello", 3), decoding=decoding)
        refused = {"max_tokens": None, "repetition_penalty": None, "max_completion_tokens": 9}
        write_one(engine(tmp_path, server, request=refused), request)
        body = server.bodies[-1]
        assert not {"max_tokens", "repetition_penalty"} & set(body)
        assert (body["max_completion_tokens"], body["temperature"]) == (9, 0.1)
