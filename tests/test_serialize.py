"""The five text formats: pinned examples, one number format, and the way back."""

import math
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.prompts.serialize import (
    SERIALIZATIONS,
    find_serialization,
    format_cell,
    format_number,
    serialize_frame,
)

PAPER = pd.DataFrame({"age": [39], "education": ["Bachelor"], "gain": [2174.0]})

# name: head, query, what a demonstration of class 0 adds
PINNED = {
    "feat_val": (
        "",
        "Features are: age = 39, education = Bachelor, gain = 2174. Answer is ",
        "0.\n",
    ),
    "feat_val_mask": (
        "",
        "Features are: x_1 = 39, x_2 = Bachelor, x_3 = 2174. Answer is: y = ",
        "0.\n",
    ),
    "markdown": (
        "| age | education | gain | answer |\n|---|---|---|---|\n",
        "| 39 | Bachelor | 2174 | ",
        "0 |\n",
    ),
    "markdown_mask": (
        "| x_1 | x_2 | x_3 | y |\n|---|---|---|---|\n",
        "| 39 | Bachelor | 2174 | ",
        "0 |\n",
    ),
    "html": (
        "<table><tr><th>age</th><th>education</th><th>gain</th><th>answer</th></tr>\n",
        "<tr><td>39</td><td>Bachelor</td><td>2174</td><td>",
        "0</td></tr>\n",
    ),
}

# Text that the formats could mistake for their own.
HOSTILE = [
    "",
    " ",
    " x",
    "x ",
    "missing",
    '"missing"',
    '"',
    'say "hi"',
    "\\",
    "a\\",
    "a|b",
    "a\\|b",
    "|",
    " | ",
    "<td>",
    "</td></tr>",
    "<=50K",
    "&lt;",
    "&amp;lt;",
    "R&D",
    "a, b",
    "a,",
    ", ",
    "x =",
    "= x",
    "a = b",
    ". Answer is ",
    "x. Answer is: y",
    "x. Answer is: y = 1.\nFeatures are: ",
    "two\nlines",
    "\r\n",
    "a\tb",
    "\u2028",
    "\x85",
    "\x00",
    "\u00a0x",
    "Größe",
    "年齢",
    "👩\u200d🔬",
]
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(),
    st.lists(st.sampled_from([*HOSTILE, *'ab=,.|<&"\\ ']), max_size=6).map("".join),
)
rows = st.lists(st.tuples(texts, st.none() | texts), min_size=1, max_size=5)
every_format = pytest.mark.parametrize("name", list(PINNED))


def test_every_format_is_pinned() -> None:
    assert list(SERIALIZATIONS) == list(PINNED)


@every_format
def test_the_papers_example(name: str) -> None:
    head, query, close = PINNED[name]
    serialization = find_serialization(name)
    assert serialize_frame(PAPER, serialization) == (head, [query])
    assert serialization.close(0) == close
    assert serialization.close(1) == close.replace("0", "1")


@every_format
@given(rows)
@example([(text, text) for text in HOSTILE])
def test_what_is_written_parses_back(name: str, row: list[tuple[str, str | None]]) -> None:
    serialization = SERIALIZATIONS[name]
    columns, cells = [column for column, _ in row], [cell for _, cell in row]
    head, query = serialization.head(columns), serialization.row(columns, cells)
    assert len(query.splitlines()) == 1
    written = [f"x_{i}" for i in range(1, len(columns) + 1)] if serialization.masked else columns
    for label, text in [(None, query), *((y, query + serialization.close(y)) for y in (0, 1))]:
        parsed = serialization.parse(head, text)
        assert (parsed.columns, parsed.cells, parsed.label) == (written, cells, label)


@pytest.mark.parametrize(
    "text", ["Bachelor", ">50K", "5\" pipe", "it's", "a,b", "Some-college", "x=1", "Größe", "年齢",
             "👩\u200d🔬", "Dr. No", "no. 5", "C:\\x", "True", "-1", "a  b", "50%"]
)  # fmt: skip
@every_format
def test_ordinary_text_is_written_as_it_is(name: str, text: str) -> None:
    _, [query] = serialize_frame(pd.DataFrame({"c": [text]}), SERIALIZATIONS[name])
    assert query == PINNED[name][1].split("39")[0].replace("age", "c") + (
        text + PINNED[name][1].split("2174")[1]
    )


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("feat_val", "Smith, John", '"Smith, John"'),
        ("feat_val", "a|b <c>", "a|b <c>"),
        ("feat_val", "two\nlines", '"two\\nlines"'),
        ("feat_val", "missing", '"missing"'),
        ("feat_val", "", '""'),
        ("feat_val", None, "missing"),
        ("markdown", "a|b", "a\\|b"),
        ("markdown", "Smith, John", "Smith, John"),
        ("markdown", "two\u2028lines", '"two\\u2028lines"'),
        ("html", "<=50K & more", "&lt;=50K &amp; more"),
        ("html", None, "missing"),
    ],
)
def test_escapes(name: str, text: str | None, written: str) -> None:
    frame = pd.DataFrame({"age": [text]}, dtype=object)
    _, [query] = serialize_frame(frame, SERIALIZATIONS[name])
    before, after = PINNED[name][1].split("39")[0], PINNED[name][1].split("2174")[1]
    assert query == before + written + after


