"""The paper's numbers: typed whole, re-derived where they can be, and their slips listed."""

import math
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_claims import (
    PAPER,
    Claim,
    Value,
    discrepancies,
    every_claim,
    number,
    of,
    root_mean_square,
    texts,
)

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_table
from tabbench.core.schemas.published import DISCREPANCIES, PUBLISHED
from tabbench.published.published import (
    COMPARED,
    TABLES,
    published_cells,
    read_discrepancies,
    read_published,
)
from tabbench.reporting.tables import paper
from tabbench.reporting.writer import to_latex, to_markdown

SHAPES = {
    "table2": (3, 5), "table3": (3, 3), "table6": (4, 4), "table7": (4, 6), "table8": (4, 6),
    "table9": (8, 4), "table10": (7, 9), "table11": (3, 2), "table17": (8, 6), "table18": (5, 6),
}  # fmt: skip
"""Rows and columns that the paper prints; its Table IV has gaps."""


def test_the_listed_discrepancies_are_what_the_numbers_give() -> None:
    listed = read_discrepancies(PAPER / "discrepancies.csv")
    derived = discrepancies(every_claim())
    pd.testing.assert_frame_equal(listed, derived, check_dtype=False, check_exact=True)


def test_every_difference_that_the_paper_prints_is_among_the_claims() -> None:
    claims = every_claim()
    counts = pd.Series([claim.place for claim in claims]).value_counts()
    lifts = [one for one in claims if "lift = LLM − Random" in one.statement]
    assert len(lifts) == len(texts("table4"))
    deltas = [one for one in claims if one.statement.endswith("Δ = forward − generation")]
    assert len(deltas) == len(texts("table11"))
    assert counts["Table VIII"] == 4 * (2 + 6)
    readme = (PAPER / "README.md").read_text(encoding="utf-8")
    assert f"{len(claims)} statements" in readme


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_whole_and_as_printed(name: str) -> None:
    rows = read_published(PAPER / f"{name}.csv")
    table = TABLES[name]
    if name in SHAPES:
        assert len(rows) == math.prod(SHAPES[name])
        levels = [rows[key].nunique() for key in table.key]
        expected = 15 if name == "table2" else math.prod(levels)  # TabPFN has its own k
        assert len(rows) == expected
    decimals = {"table3": 0, "table11": 4}.get(name, 3)
    pattern = r"[+-]?\d+" + (rf"[.]\d{{{decimals}}}" if decimals else "")
    for column in table.numbers:
        assert texts(name)[column].str.fullmatch(pattern).all(), column
        if column in ("mean", "accuracy", "random", "generation", "forward"):
            assert rows[column].between(0 if name in ("table4", "table8") else 0.5, 1).all()
        if column.endswith("std"):
            assert rows[column].between(0, 0.2).all()


def test_folded_values_cannot_be_below_chance() -> None:
    """What supports that the paper folds: none of its values lies below 0.5."""
    tables = {name: read_published(PAPER / f"{name}.csv") for name in COMPARED}
    cells = published_cells(tables)
    levels = cells[cells["minus_configuration"] == ""]
    assert levels["mean"].min() == 0.5


digits3 = st.floats(0, 1).map(lambda x: round(x, 9))


@given(digits3, digits3)
def test_rounding_alone_is_never_a_discrepancy(a: float, b: float) -> None:
    first, second = number(f"{a:.3f}"), number(f"{b:.3f}")
    assert Claim("", "", number(f"{a - b:.3f}"), first - second).adds_up
    assert Claim("", "", number(f"{a - b:.2f}"), first - second).adds_up
    mean = first.times(24 / 32) + second.times(8 / 32)
    assert Claim("", "", number(f"{(24 * a + 8 * b) / 32:.3f}"), mean).adds_up
    spread = of(lambda parts: root_mean_square(parts, (24, 8)), [first, second])
    true = math.sqrt((24 * a**2 + 8 * b**2) / 32)
    assert Claim("", "", number(f"{true:.3f}"), spread).adds_up


def test_more_than_rounding_is_a_discrepancy_and_a_copy_may_not_differ() -> None:
    difference = number("0.712") - number("0.640")
    assert Claim("", "", number("0.073"), difference).adds_up
    assert not Claim("", "", number("0.074"), difference).adds_up
    assert not Claim("", "", number("0.713"), number("0.712"), copied=True).adds_up
    assert Claim("", "", number("0.7124"), number("0.712"), copied=True).adds_up
    assert Claim("", "", Value(0.05, 0), number("0.056"), "≥").adds_up
    assert not Claim("", "", Value(0.05, 0), number("0.049"), "≥").adds_up
    assert not Claim("", "", Value(0.05, 0), number("0.056"), "≤").adds_up


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0.711", "O.711"), r"table7.csv: row \d+ has an empty cell, or a text in place"),
        (("0.711", ""), "has an empty cell"),
        (("model,k", "name,k"), r"columns \['name', 'k', 'mean', 'std'\], expected"),
        (("Qwen3-8B,4,", "Qwen3-8B,0,"), "'Qwen3-8B, 0' occurs twice"),
    ],
)
def test_a_mistyped_file_is_refused(change, message, tmp_path) -> None:
    text = (PAPER / "table7.csv").read_text(encoding="utf-8")
    assert change[0] in text
    path = tmp_path / "table7.csv"
    path.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(TabBenchError, match=message):
        read_published(path)


def test_each_published_number_finds_its_cells(tmp_path) -> None:
    tables = {name: read_published(PAPER / f"{name}.csv") for name in COMPARED}
    cells = published_cells(tables)
    write_table(cells, tmp_path / "published.parquet", PUBLISHED)
    assert len(read_table(tmp_path / "published.parquet", PUBLISHED)) == len(cells)
    counts = cells.groupby("table").size().to_dict()
    assert counts == {
        "II": 12, "VI": 16, "VII": 24, "VIII": 24, "IX": 28, "X": 63, "XI": 18, "XVII": 32,
        "XVIII": 24,
    }  # fmt: skip
    row = cells[(cells["table"] == "IX") & (cells["condition"] == "Few-shot (16) + expert")]
    assert set(row["configuration"]) == {"Expert"}
    assert set(row["k"]) == {16}
    delta = cells[(cells["table"] == "XI") & (cells["minus_mode"] == "generation")]
    assert delta["mean"].tolist() == tables["table11"]["delta"].tolist()


def test_the_discrepancies_are_shown() -> None:
    frame = read_discrepancies(PAPER / "discrepancies.csv")
    assert list(frame.columns) == DISCREPANCIES.names
    table = paper.discrepancies(frame)
    assert len(table.rows) == len(frame) > 0
    text = to_markdown(table)
    assert re.search(r"biodegr, Qwen3-14B.*\| 0.13 \| −0.078 \| −0.208 \| 0.0055 \|", text)
    assert "| ≥ 0.05 | −0.286 |" in text
    assert "nothing was measured" in text
    assert to_latex(table).isascii()
