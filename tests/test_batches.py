"""Prompts handed in as files get the answers that they would get one by one, and are paid once."""

import inspect
import itertools
import json
import multiprocessing
import os
import random
import re
import signal
import time

import pytest
from batch_server import Fate, batch_server
from endpoint_run import PRICES, asks, charged, charges, entry, log, run
from quiet import Quiet

from tabbench.config.model_entry import parse_model
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines import batches
from tabbench.inference.engines.base import Decoding, Message, TextRequest
from tabbench.inference.engines.batch_calls import BatchCalls
from tabbench.inference.engines.batch_records import Record
from tabbench.inference.engines.exchange import Connection
from tabbench.inference.engines.meter import Meter
from tabbench.inference.engines.openai import OpenAIEngine
from tabbench.inference.failures import read_failures
from tabbench.inference.infer import Counts, infer
from tabbench.inference.models import identity
from tabbench.inference.responses import ResponseLog
from tabbench.inference.texts import text_asker

LIMITS = {"timeout": 10, "backoff": 0.005, "poll_seconds": 0.02, "retries": 3}
SHORT = {"timeout": 2}
"""Where a batch is looked for that was never made: for so long it may be on its way."""
HALF = PRICES | {"batch": 0.5}
FORK = multiprocessing.get_context("fork")


def batched(folder, server, asked=None, limits=None, **changes):
    """A run with batches."""
    changes = {"prices": HALF, "batch": True} | changes
    return run(folder, server, asked, limits=LIMITS | (limits or {}), **changes)


def answers(folder):
    """All answers without their seconds, which are measured anew."""
    records = map(json.loads, (folder / "k0.jsonl").read_text().splitlines())
    return {record.pop("key"): record | {"seconds": 0} for record in records}


def left(folder):
    """Files of batches that are left, but for the lock."""
    return [one.name for one in (folder / "model/batches").glob("*.*") if one.name != ".lock"]


def settled_as_billed(folder, server):
    assert not [line for line in charges(folder) if line["state"] == "sent"]
    assert charged(folder) == server.billed


def test_answers_are_those_of_prompts_asked_one_by_one_at_half_the_price(tmp_path):
    plain, handed = tmp_path / "plain", tmp_path / "handed"
    with batch_server() as server:
        run(plain, server, prices=HALF)
        whole = list(server.billed)
        server.billed[:] = [0, 0]
        assert batched(handed, server) == Counts(24, 0, 24)
        assert server.billed == whole
        assert answers(handed) == answers(plain)
        costs = [[float(line["cost"]) for line in charges(one)] for one in (plain, handed)]
        assert server.sizes == [24]
        probed = sum(costs[1][:2])  # the two prompts of the probe are asked one by one
        assert sum(costs[1][2:]) == pytest.approx((sum(costs[0]) - probed) / 2)
        settled_as_billed(handed, server)
        assert left(handed) == []


def test_switching_batches_on_or_off_asks_nothing_twice(tmp_path):
    with batch_server() as server:
        batched(tmp_path, server, asks(12))
        assert run(tmp_path, server, asks(12)) == Counts(24, 24, 0)
        assert run(tmp_path, server, asks(20)) == Counts(40, 24, 16)
        assert batched(tmp_path, server, asks(20)) == Counts(40, 40, 0)
        assert server.times_billed == {2}  # each prompt is asked in both modes


def shuffled(lines):
    return random.Random(1).sample(lines, len(lines))


def hostile(lines):
    """Out of order, doubled, with lines that are none and lines of nobody."""
    odd = [b"", b"{", b"[]", b"null", b'{"custom_id": 7}', b"\xff\xfe", b'{"custom_id": "nobody"}']
    return shuffled(lines + lines[:5] + odd)


def lacking(lines):
    return lines[3:]


