"""Predictions of a suite lie in one file; a question reads what it asks, in its order."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_tables
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.scoring.predictions import read_cells, read_datasets

WHOLE = {"y_pred": "int8", "k": "int64"}


def part(dataset, model, k, rows=3):
    frame = pd.DataFrame({name: [""] * rows for name in PREDICTIONS.names})
    for column in PREDICTIONS.columns:
        if str(column.type) in ("int64", "int8"):
            frame[column.name] = 0
        elif str(column.type) == "double":
            frame[column.name] = np.arange(rows) / 7
        elif str(column.type) == "bool":
            frame[column.name] = False
    return frame.assign(dataset=dataset, model=model, k=k, row_id=range(rows), status="ok")


@pytest.fixture
def files(tmp_path):
    paths = []
    for model in ("small", "large"):
        for k in (0, 4):
            paths.append(tmp_path / f"{model}_{k}.parquet")
            write_tables((part(name, model, k) for name in "abc"), paths[-1], PREDICTIONS)
    return paths


def test_each_dataset_is_a_row_group_of_its_own(files):
    assert pq.ParquetFile(files[0]).num_row_groups == 3
    whole = read_table(files[0], PREDICTIONS)
    assert whole["dataset"].tolist() == list("aaabbbccc")


def seen(frames):
    return [
        (*{*frame["dataset"]}, sorted(set(frame["k"])), list(dict.fromkeys(frame["model"])))
        for frame in frames
    ]


def test_only_what_is_asked_is_read_in_the_order_asked(files):
    both = ["small", "large"]
    assert seen(read_cells(files, {"c": [4], "a": [0, 4]})) == [
        ("c", [4], both),
        ("a", [0], both),
        ("a", [4], both),
    ]
    assert seen(read_datasets(files, {"b": [0, 4], "a": [4]})) == [
        ("b", [0, 4], both),
        ("a", [4], both),
    ]


def test_what_is_read_equals_what_was_written(files):
    (found,) = read_cells(files[:1], {"b": [0]})
    written = part("b", "small", 0)
    pd.testing.assert_frame_equal(found, written, check_dtype=False)
    assert found.dtypes.astype(str)[list(WHOLE)].to_dict() == WHOLE


def test_a_file_of_other_columns_is_named(files, tmp_path):
    other = tmp_path / "other.parquet"
    part("a", "small", 0).drop(columns="dataset").to_parquet(other)
    with pytest.raises(TabBenchError, match=r"other\.parquet.*no column 'dataset'"):
        list(read_cells([*files, other], {"a": [0]}))
