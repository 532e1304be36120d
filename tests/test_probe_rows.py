"""Hidden cells and continued rows: what is asked, what is right, what chance would give."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_engines import dataset

from tabbench.inference.engines.base import Text
from tabbench.probes import completion, reconstruction
from tabbench.probes.dataset import Probed, probed, sampled_cells, sampled_rows, shuffled
from tabbench.probes.windows import WINDOW, chance, is_right, read_value, window

SEX = pd.Series(["male", "female", None, "other"])
NUMBERS = pd.Series([1.0, 2.0, 4.0, np.nan, 8.0])


def test_rows_and_cells_grow_by_adding() -> None:
    features = dataset().features
    assert sampled_rows(features, 5) == sampled_rows(features, 50)[:5]
    cells = sampled_cells(features, 20, 60)
    assert cells[:7] == sampled_cells(features, 20, 7)
    assert len(set(cells)) == 60
    assert {row for row, _ in cells} <= set(sampled_rows(features, 20))
    assert all(pd.notna(features.loc[row, column]) for row, column in cells)
    assert (
        len(sampled_cells(features, 2, 999))
        == features.loc[sampled_rows(features, 2)].count(axis=1).sum()
    )


def test_the_copy_keeps_marginals_and_breaks_rows() -> None:
    features = dataset().features
    copy = shuffled(features)
    for name in features:
        assert sorted(features[name].dropna()) == sorted(copy[name].dropna())
    rows = set(features.itertuples(index=False, name=None))
    assert sum(row in rows for row in copy.itertuples(index=False, name=None)) < 3


def test_both_questions_ask_for_the_same_value_and_do_not_show_it() -> None:
    known = dataset()
    hidden = reconstruction.spots(known, 40, 30)
    made = reconstruction.requests(known, hidden, plain=True)
    assert [spot.copy for spot in hidden] == ["real"] * 30 + ["shuffled"] * 30
    assert [(spot.row_id, spot.column) for spot in hidden[:30]] == [
        (spot.row_id, spot.column) for spot in hidden[30:]
    ]
    for spot, request in zip(hidden, made, strict=True):
        row = request.messages[0].content.split("\n\n")[1].split("\n")
        assert [line.split(": ")[0] for line in row] == list(known.features)
        assert f"{spot.column}: ?" in row
        assert request.messages[0].content.endswith(f"\n\n{spot.column}:")
    truths = reconstruction.grade(known, hidden, [Text("", 0, 0, 0.0, True)] * 60)
    assert [one["truth"] for one in truths[:30]] == [one["truth"] for one in truths[30:]]
    assert not any(one["valid"] or one["correct"] for one in truths)


def test_a_dataset_is_probed_without_its_label() -> None:
    table = pd.DataFrame({"row_id": [3, 4], "y": [0, 1], "a": [1.0, 2.0]})
    facts = {"title": "T", "others": ["id", "class"], "renames": [{"x": "a"}]}
    made = probed("d", table, facts)
    assert list(made.features) == ["a"]
    assert made.features.index.tolist() == [3, 4]
    assert made.namings == [("a", "id", "class"), ("x", "id", "class")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("148", "148"),
        ("\n 33.6\nAge: 50", "33.6"),
        ("x 2: -1.5e3.", "-1.5e3"),
        ("X 2 = −7", "-7"),
        ("x 2 is 1,234", "1234"),
        ("The value is .5, I think", ".5"),
        ("<think>1 or 2?</think>\n3", "3"),
        ("x2y", None),
        ("unknown", None),
        ("", None),
    ],
)
def test_numbers_are_read(text: str, value: str | None) -> None:
    assert read_value(text, "x 2", NUMBERS) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("male", "male"),
        (' "Female".', "female"),
        ("sex: OTHER", "other"),
        ("The person is female.", "female"),
        ("male or female", None),
        ("males", None),
        ("man", None),
    ],
)
def test_categories_are_read(text: str, value: str | None) -> None:
    assert read_value(text, "sex", SEX) == value


@given(st.text())
def test_any_answer_is_read_and_graded(text: str) -> None:
    for column, truth, numeric in ((NUMBERS, 2.0, True), (SEX, "male", False)):
        assert is_right(read_value(text, "sex", column), truth, 0.1, numeric) in (True, False)


@given(st.floats(-1e6, 1e6), st.floats(0, 1e3))
def test_the_window_is_closed_and_symmetric(truth: float, width: float) -> None:
    assert is_right(repr(truth), truth, 0.0, True)
    assert is_right(repr(truth + width), truth, width, True)
    assert is_right(repr(truth - width), truth, width, True)
    assert not is_right(repr(truth + 1.01 * width + 1), truth, width, True)


def test_the_window_is_a_quarter_of_a_standard_deviation() -> None:
    assert window(NUMBERS) == pytest.approx(WINDOW * np.std([1, 2, 4, 8]))
    assert window(SEX) == 0


numbers = st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=12)
categories = st.lists(st.sampled_from(["a", "A", "b", "c d"]), min_size=1, max_size=12)


@given(st.one_of(numbers, categories))
def test_chance_is_the_share_of_values_that_would_be_right(values: list[object]) -> None:
    column = pd.Series([*values, None], dtype="float64" if values[0].__class__ is float else "str")
    width, numeric = window(column), column.dtype == "float64"
    for truth in values:
        right = [is_right(str(value), truth, width, numeric) for value in values]
        assert chance(column, truth, width) == pytest.approx(sum(right) / len(values))


def test_a_row_may_be_continued_with_or_without_its_beginning() -> None:
    known = dataset()
    (row,) = sampled_rows(known.features, 1)
    cells = [completion.written(value) for value in known.features.loc[row]]
    (request,) = completion.requests(known, [row], plain=True)
    header, start = request.messages[0].content.split("\n")[-2:]
    assert header == ",".join(known.features)
    assert start.startswith(f"{cells[0]},") and start.endswith(f"{cells[2]},")
    texts = [
        *(f"{cells[3]},{cells[4]}", f",{cells[3]}, {cells[4]}"),
        f'{cells[0]},"{cells[1]}",{cells[2]},{cells[3]},{cells[4]}',
        f"{cells[3]},{cells[4]},and more\nand more",
        *(f"{cells[3]}", "", f"{cells[4]},{cells[3]}"),
    ]
    made = [completion.grade(known, [row], [Text(text, 0, 0, 0.0, True)])[0] for text in texts]
    assert [one["right"] for one in made] == [2, 2, 2, 2, 1, 0, 0]
    assert [one["verbatim"] for one in made] == [True] * 4 + [False] * 3


def test_chance_of_a_row_is_the_product_over_its_cells() -> None:
    features = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "c": [5.0, np.nan]})
    known = Probed("d", "T", features, [("a", "b", "c")])
    made = completion.grade(known, [0], [Text("", 0, 0, 0.0, True)])[0]
    assert (made["cells"], made["chance"], made["chance_verbatim"]) == (1, 0.5, 0.5)
    made = completion.grade(known, [1], [Text("missing", 0, 0, 0.0, True)])[0]
    assert (made["verbatim"], made["chance_verbatim"]) == (True, 0.5)


def test_wide_features_leave_something_to_continue() -> None:
    assert [completion.given_cells(n) for n in (1, 2, 3, 4, 5)] == [0, 1, 2, 2, 3]
