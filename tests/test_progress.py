"""What a person sees of an inference job: on a terminal, over ssh, in a log file."""

import io
import os
import pty
import re

import pytest

from tabbench.inference.engines.base import Failure, Generation, LabelScore, Usage
from tabbench.inference.progress import LINE_EVERY, Progress
from tabbench.scoring.predict import is_valid

SCORE = LabelScore(-0.1, -2.0, 10, 0.5)
LABEL = Generation("1", {0: (-2.0, -0.2)}, 10, 1, 0.1)
NO_LABEL = Generation("maybe", {}, 10, 1, 0.1)


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def lines(out):
    return out.getvalue().splitlines()


def test_everything_is_counted_and_adds_up(clock):
    out = io.StringIO()
    with Progress("small core k=4", 1000, [out], is_valid, "USD", clock) as progress:
        progress.cached(400)
        clock.now += 100
        usage = Usage(103, retries=7, prompt_tokens=123_456, completion_tokens=99, cost=0.5)
        progress.asked([SCORE] * 90 + [LABEL] * 5 + [NO_LABEL] * 3 + [Failure("x", "y")] * 2, usage)
    middle, last = lines(out)
    assert middle == (
        "small core k=4: 500 of 1,000 prompts (50 %), 0:08:20 left, 1/s, 0.5000 USD, "
        "400 from the log, 3 invalid, 2 failed, 7 retried, 123k tokens read, 99 written"
    )
    assert last == middle.replace("0:08:20 left", "0:01:40 in all")


def test_a_job_that_asks_nothing_says_so_in_one_line(clock):
    out = io.StringIO()
    with Progress("small", 5000, [out], clock=clock) as progress:
        progress.cached(5000)
    assert lines(out) == ["small: 5,000 of 5,000 prompts (100 %), 5,000 from the log"]


def test_a_log_file_gets_few_plain_lines(clock):
    out = io.StringIO()
    with Progress("small", 10_000, [out], clock=clock) as progress:
        for _ in range(10_000):
            clock.now += 0.1
            progress.asked([SCORE], Usage())
    text = out.getvalue()
    assert 0 < len(lines(out)) <= 1000 / LINE_EVERY + 2
    assert "\r" not in text
    assert "\x1b" not in text
    assert all(line.startswith("small: ") for line in lines(out))


def test_the_rate_is_of_the_last_minute_and_the_time_left_follows_it(clock):
    out = io.StringIO()
    progress = Progress("small", 10_000, [out], clock=clock)
    for _ in range(100):
        clock.now += 10  # 0.1/s: a model that still loads, long prompts
        progress.asked([SCORE], Usage())
    for _ in range(200):
        clock.now += 1  # 5/s
        progress.asked([SCORE] * 5, Usage())
    shown = re.fullmatch(
        r"small: ([\d,]+) of 10,000 .*, 0:(\d\d):(\d\d) left, 5/s, .*", lines(out)[-1]
    )
    left = 10_000 - int(shown[1].replace(",", ""))
    assert int(shown[2]) * 60 + int(shown[3]) == left / 5


def test_a_terminal_shows_one_line_no_wider_than_itself(clock):
    reader, writer = pty.openpty()
    log = io.StringIO()
    with (
        os.fdopen(writer, "w") as terminal,
        Progress("small", 100, [terminal, log], clock=clock) as progress,
    ):
        for _ in range(10):
            clock.now += 1
            progress.asked([SCORE] * 10, Usage(retries=3))
        progress.say("hello")
    shown = b""
    while chunk := _read(reader):
        shown += chunk
    os.close(reader)
    updates = shown.decode().replace("\r\n", "\n").split("\r")[1:]
    assert len(updates) == 12
    for update in updates:
        assert len(re.sub(r"\x1b\[K\n?", "", update)) < 80
    assert [update.endswith("\n") for update in updates] == [False] * 10 + [True] * 2
    assert "small: hello" in updates[-2]
    assert len(lines(log)) == 3  # the first, the note, the last


def _read(reader):
    try:
        return os.read(reader, 65_536)
    except OSError:  # Linux says so when the other end is closed
        return b""


def test_an_interrupted_job_says_how_far_it_came(clock):
    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt), Progress("small", 9, [out], clock=clock) as progress:
        progress.asked([SCORE] * 3, Usage())
        progress.asked([SCORE] * 3, Usage())
        raise KeyboardInterrupt
    assert "small: 6 of 9 prompts (66 %)" in lines(out)[-1]
