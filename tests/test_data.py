"""From raw files to prepared tables, splits and draws; and what bad files get."""

import dataclasses
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.errors import TabBenchError
from tabbench.prepare import SUBSAMPLE_TO, prepare, subsample
from tabbench.readers import read_raw
from tabbench.registry import Dataset, Source, SourceFile, load_entries, parse_dataset
from tabbench.sources import fetch, sha256
from tabbench.split import draw_shots, split
from tabbench.validation import load_yaml

ROOT = Path(__file__).parents[1]
MIRROR = Path(os.environ.get("TABBENCH_MIRROR", ROOT.parent / "shared" / "data"))

# Rows, features, positive rows: Table XII, with credit's positive class as its text has it.
EXPECTED = {
    "diabetes": (768, 8, 268),
    "credit": (1000, 20, 700),
    "kc1": (2109, 21, 326),
    "tae": (151, 5, 52),
}


def toy(**changes):
    fields = {
        "id": "toy",
        "sources": (),
        "target": "label",
        "positive": "yes",
        "others": (),
        "features": {"age": "numeric", "job": "categorical"},
        "drop": (),
        "missing": ("", "?"),
    }
    return Dataset(**{**fields, **changes})


def raw(**changes):
    columns = {"age": ["31", "?", "4.5"], "job": ["a", "b", "?"], "label": ["yes", "no", "no"]}
    return pd.DataFrame({**columns, **changes}, dtype=str)


def registry():
    schema = load_yaml(ROOT / "config/schemas/dataset.schema.yaml")
    found = load_entries(ROOT / "resources/datasets", list(EXPECTED), schema, "dataset")
    return {name: parse_dataset(name, entry) for name, entry in found.items()}


def load(dataset, mirror, folder):
    used = fetch(dataset.id, dataset.sources, mirror, folder)
    return dataset.sources[used].kind, prepare(read_raw(folder, dataset.sources[used]), dataset)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_package_carries_the_papers_tables(name, tmp_path):
    kind, table = load(registry()[name], None, tmp_path)
    assert kind == "package"
    assert (len(table), table.shape[1] - 2, table["y"].sum()) == EXPECTED[name]


@pytest.mark.skipif(not MIRROR.is_dir(), reason="no mirror folder with raw files")
@pytest.mark.parametrize("name", EXPECTED)
def test_mirror_and_package_give_the_same_table(name, tmp_path):
    dataset = registry()[name]
    kind, from_mirror = load(dataset, MIRROR, tmp_path / "mirror")
    assert kind == "mirror"
    _, from_package = load(dataset, None, tmp_path / "package")
    pd.testing.assert_frame_equal(from_mirror, from_package)


def test_missing_cells_become_nan_and_types_are_kept():
    table = prepare(raw(), toy())
    assert table["y"].tolist() == [1, 0, 0]
    assert table["age"].isna().tolist() == [False, True, False]
    assert table["job"].isna().tolist() == [False, False, True]
    assert table["age"].dtype == "float64"


@pytest.mark.parametrize(
    ("table", "dataset", "message"),
    [
        (raw().rename(columns={"label": "labels"}), toy(), "no target column 'label'.*'labels'"),
        (raw(label=["yes", "no", "maybe"]), toy(), "must have two classes, found 3"),
        (raw(label=["yes"] * 3), toy(), "must have two classes, found 1"),
        (raw(label=["no"] * 3), toy(), "positive value 'yes' does not occur"),
        (raw(age=["?", "", "?"]), toy(), "feature 'age' is missing in every row"),
        (raw(age=["1", "old", "2"]), toy(), "'age' has 1 cell.*'old' in row 1"),
        (raw(extra=["1", "2", "3"]), toy(), r"column\(s\) \['extra'\] are neither"),
        (raw().drop(columns="job"), toy(), r"no column\(s\) \['job'\]"),
    ],
)
def test_a_bad_table_is_explained(table, dataset, message):
    with pytest.raises(TabBenchError, match=f"dataset 'toy'.*{message}"):
        prepare(table, dataset)


def test_more_than_two_values_need_the_others_named():
    dataset = toy(positive="yes", others=("no", "maybe"))
    assert prepare(raw(label=["yes", "no", "maybe"]), dataset)["y"].tolist() == [1, 0, 0]


def test_subsample_keeps_the_rate_and_is_repeatable():
    big = pd.DataFrame({"y": (np.arange(6000) % 10 == 0).astype(int), "x": np.arange(6000)})
    small = subsample(big)
    assert len(small) == SUBSAMPLE_TO
    assert small["y"].sum() == 100
    pd.testing.assert_frame_equal(small, subsample(big))
    assert subsample(big.head(5000)).equals(big.head(5000))


