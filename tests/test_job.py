"""The frame around scripts: logs, and how errors end."""

import pytest

from tabbench.core.errors import TabBenchError
from tabbench.core.job import job


def test_a_users_error_ends_short_and_any_other_keeps_its_traceback(tmp_path, capfd):
    log = tmp_path / "logs/x.log"
    with pytest.raises(SystemExit) as exit_, job(str(log)):
        print("before")
        raise TabBenchError("dataset 'toy': mend it")
    assert exit_.value.code == 1
    assert log.read_text() == "before\nERROR: dataset 'toy': mend it\n"
    assert "ERROR: dataset 'toy': mend it" in capfd.readouterr().err
    with pytest.raises(ZeroDivisionError), job(str(log)):
        _ = 1 / 0
    assert "Traceback" in log.read_text()
