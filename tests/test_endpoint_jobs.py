"""Jobs at one endpoint: killed, at the same time, and through a storm of errors.

The jobs are forks, which start at once; the server is this process.
"""

import multiprocessing
import os
import signal
import time

import pytest
from endpoint_run import PRICES, asks, charged, charges, entry, last_charges, log, run
from fault_server import PROBE, always, fault_server, never

from tabbench.config.model_entry import parse_model
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines import retrying
from tabbench.inference.engines.base import Message, TextRequest
from tabbench.inference.engines.openai import OpenAIEngine
from tabbench.inference.failures import read_failures
from tabbench.inference.infer import Counts
from tabbench.inference.models import identity
from tabbench.inference.texts import text_asker

FORK = multiprocessing.get_context("fork")
IN_FLIGHT = 8


def start(work):
    """Start a job that does ``work``; its exit code is 3 where that ends with a user's error."""

    def job():
        try:
            work()
        except TabBenchError:
            os._exit(3)
        os._exit(0)

    process = FORK.Process(target=job)
    process.start()
    return process


def rows(folder, server, count=40, **limits):
    limits = {"in_flight": IN_FLIGHT} | limits
    return lambda: run(folder, server, asks(count, ["forward"]), limits=limits, prices=PRICES)


def texts(folder, server, count=40):
    limits = {"in_flight": IN_FLIGHT}
    model = parse_model("faulty", entry(server.url, limits=limits, prices=PRICES))
    asked = [
        TextRequest(f"text/{number}", (Message("user", f"Say {number}."),), None)
        for number in range(count)
    ]
    ask = text_asker(
        identity(model), folder / "k0.jsonl", lambda: OpenAIEngine(model, folder / "model")
    )
    return lambda: ask(asked)


@pytest.mark.parametrize("kind", [rows, texts])
@pytest.mark.parametrize("answers", [1, 15])
def test_a_kill_loses_nothing_asks_few_again_and_is_charged(tmp_path, kind, answers):
    with fault_server() as server:
        server.delay = 0.1
        process = start(kind(tmp_path, server))
        while len(log(tmp_path)) < answers and process.is_alive():
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        time.sleep(1.5 * server.delay)  # what is in flight is answered, to nobody
        assert 0 < len(log(tmp_path)) < 40, "the kill came at no good moment"
        server.delay = 0.0
        kind(tmp_path, server)()
        assert len(log(tmp_path)) == len(set(log(tmp_path))) == 40
        again = sum(server.asked[text] - 1 for text in server.asked if PROBE not in text)
        assert 0 <= again <= IN_FLIGHT
        unsettled = [line for line in charges(tmp_path) if line["state"] == "sent"]
        assert len(unsettled) <= IN_FLIGHT
        assert all(a >= b for a, b in zip(charged(tmp_path), server.billed, strict=True))


def test_jobs_at_the_same_time_keep_one_budget(tmp_path):
    with fault_server() as server:
        server.delay = 0.01
        (tmp_path / "model").mkdir()
        folders = [tmp_path / str(job) for job in range(3)]
        for folder in folders:
            folder.mkdir()
            (folder / "model").symlink_to(tmp_path / "model")
        jobs = [start(rows(folder, server, 99, budget=0.75)) for folder in folders]
        for job in jobs:
            job.join()
        assert {job.exitcode for job in jobs} == {3}
        assert charged(tmp_path) == server.billed
        spent = sum(float(line["cost"]) for line in charges(tmp_path))
        assert spent == pytest.approx(sum(server.billed) / 1000)
        # The next request might cost up to 0.3.
        assert 0.75 - 0.3 < spent <= 0.75


def of_model(folder, server, name, budget):
    """Rows of a job ``model-number``, whose model has a folder beside the others'."""
    records = folder / "models" / name.partition("-")[0]
    limits = {"in_flight": IN_FLIGHT, "total_budget": budget}
    asked = asks(99, ["forward"])
    return lambda: run(folder / name, server, asked, records=records, limits=limits, prices=PRICES)


