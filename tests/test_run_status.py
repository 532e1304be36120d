"""How far a run is, read off its files."""

import json
import os
import signal
import subprocess
import time

import pandas as pd
import pytest
from workflow_copy import WorkflowCopy

from tabbench.inference.run_status import Count, Job, Log, by_model, read_log, status_lines


def answers(path, number, tokens=100, torn=""):
    spent = {"prompt_tokens": tokens, "completion_tokens": 2}
    line = json.dumps({"key": "x", "mode": "generation", **spent}) + "\n"
    path.write_text(line * number + torn)
    return path


@pytest.fixture
def job(tmp_path):
    prompts = tmp_path / "prompts.parquet"
    pd.DataFrame({"row": range(10)}).to_parquet(prompts)
    unmade = tmp_path / "unmade.parquet"
    logs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    return Job("m", [prompts, unmade], logs, 1, tmp_path / "marker")


def test_a_job_that_runs_is_counted_by_its_log(job):
    answers(job.logs[0], 4, torn='{"key": "y", "pro')
    assert by_model([job]) == {"m": Count(1, 0, 10, 4, 1, 400.0, 8.0)}


def test_of_a_finished_job_every_prompt_is_answered(job):
    """Equal prompts are sent once, so its log may be shorter."""
    answers(job.logs[0], 4)
    job.marker.touch()
    assert by_model([job])["m"] == Count(1, 1, 10, 10, 1, 1000.0, 20.0)


def test_each_repeat_of_a_prompt_counts(job):
    answers(job.logs[0], 30)
    assert by_model([job._replace(repeats=5)])["m"].answered == 30
    assert by_model([job._replace(repeats=5)])["m"].prompts == 50


def test_answers_of_an_earlier_configuration_do_not_count_beyond_the_prompts(job):
    answers(job.logs[0], 30)
    assert by_model([job])["m"].answered == 10


def test_lines_and_tokens_of_a_long_log(tmp_path):
    log = answers(tmp_path / "log", 5_000, tokens=7)
    assert read_log(log) == Log(5_000, 0, 7.0, 2.0)
    assert read_log(tmp_path / "none") == Log()


def test_a_log_with_nothing_but_a_torn_line(tmp_path):
    log = tmp_path / "log"
    log.write_text('{"key": "x", "prompt_t')
    assert read_log(log) == Log()


@pytest.mark.parametrize(
    "broken",
    ['{"key": "x", "mode": "generation", "prompt', "torn}", "7", '{"key": "x", "mode": "new", }',
     '{"key": "x", "mode": "generation", , }',
     *(f'{{"key": "x", "mode": "generation", "prompt_tokens": {count}}}'
       for count in ('"9"', "null", "[9]", "NaN", "1e999"))],
)  # fmt: skip
def test_a_broken_line_is_counted_and_told(job, broken):
    answers(job.logs[0], 3, torn=f"{broken}\n")
    with job.logs[0].open("a") as file:
        file.write(answers(job.logs[1], 2).read_text())
    counts = by_model([job])
    assert counts == {"m": Count(1, 0, 10, 5, 1, 500.0, 10.0, unreadable=1)}
    assert (
        "1 lines of response logs cannot be read and are not counted; the job that reads such a "
        "log names the line and what to do"
    ) in status_lines(counts, {"m": "Model"}, {}, None)


COUNTS = {"a": Count(2, 1, 100, 60, 0, 12_000, 60), "b": Count(1, 0, 50, 15, 1, 3_000, 15)}
TITLES = {"a": "Model A", "b": "Model B"}


def test_the_first_call_names_shares_tokens_and_money():
    assert status_lines(COUNTS, TITLES, {"b": "0.1200 USD"}, None) == [
        "Model A: 60 of 100 prompts (60 %), 1 of 2 jobs, ≈ 12k tokens read, 60 written",
        "Model B: 15 of 50 prompts (30 %), 0 of 1 jobs, ≈ 3k tokens read, 15 written, 0.1200 USD",
        "all models: 75 of 150 prompts (50 %), 1 of 3 jobs, ≈ 15k tokens read, 75 written",
        "1 files of prompts are not made yet and not counted",
        "time left: ask again in a while, the rate is taken between two calls",
    ]


def test_the_second_call_says_the_time_left():
    last = status_lines(COUNTS, TITLES, {}, (10.0, 25))[-1]
    assert last == "5 prompts/s since the last call 0:00:10 ago; 0:00:15 left at this rate"


def test_a_run_that_stands_still_has_no_time_left():
    assert status_lines(COUNTS, TITLES, {}, (60.0, 75))[-1] == (
        "no new answer since the last call 0:01:00 ago"
    )


def test_a_finished_run_says_nothing_of_time():
    done = {"a": Count(1, 1, 10, 10)}
    assert "left" not in status_lines(done, TITLES, {}, (60.0, 10))[-1]


@pytest.mark.slow
def test_it_can_be_asked_while_a_run_holds_the_folder(tmp_path):
    copy = WorkflowCopy.create(tmp_path / "held")
    running = subprocess.Popen(
        copy.command(), cwd=copy.folder, env=copy.environment(), start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        locks = copy.folder / ".snakemake" / "locks"
        while not (locks.is_dir() and any(locks.iterdir())):
            assert running.poll() is None, "the run ended before it held its files"
            time.sleep(0.2)
        assert " prompts (" in copy.run("status", "--quiet", "all")
        assert running.poll() is None
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