def test_lines_out_of_order_doubled_or_of_nobody_change_nothing(tmp_path):
    with batch_server() as server:
        server.fate = lambda _: Fate(output=hostile)
        assert batched(tmp_path, server) == Counts(24, 0, 24)
        assert server.sizes == [24]
        settled_as_billed(tmp_path, server)


def late(text):
    return (503, {"error": {"message": "overloaded"}}) if "x = 3." in text else None


@pytest.mark.parametrize(
    ("first", "again", "billed"),
    [
        (Fate(output=lacking), 3, {1, 2}),  # it bills what it does not hand over
        (Fate("expired", run=0.5), 6, {1}),
        (Fate("cancelled", run=0.25, says_rest=False), 9, {1}),
        (Fate("expired", run=0.0), 12, {1}),
        (Fate(reply=late), 1, {1}),
        (Fate(output=lambda lines: [lines[0][:-9], *lines[1:]]), 1, {1, 2}),
    ],
)
def test_what_a_batch_lacks_is_handed_in_again(tmp_path, first, again, billed):
    with batch_server() as server:
        server.fate = lambda number: Fate() if number else first
        assert batched(tmp_path, server, asks(12, ["forward"])) == Counts(12, 0, 12)
        assert server.sizes == [12, again]
        assert server.times_billed == billed
        assert not [line for line in charges(tmp_path) if line["state"] == "sent"]
        assert all(a >= b for a, b in zip(charged(tmp_path), server.billed, strict=True))
        if billed == {1}:
            assert charged(tmp_path) == server.billed
        assert left(tmp_path) == []


def test_what_stays_away_is_a_failure_after_the_retries(tmp_path):
    with batch_server() as server:
        server.fate = lambda _: Fate(output=lambda _: [])
        with pytest.raises(TabBenchError, match=r"12 of 12 prompts have no response.*no line for"):
            batched(tmp_path, server, asks(12, ["forward"]))
        assert server.sizes == [12] * 4
        assert {one.failure.kind for one in read_failures(tmp_path / "k0.jsonl").values()} == {
            "no_line"
        }


def test_replies_are_read_as_those_of_prompts_asked_one_by_one(tmp_path):
    def reply(text):
        said = {
            "x = 0.": (
                400,
                {"error": {"message": "maximum context length is 10 tokens, exceeded"}},
            ),
            "x = 1.": (400, {"error": {"message": "top_k is not supported"}}),
            "x = 2.": (200, {"model": "faulty-1", "choices": [], "usage": {}}),
            "x = 3.": (200, {"model": "other"}),
        }
        return next((value for part, value in said.items() if part in text), None)

    with batch_server() as server:
        server.fate = lambda _: Fate(reply=reply)
        counts = batched(tmp_path, server, asks(12, ["forward"]), tolerated=0.5)
        assert counts == Counts(12, 0, 8, 3, 1)
        kinds = sorted(one.failure.kind for one in read_failures(tmp_path / "k0.jsonl").values())
        assert kinds == ["http_400", "no_usage", "no_usage", "too_long"]


@pytest.mark.parametrize("call", ["upload", "look", "content"])
@pytest.mark.parametrize("fault", ["500", "429", "lost", "lost before", "half"])
def test_calls_that_fail_are_made_again(tmp_path, call, fault):
    with batch_server() as server:
        server.faulty = lambda one, time_: fault if one == call and time_ < 3 else ""
        assert batched(tmp_path, server) == Counts(24, 0, 24)
        assert server.sizes == [24]
        settled_as_billed(tmp_path, server)


@pytest.mark.parametrize("keeps_metadata", [True, False])
@pytest.mark.parametrize(
    ("fault", "made"), [("lost", 1), ("half", 1), ("lost before", 1), ("500", 1), ("429", 1)]
)
def test_a_batch_is_never_made_twice(tmp_path, fault, made, keeps_metadata):
    with batch_server() as server:
        server.keeps_metadata = keeps_metadata
        server.faulty = lambda one, time_: fault if one == "make" and time_ == 1 else ""
        assert batched(tmp_path, server, limits=SHORT) == Counts(24, 0, 24)
        assert len(server.batches) == made
        settled_as_billed(tmp_path, server)


