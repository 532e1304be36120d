"""Label probabilities, the frame around scripts, and the parquet schemas."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.errors import TabBenchError, closest
from tabbench.labels import label_probability
from tabbench.schemas import SHOTS, TABLE, read_table, write_table
from tabbench.script import job

logps = st.floats(-700, 0)


@given(logps, logps)
def test_label_probability_is_the_share_of_the_mass(logp_0, logp_1):
    p_1, mass = label_probability(logp_0, logp_1)
    assert 0 <= p_1 <= 1
    assert p_1 + label_probability(logp_1, logp_0)[0] == pytest.approx(1)
    assert mass == pytest.approx(math.exp(logp_0) + math.exp(logp_1))


def test_label_probability_at_the_ends_of_float():
    assert label_probability(-1e4, 0.0) == (1.0, 1.0)
    assert label_probability(0.0, -1e4) == (0.0, 1.0)


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


def shots(**changes):
    return pd.DataFrame({"k": [2], "seed": [1], "position": [0], "row_id": [5], **changes})


def test_a_table_is_read_back_as_written(tmp_path):
    write_table(shots(), tmp_path / "x.parquet", SHOTS)
    pd.testing.assert_frame_equal(read_table(tmp_path / "x.parquet", SHOTS), shots())


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (shots().drop(columns="seed"), r"missing columns \['seed'\]"),
        (shots(extra=[1]), r"undeclared \['extra'\]"),
        (shots(k=["two"]), "column 'k'"),
    ],
)
def test_a_table_that_breaks_its_schema_is_not_written(tmp_path, frame, message):
    with pytest.raises(TabBenchError, match=message):
        write_table(frame, tmp_path / "x.parquet", SHOTS)
    assert not (tmp_path / "x.parquet").exists()


def test_a_file_of_another_kind_is_refused(tmp_path):
    write_table(shots(), tmp_path / "x.parquet", SHOTS)
    with pytest.raises(TabBenchError, match="not a 'table' table: no column 'y'"):
        read_table(tmp_path / "x.parquet", TABLE)


def test_open_tables_keep_their_features(tmp_path):
    frame = pd.DataFrame({"row_id": [0, 1], "y": [0, 1], "job": ["a", None], "age": [1.5, None]})
    write_table(frame, tmp_path / "x.parquet", TABLE)
    back = read_table(tmp_path / "x.parquet", TABLE)
    assert list(back.columns) == ["row_id", "y", "job", "age"]
    assert back["job"].isna().tolist() == [False, True]


def test_the_closest_name_is_suggested_only_when_it_is_close():
    assert closest("credits", ["credit", "tae"]) == "did you mean 'credit'? Valid: credit, tae"
    assert closest("zzz", ["credit", "tae"]) == "Valid: credit, tae"
    assert closest("x", []) == "Valid: (none)"
