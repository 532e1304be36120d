"""Kill -9 in the middle of inference: nothing is lost, nothing is asked twice, same result."""

import os
import shutil
import signal
import subprocess
import time

import pandas as pd
import pytest
from workflow_copy import TINY, WorkflowCopy

pytestmark = pytest.mark.slow

TARGET = "results/predictions/smollm2_135m/core/k4.parquet"
SETTINGS = {
    "datasets": ["diabetes"],
    "llm_synthetic": TINY["llm_synthetic"] | {"datasets": ["diabetes"]},
    "probes": TINY["probes"] | {"datasets": ["diabetes"]},
    "test_rows": 40,
}


def keys(copy):
    log = copy.folder / "results/responses/smollm2_135m/diabetes/k4.jsonl"
    lines = log.read_bytes().splitlines() if log.exists() else []
    return [line.split(b'"key": "')[1][:64] for line in lines if b'"key": "' in line]


def start_and_kill(copy, answers):
    """Start the run in a process group of its own and kill all of it after some answers."""
    process = subprocess.Popen(
        copy.command(TARGET),
        cwd=copy.folder,
        env=copy.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while len(keys(copy)) < answers and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return keys(copy)


def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    whole = WorkflowCopy.create(tmp_path / "whole")
    whole.configure(**SETTINGS)
    whole.run("results/models/smollm2_135m/weights")
    killed = WorkflowCopy(tmp_path / "killed")
    shutil.copytree(whole.folder, killed.folder)

    whole.run(TARGET)
    asked = keys(whole)
    assert len(asked) == len(set(asked)) == 160  # 40 rows x 4 contexts

    before = start_and_kill(killed, answers=30)
    assert 0 < len(before) < len(asked), "the kill came too late to show anything"
    killed.run(TARGET)
    after = keys(killed)
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) == len(asked)

    frames = [pd.read_parquet(copy.folder / TARGET) for copy in (whole, killed)]
    # Seconds are measured anew in each run; all the rest must agree to the last bit.
    bits = [frame.drop(columns="seconds").to_parquet() for frame in frames]
    assert bits[0] == bits[1]