def test_an_endpoint_that_holds_too_much_gets_fewer_at_a_time(tmp_path):
    with batch_server() as server:
        full = [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]
        server.fate = lambda _: Fate("failed", 1, why=full) if server.sizes[-1] > 4 else Fate()
        assert batched(tmp_path, server, asks(12, ["forward"])) == Counts(12, 0, 12)
        assert server.sizes[:3] == [12, 6, 3]
        assert server.times_billed == {1}
        settled_as_billed(tmp_path, server)


def test_an_endpoint_that_refuses_a_batch_for_now_gets_it_later(tmp_path):
    with batch_server() as server:
        server.faulty = lambda call, time_: "full" if call == "make" and time_ == 2 else ""
        server.fate = lambda _: Fate(looks=5)
        free_texts(tmp_path, server, 12)
        assert server.sizes == [6, 6]
        assert server.batches["batch_0"].looks >= 5
        settled_as_billed(tmp_path, server)


def test_a_batch_that_is_refused_ends_the_run_and_costs_nothing(tmp_path):
    with batch_server() as server:
        server.fate = lambda _: Fate("failed", why=[{"code": "model_not_found", "message": "gone"}])
        with pytest.raises(TabBenchError, match="model_not_found gone"):
            batched(tmp_path, server)
        assert not [line for line in charges(tmp_path) if line["state"] == "sent"]
        assert left(tmp_path) == []


def test_an_endpoint_without_batches_says_so(tmp_path):
    with batch_server() as server:
        server.faulty = lambda call, _: "404" if call == "upload" else ""
        with pytest.raises(TabBenchError, match=r"does not know this address.*set batch to false"):
            batched(tmp_path, server)
        assert left(tmp_path) == []


def test_the_budget_counts_what_is_handed_in_and_cuts_batches_to_what_it_holds(tmp_path):
    with batch_server() as server:
        # A prompt may cost 0.14 at half the price, and costs 0.004; the probe about 0.05.
        counts = batched(tmp_path, server, asks(12, ["forward"]), limits={"budget": 0.6})
        assert counts == Counts(12, 0, 12)
        assert len(server.sizes) > 1
        assert sum(server.sizes) == 12
        settled_as_billed(tmp_path, server)
    other = tmp_path / "other"
    with batch_server() as server:
        with pytest.raises(TabBenchError, match=r"budget of 0\.1 USD is spent"):
            batched(other, server, asks(12, ["forward"]), limits={"budget": 0.1})
        assert server.sizes == []


def free_texts(folder, server, count, **changes):
    changes = {"prices": HALF, "batch": True} | changes
    model = parse_model("faulty", entry(server.url, limits=LIMITS, **changes))
    ask = text_asker(
        identity(model), folder / "k0.jsonl", lambda: OpenAIEngine(model, folder / "model")
    )
    return ask(
        [
            TextRequest(
                f"text/{one}", (Message("user", f"Say {one}."),), Decoding(9), plain=one % 2 == 0
            )
            for one in range(count)
        ]
    )


def test_free_texts_are_handed_in_and_a_single_one_is_asked(tmp_path, capsys):
    with batch_server() as server:
        one = free_texts(tmp_path, server, 1)
        assert server.sizes == []
        server.fate = lambda _: Fate(looks=5)
        many = free_texts(tmp_path, server, 9)
        assert sorted(server.sizes) == [4, 4]  # with and without the chat template
        assert many[0] == one[0]
        said = capsys.readouterr().out
        assert re.search(r"at the endpoint: \d of [48] requests done after 0 h 00 min", said)
        plain = free_texts(tmp_path / "plain", server, 9, batch=False)
        assert [text.text for text in many] == [text.text for text in plain]


