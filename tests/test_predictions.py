"""Predictions of a suite lie in one file; a question reads what it asks, in its order."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_batches, read_table, write_table, write_tables
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.prompts import PROMPTS
from tabbench.inference.requests import read_requests, request_batches
from tabbench.scoring.metrics import score_frames
from tabbench.scoring.predictions import read_cells, read_datasets, read_models

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


def test_scores_read_a_model_at_a_time_by_their_ids(files):
    assert seen(read_models(files, {"c": [4], "a": [0, 4], "none": [0]})) == [
        ("c", [4], ["large"]),
        ("c", [4], ["small"]),
        ("a", [0], ["large"]),
        ("a", [0], ["small"]),
        ("a", [4], ["large"]),
        ("a", [4], ["small"]),
    ]


def test_scores_of_models_apart_are_those_of_models_together(files):
    apart, together = (
        score_frames(read(files, {"c": [4], "a": [0, 4]})) for read in (read_models, read_cells)
    )
    pd.testing.assert_frame_equal(apart, together, check_exact=True)


def test_a_file_that_is_given_twice_is_refused(files):
    with pytest.raises(TabBenchError, match=r"dataset=a, model=small.*predicted twice"):
        score_frames(read_models([files[0], files[0]], {"a": [0]}))


def test_a_dataset_of_many_rows_is_read_and_written_in_parts(tmp_path):
    prompts = pd.DataFrame({name: [""] * 7 for name in PROMPTS.names})
    cells = {"dataset": "a", "mode": ["forward", "generation"] * 3 + ["forward"], "k": 0, "seed": 0}
    prompts = prompts.assign(**cells, row_id=range(7), y_true=1, query=[*"abcdefg"], prefix="Few.")
    path = tmp_path / "prompts.parquet"
    write_table(prompts, path, PROMPTS)
    parts = list(read_batches(path, PROMPTS, rows=3))
    assert [len(one) for one in parts] == [3, 3, 1]
    whole = read_requests(read_table(path, PROMPTS), "small", repeats=2)
    streamed = [one for batch in request_batches(path, "small", repeats=2) for one in batch]
    assert streamed == whole
    assert [one.cell.seed for one in whole] == [0] * 7 + [1] * 7
    by_parts = [one for part in parts for one in read_requests(part, "small")]
    assert by_parts == read_requests(prompts, "small")


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
