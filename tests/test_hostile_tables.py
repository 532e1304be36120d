"""From any file that a dialect can write to prompts and audit, or one sentence that refuses it."""

import csv
import io
import tempfile
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st
from workflow_copy import ROOT

from tabbench.config.dataset_entry import Source, SourceFile, TaskText, parse_dataset
from tabbench.config.user_datasets import user_entries
from tabbench.config.validation import load_yaml
from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_table
from tabbench.core.schemas.table import TABLE
from tabbench.data.audit import audit
from tabbench.data.delimited import guess_source
from tabbench.data.description import describe, features
from tabbench.data.draft import Draft, draft
from tabbench.data.prepare import prepare
from tabbench.data.readers import read_raw
from tabbench.data.sources.fetch import fetch
from tabbench.data.split import split
from tabbench.prompts.serialize import SERIALIZATIONS, format_cell, serialize_frame

SCHEMA = load_yaml(ROOT / "config/schemas/dataset.schema.yaml")
TASK = {"entity": "a row", "task": "what it is", "negative": "one", "positive": "other"}
LETTERS = st.sampled_from("abzeNO019 .,;|:=+-@#&*'\"\\\t/<>{}[]%$?!~é\u0301中😀\u00a0")
LINES = st.sampled_from(["\n", "\r\n"])
WORDS = st.text(LETTERS, min_size=1, max_size=12)
NAMES = WORDS | st.sampled_from(
    ["label", "index", "mode", "k", "Answer is", "yes", "NO", "null", "1", "2024-01-01", "=1+1"]
)
MISSING = ("", "NA")


def clean(text):
    return normalize("NFC", text).strip()


def written(number, decimal, thousands):
    text = f"{number:,}" if thousands else repr(number)
    marks = {".": decimal, ",": thousands or ""}
    return "".join(marks.get(character, character) for character in text)


@st.composite
def tables(draw):
    """Columns of text and of numbers, with names, a target and what a reader should make of it."""
    rows = draw(st.integers(9, 14))
    names = draw(
        st.lists(NAMES, min_size=2, max_size=5, unique_by=lambda name: clean(name).casefold())
    )
    names = [name for name in names if clean(name) not in ("", "*", "y", "row_id", "answer")]
    assume(len(names) >= 2)
    labels = draw(st.lists(WORDS.filter(clean), min_size=2, max_size=2, unique_by=clean))
    assume(not set(map(clean, labels)) & set(MISSING))
    y = draw(
        st.permutations(
            [0, 1] * 3 + draw(st.lists(st.integers(0, 1), min_size=rows - 6, max_size=rows - 6))
        )
    )
    columns = {}
    for name in names[1:]:
        number = draw(st.booleans())
        cell = (
            st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
            if number
            else WORDS | st.tuples(WORDS, LINES, WORDS).map("".join)
        )
        cells = draw(st.lists(st.none() | cell, min_size=rows, max_size=rows))
        assume(any(one is not None and clean(str(one)) not in MISSING for one in cells))
        columns[name] = (number, cells)
    return names[0], [labels[one] for one in y], y, labels[1], columns


@st.composite
def dialects(draw):
    """How a table is written: what a person's program may do to it."""
    separator = draw(st.sampled_from(",;\t|"))
    decimal = draw(st.sampled_from(".,"))
    thousands = draw(st.sampled_from([None, *({".", ",", " ", "'"} - {decimal})]))
    return {
        "separator": separator,
        "decimal": decimal,
        "thousands": thousands,
        "quoting": draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        "line": draw(st.sampled_from(["\n", "\r\n"])),
        "encoding": draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "gb18030"])),
        "end": draw(st.sampled_from(["", separator, separator * 2])),
        "ends_header": draw(st.booleans()),
        "hint": draw(st.booleans()),
        "form": draw(st.sampled_from(["NFC", "NFD"])),
    }


def file(table, dialect):
    """The bytes of a csv: the target last."""
    target, labels, _, _, columns = table
    line, end = dialect["line"], dialect["end"]

    def row(cells):
        out = io.StringIO()
        form = {"delimiter": dialect["separator"], "lineterminator": line}
        csv.writer(out, quoting=dialect["quoting"], **form).writerow(cells)
        return out.getvalue().removesuffix(line)

    lines = [f"sep={dialect['separator']}"] if dialect["hint"] else []
    lines.append(row([*columns, target]) + end * dialect["ends_header"])
    for at, label in enumerate(labels):
        cells = [
            MISSING[at % 2]
            if cells[at] is None
            else written(cells[at], dialect["decimal"], dialect["thousands"])
            if number
            else cells[at]
            for number, cells in columns.values()
        ]
        lines.append(row([*cells, label]) + end)
    return normalize(dialect["form"], line.join([*lines, ""])).encode(dialect["encoding"])


def entry_of(table, dialect):
    target, _, _, positive, columns = table
    names = {name: "numeric" if number else "categorical" for name, (number, _) in columns.items()}
    keys = {
        "separator": None if dialect["hint"] else dialect["separator"],
        "decimal": dialect["decimal"],
        "thousands": dialect["thousands"],
        "encoding": "gb18030" if dialect["encoding"] == "gb18030" else None,
        "target": {"column": clean(target), "positive": clean(positive)},
        "features": {clean(name): kind for name, kind in names.items()},
        "missing": list(MISSING),
        "task": TASK,
    }
    named = {key: value for key, value in keys.items() if value is not None}
    return yaml.safe_dump(named, sort_keys=False)