def several(folder, server, sizes, **limits):
    """A run of several logs, whose later ones may be handed in ahead."""
    changes = {"limits": LIMITS | limits, "batch": True, "prices": HALF}
    model = parse_model("faulty", entry(server.url, **changes))
    every, ends = asks(sum(sizes), ["forward"]), [sum(sizes[:n]) for n in range(len(sizes) + 1)]
    logs = [
        (folder / f"{number}.jsonl", every[start:end])
        for number, (start, end) in enumerate(itertools.pairwise(ends))
    ]
    engine = lambda: OpenAIEngine(model, folder / "model")  # noqa: E731
    return infer(logs, identity(model), engine, Quiet(), ahead=logs)


def test_later_datasets_are_handed_in_while_the_first_is_waited_for(tmp_path):
    with batch_server() as server:
        server.fate = lambda number: Fate(looks=2 if number else 12)
        assert several(tmp_path, server, (4, 9, 6)) == Counts(19, 0, 19)
        assert server.sizes == [4, 9, 6]
        assert server.ended == ["batch_1", "batch_2", "batch_0"]
        settled_as_billed(tmp_path, server)
        assert left(tmp_path) == []


def test_what_was_to_be_handed_in_ahead_and_is_answered_is_not_handed_in_again(tmp_path):
    with batch_server() as server:
        # At most 0.08 a prompt: not all of the later ones can be handed in at once.
        server.fate = lambda number: Fate(looks=9 if number == 0 else 2)
        assert several(tmp_path, server, (4, 9, 6, 5), budget=1.0) == Counts(24, 0, 24)
        assert len(server.sizes) > 4
        assert server.times_billed == {1}
        settled_as_billed(tmp_path, server)


def test_a_batch_of_an_earlier_run_is_found_though_other_prompts_are_asked_now(tmp_path):
    with batch_server() as server:
        server.fate = lambda _: Fate(looks=10**9)
        kill(tmp_path, server, lambda: server.calls["look"] > 3)
        server.fate = lambda _: Fate()
        for made in server.batches.values():
            made.fate = Fate()
        assert batched(tmp_path, server, asks(20, ["forward"])) == Counts(20, 0, 20)
        assert server.sizes == [12, 8]
        assert server.times_billed == {1}
        settled_as_billed(tmp_path, server)


def start(folder, server, prepare=lambda: None):
    """Start a run in a fork that may be killed; its exit code is 3 where it ends with an error."""

    def job():
        prepare()
        try:
            batched(folder, server, asks(12, ["forward"]), SHORT)
        except TabBenchError as error:
            print(error, flush=True)
            os._exit(3)
        os._exit(0)

    process = FORK.Process(target=job)
    process.start()
    return process


def kill(folder, server, when):
    """Kill a run at some moment; whether it was still at work."""
    process = start(folder, server)
    while process.is_alive() and not when():
        time.sleep(0.002)
    process.kill()
    process.join()
    return process.exitcode == -9


def killer(owner, name, before=False, time_=1):
    """Make a process kill itself before or after some call of a function."""
    kept, calls = getattr(owner, name), []

    def dying():
        calls.append(1)
        if len(calls) == time_:
            os.kill(os.getpid(), signal.SIGKILL)

    async def later(*args, **kwargs):
        if before:
            dying()
        result = await kept(*args, **kwargs)
        if not before:
            dying()
        return result

    def now(*args, **kwargs):
        if before:
            dying()
        result = kept(*args, **kwargs)
        if not before:
            dying()
        return result

    return lambda: setattr(owner, name, later if inspect.iscoroutinefunction(kept) else now)


