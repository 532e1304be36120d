"""No cell of a CSV runs in a spreadsheet, and CSVs edited in one are read."""

import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.core.spreadsheets import to_csv
from tabbench.reporting.writer import Table, write_table
from tabbench.scitarc.agreement import read_labels
from tabbench.scitarc.taxonomy import read_sheet

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")']
PLAIN = ["-5", "+1.5e3", "-", "–0.5", "a=b", " =1", "", "-inf", "0.5 - 0.2"]


def back(text):
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def test_formulas_become_text_and_all_else_stays():
    frame = pd.DataFrame({"said": FORMULAS + PLAIN, "n": -1.5, "flag": [True] * 15})
    found = back(to_csv(frame))
    assert found["said"].tolist() == [f"'{cell}" for cell in FORMULAS] + PLAIN
    assert set(found["n"]) == {"-1.5"}
    untouched = frame[len(FORMULAS) :]
    assert to_csv(untouched) == untouched.to_csv(index=False, lineterminator="\n")


@given(st.lists(st.none() | st.integers() | st.floats() | st.text(), min_size=1))
def test_no_cell_is_a_formula_whatever_the_texts(cells):
    frame = pd.DataFrame({"a": pd.Series(cells, dtype="object")})
    for cell in back(to_csv(frame))["a"]:
        if len(cell) > 1 and cell[0] in "=+-@":
            float(cell)


def test_tables_are_written_so(tmp_path):
    numbers = pd.DataFrame({"answer": ["=1+1"], "dataset": ["diabetes"]})
    files = {kind: tmp_path / f"t.{kind}" for kind in ("csv", "md", "tex")}
    write_table(Table("c", ("a",), (("x",),), numbers, ()), **files)
    assert files["csv"].read_text() == "answer,dataset\n'=1+1,diabetes\n"


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("end", ["", "separator"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_what_comes_back_from_a_spreadsheet_is_read(tmp_path, separator, end, encoding):
    end = separator if end else ""
    for column, said, read, back in (
        ("category", "Memory", read_sheet, "memory"),
        ("label", "0.5", read_labels, 0.5),
    ):
        lines = [
            separator.join(row) + end * (row[0] == "7f") for row in (["id", column], ["7f", said])
        ]
        (tmp_path / "sheet.csv").write_text("\n".join(lines) + "\n", encoding=encoding)
        assert read(tmp_path / "sheet.csv", ["7f"]).to_dict() == {"7f": back}


def test_rows_with_a_cell_too_many_are_refused(tmp_path):
    (tmp_path / "sheet.csv").write_text("id,category\n7f,,why\n")
    with pytest.raises(TabBenchError, match=r"sheet\.csv: .*more cells than the header"):
        read_sheet(tmp_path / "sheet.csv", ["7f"])