def test_names_are_escaped_as_cells_are() -> None:
    frame = pd.DataFrame({"a|b": [1], "R&D\n": [2]})
    head, [query] = serialize_frame(frame, SERIALIZATIONS["markdown"])
    assert (head, query) == ('| a\\|b | "R&D\\n" | answer |\n|---|---|---|\n', "| 1 | 2 | ")
    assert '<th>"R&amp;D\\n"</th>' in serialize_frame(frame, SERIALIZATIONS["html"])[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2174, "2174"), (2174.0, "2174"), (-0.0, "0"), (0.5, "0.5"), (-1.25, "-1.25"),
        (0.1 + 0.2, "0.3"), (np.float32(0.1), "0.1"), (np.float64(3), "3"), (np.int8(-7), "-7"),
        (123456789, "123456789"), (123456789.0, "123456789"), (1234567.8, "1234567.8"),
        (999999.7, "999999.7"), (1234.5678, "1234.57"), (123456.789, "123456.79"),
        (0.0001, "0.0001"), (0.00001, "1e-05"), (1 / 3, "0.333333"), (2**51 + 0.5, f"{2**51}.5"),
        (4147202158431691.0, "4147202158431691"), (4147202158431692.0, "4147202158431692"),
        (1e15, "1000000000000000"), (1e20, str(10**20)), (10**20, str(10**20)),
        (6.02214076e23, "6.02214076e+23"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        (math.inf, "inf"), (-math.inf, "-inf"),
    ],
)  # fmt: skip
def test_one_number_format(value: float, text: str) -> None:
    assert format_number(value) == text == format_cell(value)


@given(
    st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(-1e9, 1e9)
    | st.integers(-(10**18), 10**18).map(float)
)
def test_numbers_are_plain_and_keep_every_digit_before_the_point(number: float) -> None:
    text = format_number(number)
    assert float(text) == pytest.approx(number, rel=5.01e-6, abs=1e-322)
    assert abs(float(text) - number) <= 0.0051 or number.is_integer() or abs(number) < 1e4
    assert float(text) == number or not number.is_integer()
    assert format_number(float(text)) == text
    assert text != "-0"
    if number == 0 or 1e-4 <= abs(number) < 1e22:
        assert "e" not in text


@pytest.mark.parametrize("value", [None, math.nan, np.float32("nan"), pd.NA, pd.NaT])
def test_every_kind_of_missing_value(value: object) -> None:
    assert format_cell(value) is None


def test_kinds_of_columns() -> None:
    frame = pd.DataFrame(
        {
            "flag": [True, False],
            "nullable": pd.array([3, None], dtype="Int64"),
            "float": [3.0, math.nan],
            "category": pd.Categorical(["low", None]),
            "mixed": pd.Series([np.bool_(True), np.float64(0.25)], dtype=object),
            "date": [date(2020, 1, 2), None],
        }
    )
    frame.columns = pd.Index(["same", "same", 3, "c", "d", "e"])  # repeated, and not text
    _, written = serialize_frame(frame, SERIALIZATIONS["feat_val"])
    assert written == [
        "Features are: same = True, same = 3, 3 = 3, c = low, d = True, e = 2020-01-02. Answer is ",
        "Features are: same = False, same = missing, 3 = missing, c = missing, d = 0.25,"
        " e = missing. Answer is ",
    ]


@pytest.mark.parametrize("damage", ["", "x", "{}2.\n", "{}{}", " {}", '"', "{}0"])
@every_format
def test_other_text_is_refused(name: str, damage: str) -> None:
    head, query, _ = PINNED[name]
    with pytest.raises(TabBenchError, match=f"'{name}': not a row"):
        SERIALIZATIONS[name].parse(head, damage.replace("{}", query))


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_a_row_of_another_table_is_refused(name: str) -> None:
    head, query, _ = PINNED[name]
    shorter = SERIALIZATIONS[name].head(["age", "gain"])
    with pytest.raises(TabBenchError):
        SERIALIZATIONS[name].parse(shorter, query)
    with pytest.raises(TabBenchError):
        SERIALIZATIONS[name].parse(head, SERIALIZATIONS[name].row(["age"], ["39"]))


def test_unknown_format_names_the_nearest() -> None:
    with pytest.raises(TabBenchError, match="did you mean 'markdown_mask'"):
        find_serialization("markdown_masked")


def test_equal_values_of_several_types_are_written_each_in_its_own_way() -> None:
    mixed = pd.DataFrame(
        {"x": pd.Series([1, True, 1.0, "1", 0, False, np.float64(0)], dtype=object)}
    )
    _, written = serialize_frame(mixed, SERIALIZATIONS["markdown"])
    cells = [row.strip("| ") for row in written]
    assert cells == ["1", "True", "1", "1", "0", "False", "0"]


@pytest.mark.parametrize("cell", [" a", "a ", "\u00a0a", "a\u2003"])
@every_format
def test_outer_space_is_written_in_quotes(name: str, cell: str) -> None:
    assert f'"{cell}"' in SERIALIZATIONS[name].row(["x"], [cell])