def source(path, digest, **changes):
    return Source("mirror", (SourceFile(path, digest),), "csv", **changes)


def test_a_changed_file_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("age\n1\n")
    with pytest.raises(TabBenchError, match=r"dataset 'toy'.*a\.csv has sha256 .*expected 000"):
        fetch("toy", [source("a.csv", "0" * 64)], tmp_path, tmp_path / "out")


def test_a_missing_file_lists_what_was_tried(tmp_path):
    package = dataclasses.replace(source("b.csv", "0" * 64), kind="package", package="not_there")
    with pytest.raises(TabBenchError) as error:
        fetch("toy", [source("a.csv", "0" * 64), package], tmp_path, tmp_path / "out")
    message = str(error.value)
    assert "lacks a.csv" in message
    assert "not_there: not installed" in message
    assert "'mirror' in the configuration" in message


def test_the_next_source_is_used_when_the_first_is_absent(tmp_path):
    (tmp_path / "b.csv").write_text("age\n1\n")
    good = source("b.csv", sha256(tmp_path / "b.csv"))
    assert fetch("toy", [source("a.csv", "0" * 64), good], tmp_path, tmp_path / "out") == 1


def test_csv_text_is_kept_as_written(tmp_path):
    (tmp_path / "a.csv").write_text('\ufeffage;job\n01;"a;b"\nNA;\n', encoding="utf-8")
    frame = read_raw(tmp_path, source("a.csv", "", separator=";"))
    assert frame.to_dict("list") == {"age": ["01", "NA"], "job": ["a;b", ""]}


def test_arff_quotes_comments_and_wrong_lengths(tmp_path):
    arff = dataclasses.replace(source("a.arff", ""), format="arff")
    text = "@relation r\n@attribute 'the age' real\n@attribute b {x,'y,z'}\n@data\n% no\n1,'y,z'\n"
    (tmp_path / "a.arff").write_text(text)
    assert read_raw(tmp_path, arff).to_dict("list") == {"the age": ["1"], "b": ["y,z"]}
    (tmp_path / "a.arff").write_text(text + "1,2,3\n")
    with pytest.raises(TabBenchError, match=r"a\.arff, line 7: 3 cells, expected 2"):
        read_raw(tmp_path, arff)


def test_a_code_without_translation_is_an_error(tmp_path):
    (tmp_path / "a.csv").write_text("job\na\nq\n")
    with pytest.raises(TabBenchError, match=r"'job' has values without translation: \['q'\]"):
        read_raw(tmp_path, source("a.csv", "", values={"job": {"a": "artist"}}))


def balanced(n_negative, n_positive):
    y = np.array([0] * n_negative + [1] * n_positive)
    return pd.DataFrame({"row_id": np.arange(len(y)), "y": np.random.default_rng(0).permutation(y)})


@given(st.integers(20, 120), st.integers(9, 120), st.integers(2, 60))
def test_split_is_a_partition_and_a_larger_cap_keeps_the_rows(negative, positive, cap):
    table = balanced(negative, positive)
    small, large = split(table, cap, "toy"), split(table, cap + 7, "toy")
    for parts in (small, large):
        assert sorted(parts["row_id"]) == table["row_id"].tolist()
    first = small[small["part"] == "test"]["row_id"].tolist()
    assert large[large["part"] == "test"]["row_id"].tolist()[: len(first)] == first


def test_the_cap_keeps_the_class_proportions():
    table = balanced(300, 60)
    test = split(table, 24, "toy").query("part == 'test'")["row_id"]
    assert table["y"][test].sum() == 4


def test_draws_are_balanced_nested_and_from_training_rows():
    table = balanced(60, 30)
    parts = split(table, None, "toy")
    train = set(parts.query("part == 'train'")["row_id"])
    small, large = (draw_shots(table, parts, k, (864, 460), "toy") for k in (4, 16))
    for seed in (864, 460):
        rows = large[large["seed"] == seed]["row_id"]
        assert table["y"][rows].sum() == 8
        assert set(rows) <= train
        assert set(small[small["seed"] == seed]["row_id"]) <= set(rows)
        assert rows.is_unique
    assert set(large.query("seed == 864")["row_id"]) != set(large.query("seed == 460")["row_id"])


def test_too_few_rows_of_a_class_are_named():
    table = balanced(60, 6)
    parts = split(table, None, "toy")
    with pytest.raises(
        TabBenchError, match=r"'toy': class 1 has 4 training row\(s\), k = 16 needs 8"
    ):
        draw_shots(table, parts, 16, (1,), "toy")
    with pytest.raises(TabBenchError, match=r"'toy': class 1 has 2 row\(s\)"):
        split(balanced(10, 2), None, "toy")
