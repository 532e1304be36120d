"""Kill -9 at random moments: nothing is lost, nothing stands twice, little is asked again."""

import multiprocessing
import random
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import test_openai_engine as endpoint
from fault_server import PROBE, FaultServer, fault_server

from tabbench.config.model_entry import parse_model
from tabbench.core.frames import read_table, write_tables
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.inference.models import identity
from tabbench.inference.responses import read_responses
from tabbench.inference.texts import text_asker
from tabbench.scoring.predict import predict

pytestmark = pytest.mark.slow

IN_FLIGHT = 4
PROMPTS = 60
SECONDS = 0.04
"""Of one answer: a job takes half a second or more, and a kill falls anywhere in it."""
MODEL = parse_model("faulty", endpoint.entry("http://127.0.0.1:9", limits={"in_flight": IN_FLIGHT}))


def rows(folder: Path, url: str) -> None:
    endpoint.run(folder, SimpleNamespace(url=url), endpoint.asks(PROMPTS // 2))


def texts(folder: Path, url: str) -> None:
    server = SimpleNamespace(url=url)
    ask = text_asker(identity(MODEL), folder / "k0.jsonl", lambda: endpoint.engine(folder, server))
    ask([endpoint.free_text(f"Hello {number}") for number in range(PROMPTS)])


def predictions(folder: Path, _url: str) -> None:
    asked = endpoint.asks(PROMPTS // 2)
    known = read_responses(folder / "k0.jsonl")
    frames = predict(([one] for one in asked), identity(MODEL), known, {}, "")
    write_tables(frames, folder / "predictions.parquet", PREDICTIONS)


Job = Callable[[Path, str], None]
APART = multiprocessing.get_context("forkserver")
APART.set_forkserver_preload([__name__])  # so that a job starts at once, and not with its imports


def kill(job: Job, folder: Path, url: str, after: float, begun: Callable[[], bool]) -> bool:
    """Kill a job some seconds after it has begun; whether it was still at work."""
    process = APART.Process(target=job, args=(folder, url))
    process.start()
    while process.is_alive() and not begun():
        time.sleep(0.002)
    process.join(after)
    process.kill()
    process.join()
    assert process.exitcode in (0, -9)
    return process.exitcode == -9


def finish(job: Job, folder: Path, url: str) -> None:
    process = APART.Process(target=job, args=(folder, url))
    process.start()
    process.join(60)
    assert process.exitcode == 0


def asked(server: FaultServer) -> int:
    """Prompts that the server was sent, its probes left out."""
    return sum(times for text, times in server.asked.items() if PROBE not in text)


@pytest.mark.parametrize(("job", "kills"), [(rows, 8), (texts, 8)])
def test_a_killed_job_loses_nothing(tmp_path: Path, job: Job, kills: int) -> None:
    draw = random.Random(job.__name__)
    hits = campaigns = 0
    while hits < kills:
        folder = tmp_path / str(campaigns)
        folder.mkdir()
        campaigns += 1
        with fault_server() as server:
            server.delay = SECONDS
            log, before, hit = folder / "k0.jsonl", b"", 0
            while hits + hit < kills:
                sent = asked(server)
                after = draw.uniform(0, PROMPTS / IN_FLIGHT * SECONDS)
                if not kill(job, folder, server.url, after, lambda: asked(server) > sent):  # noqa: B023
                    break
                hit += 1
                now = log.read_bytes() if log.exists() else b""
                whole = now[: now.rfind(b"\n") + 1]
                assert whole.startswith(before), "what was on disk is gone"
                before = whole
            finish(job, folder, server.url)
            assert log.read_bytes().startswith(before)
            lines = log.read_bytes().splitlines(keepends=True)
            assert len(lines) == len(endpoint.log(folder)) == len(set(endpoint.log(folder)))
            assert len(lines) == PROMPTS
            assert PROMPTS <= asked(server) <= PROMPTS + hit * IN_FLIGHT
            hits += hit
    assert campaigns < 3 * kills, "the kills came too late to show anything"


def test_killed_predictions_are_made_again_to_the_last_bit(tmp_path: Path) -> None:
    draw = random.Random("predictions")
    with fault_server() as server:
        finish(rows, tmp_path, server.url)
    log = (tmp_path / "k0.jsonl").read_bytes()
    path = tmp_path / "predictions.parquet"
    began = time.monotonic()
    finish(predictions, tmp_path, "")
    takes = time.monotonic() - began
    whole = read_table(path, PREDICTIONS)
    hits = tries = 0
    while hits < 4:
        hits += kill(predictions, tmp_path, "", draw.uniform(0, takes), lambda: True)
        tries += 1
        assert tries < 40, "the kills came too late to show anything"
    finish(predictions, tmp_path, "")
    assert (tmp_path / "k0.jsonl").read_bytes() == log
    pd.testing.assert_frame_equal(read_table(path, PREDICTIONS), whole, check_exact=True)
