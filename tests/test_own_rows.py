"""Rows of a user dataset: merged classes, a given split, groups, samples; what is told of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from workflow_copy import ROOT

from tabbench.config.dataset_entry import TaskText, parse_dataset
from tabbench.config.user_datasets import own_schema
from tabbench.config.validation import load_yaml, validate
from tabbench.core.errors import TabBenchError
from tabbench.data.own_data import classes, findings, parts
from tabbench.data.own_rows import file_rows, given_sides
from tabbench.data.prepare import prepare
from tabbench.data.split import draw_shots, split

TASK = TaskText("a row", "what it is", "no", "yes")
SCHEMA = own_schema(load_yaml(ROOT / "config/schemas/dataset.schema.yaml"))


def dataset(**keys):
    entry = {"target": {"column": "out", "positive": "yes"}, "task": vars(TASK), **keys}
    validate(entry, SCHEMA, "entry")
    return parse_dataset("loans", {**entry, "sources": []})


def raw(rows=30, **columns):
    given = {"x": lambda at: at % 5, "out": lambda at: "yes" if at % 3 == 0 else "no", **columns}
    cells = {name: [str(cell(at)) for at in range(rows)] for name, cell in given.items()}
    return pd.DataFrame(cells, dtype="str")


def split_of(table, entry, **settings):
    prepared = prepare(table, entry)
    return prepared, split(
        prepared, None, "loans", **settings, given=given_sides(file_rows(table, entry))
    )


def members(found, part):
    return set(found.loc[found["part"] == part, "row_id"])


def test_a_given_split_is_taken_as_it_is_and_is_no_feature():
    table = raw(where=lambda at: " Test" if at % 4 == 0 else "TRAIN")
    prepared, found = split_of(table, dataset(split={"column": "where"}))
    assert list(prepared) == ["row_id", "y", "x"]
    assert members(found, "test") == set(range(0, 30, 4))
    assert members(found, "train") == set(range(30)) - set(range(0, 30, 4))


def test_values_that_say_nothing_are_named_by_the_entry():
    table = raw(fold=lambda at: ("1", "2", "3")[at // 10])
    with pytest.raises(
        TabBenchError, match=r"'fold' has 30 row\(s\) that are neither train nor test"
    ):
        split_of(table, dataset(split={"column": "fold"}))
    entry = dataset(split={"column": "fold", "test": ["3"]})
    with pytest.raises(TabBenchError, match=r"\['1', '2'\]. Name the values under split.train"):
        split_of(table, entry)
    _, found = split_of(
        table, dataset(split={"column": "fold", "test": ["3"], "train": ["1", "2"]})
    )
    assert members(found, "test") == set(range(20, 30))
    with pytest.raises(TabBenchError, match=r"split\.test: '4' does not occur in column 'fold'"):
        split_of(table, dataset(split={"column": "fold", "test": ["4"]}))
    with pytest.raises(TabBenchError, match=r"\['3'\] are listed under both train and test"):
        split_of(table, dataset(split={"column": "fold", "test": ["3"], "train": ["3"]}))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"groups": "persn"}, "groups names no column: did you mean 'person'"),
        ({"split": {"column": "wher"}}, "split.column names no column: did you mean 'where'"),
        ({"groups": "person", "drop": ["person"]}, r"\['person'\] have more than one role"),
        ({"groups": "person", "split": {"column": "where"}}, "10 group.s. of column 'person' have"),
    ],
)
def test_faults_name_the_column_and_what_to_do(keys, message):
    table = raw(person=lambda at: at % 10, where=lambda at: ("train", "test")[at // 15])
    with pytest.raises(TabBenchError, match=message):
        split_of(table, dataset(**keys))


def test_a_row_without_a_group_is_an_error():
    table = raw(person=lambda at: at % 10 or "")
    with pytest.raises(
        TabBenchError, match=r"'person' is missing in 3 row.*drop_missing: \[person\]"
    ):
        split_of(table, dataset(groups="person"))


def test_too_few_groups_of_a_class_are_an_error():
    table = raw(person=lambda at: "a" if at % 3 == 0 else "b" if at % 2 else "c")
    with pytest.raises(
        TabBenchError, match=r"class 0 is in 2 group\(s\)|class 1 is in 1 group\(s\)"
    ):
        split_of(table, dataset(groups="person"))


def test_a_side_without_a_class_is_an_error():
    table = raw(where=lambda at: "test" if at % 3 else "train")
    with pytest.raises(TabBenchError, match="no train row of class 0"):
        split_of(table, dataset(split={"column": "where"}))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 25), min_size=40, max_size=120),
    st.integers(0, 2**32 - 1),
    st.sampled_from([None, 0.2, 0.5, 0.75]),
)
def test_no_group_is_on_both_sides_nor_among_the_examples_of_its_rows(people, seed, fraction):
    labels = np.random.default_rng(seed).integers(0, 2, len(people))
    table = raw(len(people), person=lambda at: people[at], out=lambda at: ("no", "yes")[labels[at]])
    try:
        prepared, found = split_of(table, dataset(groups="person"), test_fraction=fraction)
        shots = draw_shots(prepared, found, 4, (1, 2), "loans")
    except TabBenchError:
        assume(False)
    group = dict(enumerate(people))
    test = {group[row] for row in members(found, "test")}
    assert not test & {group[row] for row in members(found, "train")}
    assert not test & {group[row] for row in shots["row_id"]}
    assert len(found) == len(people)
    for part in ("train", "test"):
        assert prepared["y"][prepared["row_id"].isin(members(found, part))].nunique() == 2


@pytest.mark.parametrize("fraction", [None, 0.2, 0.5, 0.8])
def test_groups_leave_sizes_and_classes_as_they_should_be(fraction):
    rng = np.random.default_rng(0)
    people = rng.integers(0, 200, 1200)
    labels = rng.random(1200) < 0.3
    table = raw(1200, person=lambda at: people[at], out=lambda at: "yes" if labels[at] else "no")
    prepared, found = split_of(table, dataset(groups="person"), test_fraction=fraction)
    in_test = prepared["row_id"].isin(members(found, "test"))
    assert in_test.mean() == pytest.approx(fraction or 1 / 3, abs=0.02)
    assert prepared["y"][in_test].mean() == pytest.approx(labels.mean(), abs=0.02)


def test_groups_that_are_single_rows_change_no_proportion():
    table = raw(90, person=lambda at: at)
    prepared, found = split_of(table, dataset(groups="person"))
    assert len(members(found, "test")) == 30
    assert prepared["y"][prepared["row_id"].isin(members(found, "test"))].sum() == 10


def big(rows=6000):
    return raw(rows, out=lambda at: "yes" if at % 10 == 0 else "no")


@pytest.mark.parametrize(
    ("sample", "size"), [(None, 1000), (2000, 2000), (7000, 6000), ("all", 6000)]
)
def test_a_large_table_is_sampled_as_the_entry_says_or_as_in_the_paper(sample, size):
    keys = {} if sample is None else {"sample": sample}
    prepared = prepare(big(), dataset(**keys))
    assert len(prepared) == size
    assert prepared["y"].mean() == pytest.approx(0.1)


def test_a_small_table_is_sampled_only_where_the_entry_says_so():
    assert len(prepare(raw(30), dataset())) == 30
    assert len(prepare(raw(30), dataset(sample=15))) == 15


def test_each_row_of_the_file_is_accounted_for():
    table = big()
    entry = dataset(rows=[{"column": "x", "drop": ["4"]}], sample=600)
    rows, prepared = file_rows(table, entry), prepare(table, entry)
    assert rows["status"].value_counts().to_dict() == {
        "not_sampled": 4200, "filtered": 1200, "used": 600,
    }  # fmt: skip
    used = rows[rows["status"] == "used"]
    assert used["row_id"].tolist() == prepared["row_id"].tolist()
    assert (used["value"] == "yes").tolist() == (prepared["y"] == 1).tolist()
    assert table["x"][used["file_row"] - 1].astype(float).tolist() == prepared["x"].tolist()


def test_merged_and_left_out_classes_are_counted():
    values = ("yes", "no", "maybe", "unknown", "no", "yes")
    table = raw(60, out=lambda at: values[at % 6])
    with pytest.raises(TabBenchError, match=r"rows: \[{column: out, drop: \[..\]}\]"):
        file_rows(table, dataset())
    target = {"column": "out", "positive": "yes", "others": ["no", "maybe"]}
    entry = dataset(target=target, rows=[{"column": "out", "drop": ["unknown"]}])
    found = classes(file_rows(table, entry), entry.positive)
    assert found.fillna(-1).to_dict("list") == {
        "value": ["no", "maybe", "yes", "unknown"],
        "label": [0, 0, 1, -1],
        "merged": [True, True, False, False],
        "file_rows": [20, 10, 20, 10],
        "filtered": [0, 0, 0, 10],
        "not_sampled": [0] * 4,
        "used": [20, 10, 20, 0],
    }
    assert prepare(table, entry)["y"].sum() == 20


def test_parts_count_rows_classes_and_groups():
    table = raw(60, person=lambda at: at // 2)
    entry = dataset(groups="person")
    prepared = prepare(table, entry)
    rows = file_rows(table, entry)
    found = parts(prepared, split(prepared, 6, "loans", given=given_sides(rows)), rows)
    assert found["part"].tolist() == ["train", "test", "unused"]
    assert found["rows"].sum() == 60
    assert found["rows"][1] == 6
    assert found["positive"].sum() == 20
    assert found["groups"][0] + len({*range(30)}) >= 30
    assert found["groups"][0] == found["rows"][0] / 2


def test_findings_name_column_and_share():
    table = raw(
        300,
        copy=lambda at: "a" if at % 3 == 0 else "b",
        almost=lambda at: at // 299,
        same=lambda _: 7,
        number=lambda at: at,
        gap=lambda at: at % 2 or "",
    )
    prepared = prepare(table, dataset())
    task = TaskText("a row", "what the copy is", "no", "yes")
    found = findings(prepared, split(prepared, None, "loans"), task)
    told = {(row.finding, row.column): (row.value, row.detail) for row in found.itertuples()}
    assert told["leak", "copy"][0] == 1
    assert told["near_constant", "almost"] == (pytest.approx(299 / 300), "0")
    assert ("constant", "same") in told
    assert ("near_constant", "same") not in told
    assert told["near_unique", "number"][0] == 1
    assert told["missing", "gap"][0] == pytest.approx(0.5)
    assert told["task_word", "copy"][1] == "copy"


def test_duplicates_are_counted_among_all_test_rows():
    prepared = prepare(raw(300, few=lambda at: at % 3), dataset())
    parts_of = split(prepared, 10, "loans")
    found = findings(prepared, parts_of, TaskText("a row", "what it is", "no", "yes"))
    (row,) = found[found["finding"] == "duplicates"].itertuples()
    assert (row.value, row.detail) == (100, "100")
