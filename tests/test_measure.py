"""What a job took is kept from the run that asked the model."""

import pytest

from tabbench.core.measure import HEADER, measured


def rows(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


def test_a_run_that_asks_nothing_keeps_what_is_there(tmp_path):
    path = tmp_path / "deep" / "job.tsv"
    with measured(path, lambda: False):
        pass
    assert not path.exists()
    with measured(path, lambda: True):
        sum(range(200_000))
    header, values = rows(path)
    assert tuple(header) == HEADER
    seconds, busy, peak = map(float, values)
    assert seconds >= 0 <= busy
    assert 10 < peak < 100_000  # MiB of a Python process
    before = path.read_bytes()
    with measured(path, lambda: False):
        pass
    assert path.read_bytes() == before


def test_a_run_that_asks_and_fails_is_measured(tmp_path):
    with pytest.raises(ValueError, match="broken"), measured(tmp_path / "job.tsv", lambda: True):
        raise ValueError("broken")
    assert (tmp_path / "job.tsv").exists()