MOMENTS = {
    "requests are written": killer(batches, "write_requests"),
    "the batch is on record": killer(batches, "write_record"),
    "it is charged ahead": killer(Meter, "charge_batch"),
    "the file is handed over": killer(BatchCalls, "upload"),
    "it is about to be made": killer(Record, "note"),
    "it is made": killer(BatchCalls, "make"),
    "its name is on record": killer(Record, "note", time_=2),
    "it was looked at": killer(BatchCalls, "look"),
    "its answers come": killer(Connection, "download", before=True),
    "its answers are here": killer(BatchCalls, "fetch"),
    "it is settled": killer(Meter, "settle_batch"),
    "its end is on record": killer(Record, "note", time_=3),
    "answers are about to be logged": killer(ResponseLog, "append", before=True),
    "answers are logged": killer(ResponseLog, "append"),
    "it is to be forgotten": killer(Record, "forget", before=True),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_is_killed_pays_for_nothing_twice(tmp_path, moment):
    with batch_server() as server:
        process = start(tmp_path, server, MOMENTS[moment])
        process.join()
        assert process.exitcode == -9
        held = len(server.batches)
        before = (tmp_path / "k0.jsonl").read_bytes()
        batched(tmp_path, server, asks(12, ["forward"]), SHORT)
        assert (tmp_path / "k0.jsonl").read_bytes().startswith(before)
        assert len(log(tmp_path)) == len(set(log(tmp_path))) == 12
        assert server.times_billed == {1}
        assert server.sizes == [12]
        assert held in (0, 1)
        settled_as_billed(tmp_path, server)


@pytest.mark.slow
def test_kills_at_any_moment_pay_for_nothing_twice(tmp_path):
    draw = random.Random("batches")
    hits = campaigns = 0
    while hits < 12:
        folder = tmp_path / str(campaigns)
        campaigns += 1
        assert campaigns < 40, "the kills came too late to show anything"
        with batch_server() as server:
            server.fate = lambda number: Fate(looks=4) if number else Fate("expired", 4, 0.5)
            until = time.monotonic() + draw.uniform(0.02, 0.4)
            while kill(folder, server, lambda: time.monotonic() > until):  # noqa: B023
                hits += 1
                until = time.monotonic() + draw.uniform(0.02, 0.4)
            process = start(folder, server)
            process.join()
            assert process.exitcode == 0
            assert len(log(folder)) == len(set(log(folder))) == 12
            assert server.times_billed == {1}


def test_jobs_at_the_same_time_hand_nothing_in_twice(tmp_path):
    (tmp_path / "model").mkdir()
    with batch_server() as server:
        server.fate = lambda _: Fate(looks=8)
        folders = [tmp_path / str(number) for number in range(3)]
        for folder in folders:
            folder.mkdir()
            (folder / "model").symlink_to(tmp_path / "model")
        jobs = [start(folder, server) for folder in folders]
        for job in jobs:
            job.join()
        assert {job.exitcode for job in jobs} == {0}
        assert all(len(log(folder)) == 12 for folder in folders)
        assert not [line for line in charges(tmp_path) if line["state"] == "sent"]


def test_an_interrupted_run_says_that_its_batches_go_on(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(Quiet, "say", lambda _, text: said.append(text))
    monkeypatch.setattr(batches.time, "sleep", interrupt)
    with batch_server() as server, pytest.raises(KeyboardInterrupt):
        batched(tmp_path, server)
    assert said == [
        "batches go on at the endpoint (1 with 24 requests); the next run reads their answers, and "
        "nothing is paid for twice"
    ]


def interrupt(_seconds):
    raise KeyboardInterrupt


def test_a_silent_endpoint_ends_the_run_and_keeps_the_batch(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "SILENCE", 0.1)
    with batch_server() as server:
        server.faulty = lambda call, _: "500" if call == "look" else ""
        with pytest.raises(TabBenchError, match=r"batch batch_0 \(on record in .*http_500"):
            batched(tmp_path, server)
        server.faulty = lambda call, _: "404" if call == "look" else ""
        with pytest.raises(TabBenchError, match="24 prompts are then asked, and paid for, again"):
            batched(tmp_path, server)
        server.faulty = lambda _call, _time: ""
        assert batched(tmp_path, server) == Counts(24, 0, 24)
        assert server.sizes == [24]
        settled_as_billed(tmp_path, server)