def load(content, entry, folder):
    (folder / "own").mkdir()
    (folder / "own/d.csv").write_bytes(content)
    (folder / "own/d.yaml").write_text(entry, encoding="utf-8")
    dataset = parse_dataset("d", user_entries(folder / "own", SCHEMA, ())["d"])
    fetch("d", dataset.sources, None, folder / "raw")
    made = prepare(read_raw(folder / "raw", dataset.sources[0]), dataset, lambda _: None)
    write_table(made, folder / "table.parquet", TABLE)
    return read_table(folder / "table.parquet", TABLE)


def follow(table):
    """Every later step that needs no model; each prompt's row must read back as its cells."""
    parts = split(table, None, "d")
    audit(table, parts, TaskText(**TASK))
    assert describe(table)["rows"] == len(table)
    rows = features(table)
    for serialization in SERIALIZATIONS.values():
        head, lines = serialize_frame(rows, serialization)
        for (_, row), line in zip(rows.iterrows(), lines, strict=True):
            read = serialization.parse(head, line + serialization.close(1))
            assert read.cells == [format_cell(cell) for cell in row]
            assert serialization.masked or read.columns == list(rows.columns)


PLAIN = {
    "separator": ",", "decimal": ".", "thousands": None, "quoting": csv.QUOTE_MINIMAL,
    "line": "\n", "encoding": "utf-8", "end": "", "ends_header": False, "hint": False,
    "form": "NFC",
}  # fmt: skip
SIMPLE = (
    "out", ["no", "yes"] * 5, [0, 1] * 5, "yes",
    {"x": (True, [1, None, 2.5, 3, 4, 5, 6, 7, 8, 9]), "NO": (False, ["yes"] * 9 + [None])},
)  # fmt: skip


@settings(max_examples=15)
@given(tables(), dialects())
@example(SIMPLE, PLAIN)
def test_what_an_entry_names_is_read_as_it_was_meant(table, dialect):
    content = file(table, dialect)
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = load(content, entry_of(table, dialect), Path(folder))
        except TabBenchError as error:  # lines of a cell that each look like a row
            assume("a quote makes one cell of lines" not in str(error))
            raise
    assert found["y"].tolist() == list(table[2])
    assert list(found.columns[2:]) == [clean(name) for name in table[4]]
    for name, (number, cells) in table[4].items():
        column = found[clean(name)]
        if number:
            meant = [np.nan if cell is None else float(cell) for cell in cells]
            np.testing.assert_array_equal(column.to_numpy(), meant)
        else:
            texts = [
                None if cell is None or clean(cell) in MISSING else clean(cell) for cell in cells
            ]
            assert [None if pd.isna(cell) else cell for cell in column] == texts
    follow(found)


def harmed(content, draw):
    """Harm that happens to files: cut, joined, doubled, bytes changed."""
    if draw(st.booleans()):
        return content
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        part = draw(
            st.sampled_from([b"", b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"Infinity", b"1e999"])
        )
        content = content[:at] + part + content[at + draw(st.integers(0, 2)) :]
    return content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content


@settings(max_examples=20)
@given(st.data(), tables(), dialects())
def test_a_draft_of_any_file_loads_or_is_refused_in_words(data, table, dialect):
    """No exception but the user's error, from the file to the prompts."""
    content = harmed(file(table, dialect), data.draw)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "d.csv").write_bytes(content)
        try:
            source = guess_source(folder / "d.csv", Source("local", (SourceFile("d.csv"),)))
            raw = read_raw(folder, source)
            target = raw.columns[-1]
            made = draft(raw, target, raw[target].str.strip().iloc[0])
        except TabBenchError:
            event("refused")
            return
        event("loaded")
        keys = {"separator": source.separator, "encoding": source.encoding}
        keys = {key: value for key, value in keys.items() if value is not None}
        try:
            found = load(content, Draft({**keys, **made.entry}, made.reasons).text(), folder)
        except TabBenchError as error:
            raise AssertionError("a draft that its own workflow refuses") from error
        follow(found)


@settings(max_examples=8)
@given(dialects())
def test_the_draft_of_an_ordinary_file_is_right(dialect):
    """Whatever the separator, the encoding and the way to write numbers."""
    rows = 24
    numbers = [round(1234.5 * at + 0.25, 2) for at in range(rows)]
    table = (
        "outcome",
        ["no", "yes"] * (rows // 2),
        [0, 1] * (rows // 2),
        "yes",
        {
            "id": (False, [f"c{at:03}" for at in range(rows)]),
            "größe": (True, numbers),
            "married": (True, [at % 2 for at in range(rows)]),
            "job": (False, [("clerk", "nurse", None)[at % 3] for at in range(rows)]),
        },
    )
    content = file(
        table,
        dialect | {"encoding": dialect["encoding"].replace("gb18030", "cp1252"), "form": "NFC"},
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "d.csv").write_bytes(content)
        source = guess_source(folder / "d.csv", Source("local", (SourceFile("d.csv"),)))
        made = draft(read_raw(folder, source), "outcome", "yes")
        assert made.entry["drop"] == ["id"]
        assert made.entry["features"] == {
            "größe": "numeric",
            "married": "numeric",
            "job": "categorical",
        }
        keys = {"separator": source.separator, "encoding": source.encoding}
        keys = {key: value for key, value in keys.items() if value is not None}
        found = load(content, Draft({**keys, **made.entry}, made.reasons).text(), folder)
    assert found["größe"].tolist() == numbers
    assert found["y"].tolist() == list(table[2])
    assert found["job"].isna().sum() == rows // 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "drawn"),
    [
        (test_what_an_entry_names_is_read_as_it_was_meant, (tables(), dialects())),
        (test_a_draft_of_any_file_loads_or_is_refused_in_words, (st.data(), tables(), dialects())),
        (test_the_draft_of_an_ordinary_file_is_right, (dialects(),)),
    ],
)
def test_with_many_more_examples(test, drawn):
    settings(max_examples=300)(given(*drawn)(test.hypothesis.inner_test))()
