"""Parquet files with a schema: what is written, refused, and read back."""

import pandas as pd
import pytest

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_table
from tabbench.core.schemas.shots import SHOTS
from tabbench.core.schemas.table import TABLE


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