def all_charges(folder):
    files = folder.glob("models/*/spending.csv")
    return [line for path in files for line in last_charges(path)]


def test_jobs_of_all_models_keep_the_total_budget_though_one_is_killed(tmp_path):
    budget = 0.8  # less than one job alone would take
    with fault_server() as server:
        server.delay = 0.02
        names = ["a-1", "a-2", "b-1", "b-2"]
        works = [of_model(tmp_path, server, name, budget) for name in names]
        jobs = [start(work) for work in works]
        while sum(server.billed) < 150 and any(job.is_alive() for job in jobs):
            time.sleep(0.005)
        assert jobs[0].is_alive(), "the kill came at no good moment"
        os.kill(jobs[0].pid, signal.SIGKILL)
        for job in jobs:
            job.join()
        time.sleep(2 * server.delay)
        assert {job.exitcode for job in jobs[1:]} == {3}
        lines = all_charges(tmp_path)
        spent = sum(float(line["cost"]) for line in lines)
        # What the killed job had in flight stays charged, whether it was billed or not.
        assert sum(server.billed) / 1000 <= spent <= budget
        assert sum(line["state"] == "sent" for line in lines) <= IN_FLIGHT
        assert all("counted" in path.read_text() for path in tmp_path.glob("models/*/*.csv"))
        with pytest.raises(
            TabBenchError,
            match=r"the budget of all models of 0\.8 USD is spent: 0\.\d+ is charged or in flight, "
            r"0\.\d+ of it for this model.*raise budget in the configuration and run again",
        ):
            works[0]()
        done = len(log(tmp_path / "b-1"))
        assert of_model(tmp_path, server, "b-1", 9)() == Counts(99, done, 99 - done)


def test_jobs_at_the_same_time_keep_one_rate(tmp_path):
    """60 a minute are 12 in ten seconds, which three jobs have used up at once."""
    with fault_server() as server:
        records = tmp_path / "models/a"
        limits = {"in_flight": IN_FLIGHT, "requests_per_minute": 60}
        jobs = [
            start(
                lambda folder=tmp_path / name: run(
                    folder, server, asks(99, ["forward"]), records=records, limits=limits
                )
            )
            for name in "abc"
        ]
        began = time.monotonic()
        while sum(server.asked.values()) < 12 and time.monotonic() - began < 8:
            time.sleep(0.02)
        time.sleep(1.0)
        for job in jobs:
            job.kill()
            job.join()
        assert time.monotonic() - began < 9.5, "too slow to tell"
        assert sum(server.asked.values()) == 12


@pytest.mark.parametrize("header", [None, "0", "-5", "0.05", "soon"])
def test_a_storm_counts_by_its_time_whatever_the_server_asks(tmp_path, monkeypatch, header):
    """A short Retry-After must not use up all tries before the storm is over."""
    monkeypatch.setattr(retrying, "LONGEST_WAIT", 0.2)
    over = []

    def storm(text, _time):
        if PROBE in text:
            return False
        over.append(time.monotonic())
        return over[-1] - over[0] < 0.4

    fault = {None: "http_503", "0": "retry_at_once", "-5": "retry_before", "soon": "retry_some_day"}
    with fault_server(fault.get(header, "rate_limit"), storm) as server:
        limits = {"backoff": 0.01, "retries": 7, "in_flight": 32}
        assert run(tmp_path, server, asks(60), limits=limits) == Counts(120, 0, 120)
    assert len(set(log(tmp_path))) == 120


def test_a_request_of_a_storm_that_does_not_end_is_given_up(tmp_path):
    with fault_server("retry_at_once", always) as server:
        start_ = time.monotonic()
        with pytest.raises(TabBenchError, match=r"4 of 4 prompts have no response.*rate_limit"):
            run(tmp_path, server, asks(2), limits={"backoff": 0.02, "retries": 3})
        assert 0.14 <= time.monotonic() - start_ < 3
        assert len(read_failures(tmp_path / "k0.jsonl")) == 4
        server.fails = never
        assert run(tmp_path, server, asks(2)) == Counts(4, 0, 4)
