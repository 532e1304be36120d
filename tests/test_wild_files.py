"""Files and entries as people have them: each is read rightly or refused with its place."""

import zipfile

import numpy as np
import pandas as pd
import pytest
import yaml
from workflow_copy import ROOT

from tabbench.config import validation
from tabbench.config.dataset_entry import Source, SourceFile, parse_dataset
from tabbench.config.user_datasets import user_entries
from tabbench.config.validation import load_yaml
from tabbench.core.errors import TabBenchError
from tabbench.data import delimited, sources
from tabbench.data.prepare import prepare
from tabbench.data.readers import read_raw
from tabbench.data.sources.fetch import fetch
from tabbench.data.sources.local import Unavailable
from tabbench.prompts.serialize import SERIALIZATIONS, find_serialization, serialize_frame

SCHEMA = load_yaml(ROOT / "config/schemas/dataset.schema.yaml")
TASK = "task: {entity: a person, task: whether it happens, negative: 'no', positive: 'yes'}\n"
OUT_IS_B = "target: {column: out, positive: b}\n"


@pytest.fixture
def own(tmp_path):
    """Load an own dataset from the bytes or text of its csv and the text of its YAML."""

    def load(content, entry=OUT_IS_B, said=None):
        folder = tmp_path / "own"
        folder.mkdir(exist_ok=True)
        content = content if isinstance(content, bytes) else content.encode()
        (folder / "d.csv").write_bytes(content)
        (folder / "d.yaml").write_text(entry + TASK, encoding="utf-8")
        dataset = parse_dataset("d", user_entries(folder, SCHEMA, ())["d"])
        fetch("d", dataset.sources, None, tmp_path / "raw")
        raw = read_raw(tmp_path / "raw", dataset.sources[0])
        return prepare(raw, dataset, (said if said is not None else []).append)

    return load


def rows(*lines, head="x,out"):
    """A csv of lines that end with a label: a, b, b, a and so on."""
    body = [f"{line},{'abba'[at % 4]}" for at, line in enumerate(lines)]
    return "\n".join([head, *body, ""])


class TestRowsAndHeader:
    def test_a_separator_at_the_end_of_each_row_shifts_nothing(self, own):
        lines = [f"{at % 2},{at % 3},{20 + at},ok," for at in range(12)]
        content = "\n".join(["default,married,age,note", *lines])
        table = own(content, "target: {column: default, positive: 1}\ndrop: [note]\n")
        assert table["y"].tolist() == [0, 1] * 6
        assert table["married"].tolist() == [0, 1, 2] * 4
        assert table["age"].tolist() == list(range(20, 32))

    @pytest.mark.parametrize(
        "content",
        [
            "x,out,\n1,a,\n2,b,\n",
            "x,out,,\n1,a,,\n2,b,,\n",
            "x,,out\n1,,a\n2,,b\n",
            "x,out\n1,a,,\n2,b\n3,a\n",
            "x,out\n\n1,a\n  \n2,b\n,\n",
            '"","x","out"\n"","1","a"\n"","2","b"\n',
            "sep=,\nx,out\n1,a\n2,b\n",
            "x,out\r1,a\r2,b\r",
            "x, out\n1, a \n 2,b\n",
            'x,out\n"1","a"\n2, "b"\n',
            "\ufeffx,out\n1,a\n2,b\n",
            '\ufeff"x",out\n1,a\n2,b\n',
        ],
    )
    def test_what_holds_nothing_is_left_out(self, own, content):
        table = own(content)
        assert list(table.columns) == ["row_id", "y", "x"]
        assert table["x"].tolist()[:2] == [1, 2]
        assert table["y"].tolist()[:2] == [0, 1]

    @pytest.mark.parametrize("names", [("1", "2", "3"), ("5", "7", "12"), ("anna", "b", "c")])
    def test_rs_row_names_are_left_out(self, own, names):
        body = "".join(f'"{name}",{at},{"ab"[at % 2]}\n' for at, name in enumerate(names))
        assert own(f'"x","out"\n{body}')["x"].tolist() == [0, 1, 2]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("x,out\n1,a\n2,b\n3", r"d\.csv, line 4: 1 cell, expected 2\. Complete the row"),
            ("x,out\n1,a\n2,b,c\n3,a\n", r"d\.csv, line 3: 3 cells, expected 2\. Quote cells"),
            ("x,out\n1,a,p\n1,b,q\n", r"line 2: 3 cells, expected 2"),  # no row names: twice 1
            ("x,out\n.5,a,p\n.7,b,q\n", r"line 2: 3 cells, expected 2"),
            ("x,out\n3,a,p\n1,b,q\n", r"line 2: 3 cells, expected 2"),
            ("x,out\n1,a,\n2,b,\n3,a", r"line 4: the last row ends without the separator"),
            ('x,out\n"1,a\n2,b\n"3,a\n', r"lines 2 to 4: a quoted cell does not end"),
            ('x,out\n"1,a\n2,b\n', r"lines 2 to 3: a quoted cell does not end"),
            ('x,out\n"1,a\n2,b\n3",a\n', r"lines 2 to 4: a quote makes one cell of lines"),
            ("x,x,out\n1,2,a\n", "columns 1 and 2 are both called 'x'; rename one in the file"),
            ("x;out\n1;a\n2;b\n", "header looks separated by ';': write separator: ';'"),
            ("x\tout\n1\ta\n2\tb\n", r'write separator: "\\t"'),
            ("", r"d\.csv: empty"),
            ("x,out\n", r"d\.csv: no rows"),
            (",out\n1,a\n2,b\n", r"a column has no name in the file; drop 'Unnamed: 0'"),
        ],
    )
    def test_what_is_no_table_is_refused_with_its_line(self, own, content, message):
        with pytest.raises(TabBenchError, match=message):
            own(content)

    def test_a_cell_of_several_lines_is_one_cell(self, own):
        table = own('x,out\n"one, or\ntwo\n\nlines",a\nshort,b\n')
        assert table["x"].tolist() == ["one, or\ntwo\n\nlines", "short"]

    def test_the_separator_of_the_first_line_must_be_the_stated_one(self, own):
        content = "sep=;\nx;out\n1;a\n2;b\n"
        assert own(content)["x"].tolist() == [1, 2]
        assert own(content, OUT_IS_B + "separator: ';'\n")["x"].tolist() == [1, 2]
        with pytest.raises(TabBenchError, match="separated by ';', the entry says ','"):
            own(content, OUT_IS_B + "separator: ','\n")

    @pytest.mark.parametrize("written", ["'|'", r'"\t"', r"\t", "' '", "'€'"])
    def test_any_character_may_separate(self, own, written):
        separator = {'"\\t"': "\t", "\\t": "\t"}.get(written, written.strip("'"))
        content = "x,out\n1,a\n2,b\n".replace(",", separator)
        assert own(content, f"{OUT_IS_B}separator: {written}\n")["x"].tolist() == [1, 2]
        with pytest.raises(TabBenchError, match="separator"):
            own(content, f"{OUT_IS_B}separator: ', '\n")

    def test_columns_are_named_where_the_file_does_not_or_twice(self, own):
        named = OUT_IS_B + "columns: [x, z, out]\n"
        assert list(own("x,x,out\n1,2,a\n3,4,b\n", named))[2:] == ["x", "z"]
        headless = own("1,2,a\n3,4,b\n", named + "header: false\n")
        assert headless["z"].tolist() == [2, 4]
        with pytest.raises(TabBenchError, match="header has 2 columns, 'columns' names 3"):
            own("x,out\n1,a\n", named)
        with pytest.raises(TabBenchError, match="without a header 'columns' must name"):
            own("1,a\n", OUT_IS_B + "header: false\n")


class TestEncodings:
    TEXT = "größe,out\n1,a\n2,b\n"

    @pytest.mark.parametrize(
        "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
    )
    def test_unicode_is_found(self, own, encoding):
        assert own(self.TEXT.encode(encoding))["größe"].tolist() == [1, 2]

    def test_others_are_named_by_the_entry(self, own):
        with pytest.raises(TabBenchError, match=r"line 1 is not in UTF-8.*cp1252.*'größe,out'"):
            own(self.TEXT.encode("latin-1"))
        for encoding in ("latin-1", "cp1252", "cp437"):
            table = own(self.TEXT.encode(encoding), f"{OUT_IS_B}encoding: {encoding}\n")
            assert table["größe"].tolist() == [1, 2]
        with pytest.raises(TabBenchError, match="no encoding 'latin-9x'"):
            own(self.TEXT, OUT_IS_B + "encoding: latin-9x\n")
        with pytest.raises(TabBenchError, match="not in the encoding ascii"):
            own(self.TEXT, OUT_IS_B + "encoding: ascii\n")

    @pytest.mark.parametrize(("file", "entry"), [("NFD", "NFC"), ("NFC", "NFD")])
    def test_equal_names_and_values_are_equal_texts(self, own, file, entry):
        from unicodedata import normalize

        content = normalize(file, "größe,out\nÜ,ä\nö,b\nÜ,b\n")
        said = "target: {column: out, positive: ä}\nrows: [{column: größe, keep: [Ü]}]\n"
        assert own(content, normalize(entry, said))["y"].tolist() == [1, 0]


class TestValues:
    """Text is text: what YAML would read as something else matches the file's cells."""

    @pytest.mark.parametrize(
        ("cells", "listed", "kept"),
        [
            (("NO", "SE", "DK"), "[NO, SE]", ("NO", "SE")),
            (("2024-01-01", "2024-01-02"), "[2024-01-01]", ("2024-01-01",)),
            (("2024-99-99", "x"), "[2024-99-99]", ("2024-99-99",)),
            (("12:30", "13:45"), "[12:30]", ("12:30",)),
            (("0123", "83"), "[0123]", ("0123",)),
            (("1.10", "1.1"), "[1.10]", ("1.10",)),
            (("0x1F", "31"), "[0x1F]", ("0x1F",)),
            (("1_000", "1000"), "[1_000]", ("1_000",)),
            (("null", "~", "x"), "[null, ~]", ("null", "~")),
            (("1e3", ".inf", "x"), "[.inf, 1e3]", ("1e3", ".inf")),
        ],
    )
    def test_filters_keep_what_is_written(self, own, cells, listed, kept):
        entry = f"{OUT_IS_B}rows: [{{column: x, keep: {listed}}}]\nfeatures: {{x: categorical}}\n"
        assert set(own(rows(*cells * 4), entry)["x"]) == set(kept)

    def test_drop_equals_replace_and_target(self, own):
        consent = rows(*("no", "yes", "off") * 4)
        dropped = own(consent, OUT_IS_B + "rows: [{column: x, drop: [no]}]\n")
        assert set(dropped["x"]) == {"yes", "off"}
        derived = "derive: {d: {column: x, equals: yes}}\nfeatures: {d: numeric}\n"
        assert own(consent, OUT_IS_B + derived)["d"].tolist() == [0, 1, 0] * 4
        replaced = own(rows("20", "999", "22"), OUT_IS_B + "replace: {x: {999: 41}}\n")
        assert replaced["x"].tolist() == [20, 41, 22]
        yes = own("x,out\n1,no\n2,yes\n", "target: {column: out, positive: yes}\n")
        assert yes["y"].tolist() == [0, 1]
        renamed = own("on,1\n2,b\n3,a\n", "rename: {on: x, 1: out}\n" + OUT_IS_B)
        assert renamed["x"].tolist() == [2, 3]

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ("rows: [{column: x, keep: [Oslo, Bergn]}]", "'Bergn'.*'x': did you mean 'Bergen'"),
            ("rows: [{column: x, drop: [oslo]}]", "'oslo' does not occur.*did you mean 'Oslo'"),
            (
                "rows: [{column: x, keep: [Oslo]}, {column: x, keep: [Rome]}]",
                "filter 2 of 'rows': 'Rome' does not",
            ),
            ("derive: {d: {column: x, equals: Osl}}\nfeatures: {d: numeric}", "derive 'd': 'Osl'"),
            ("replace: {x: {Osl: Oslo}}", "replace: 'Osl' does not occur.*quotes"),
            ("drop: [X]", "no column 'X' to drop: did you mean 'x'"),
            ("rename: {X: z}", r"no column\(s\) \['X'\] to rename"),
            ("rename: {x: out}", "columns 1 and 2 are both called 'out'"),
            ("rows: [{column: x, between: [1, 2]}]", "'x' has 4 cells.* cannot be read"),
        ],
    )
    def test_what_matches_nothing_is_refused(self, own, entry, message):
        with pytest.raises(TabBenchError, match=f"(?s){message}"):
            own(rows(*("Oslo", "Bergen") * 2), f"{OUT_IS_B}{entry}\n")

    def test_a_value_that_an_earlier_filter_left_out_occurs(self, own):
        filters = "rows: [{column: x, drop: [Oslo]}, {column: x, drop: [Oslo, Rome]}]\n"
        cities = own(rows(*("Oslo", "Bergen", "Rome") * 4), OUT_IS_B + filters)["x"]
        assert set(cities) == {"Bergen"}

    @pytest.mark.parametrize(
        ("target", "message"),
        [
            ("positive: c", "target.positive: 'c' does not occur in column 'out'"),
            ("positive: [b, B]", "'B' does not occur.*did you mean 'b'"),
            ("positive: b, others: [a, c]", "target.others: 'c' does not occur"),
        ],
    )
    def test_all_values_of_the_target_must_occur(self, own, target, message):
        with pytest.raises(TabBenchError, match=message):
            own(rows("1", "2"), f"target: {{column: out, {target}}}\n")


class TestNumbers:
    def shown(self, table):
        _, lines = serialize_frame(table[["x"]], find_serialization("feat_val"))
        return [line.split(" = ")[1].removesuffix(". Answer is ") for line in lines]

    @pytest.mark.parametrize("digits", ["4147202158431691", "4147202158431690001"])
    def test_long_whole_numbers_keep_their_digits(self, own, digits):
        cells = [str(int(digits) + at) for at in range(4)]
        assert self.shown(own(rows(*cells))) == cells

    def test_a_declared_number_must_hold_its_digits(self, own):
        entry = OUT_IS_B + "features: {x: numeric}\n"
        with pytest.raises(TabBenchError, match=r"'9007199254740993' in row 2.* more digits than"):
            own(rows("1", "9007199254740993"), entry)
        assert own(rows("1", "9007199254740992"), entry)["x"].tolist() == [1, 2**53]

    @pytest.mark.parametrize(
        "cell", ["Infinity", "-inf", "1e400", "1.7976931348623157e+308", "-4e38"]
    )
    def test_what_no_model_computes_with_is_refused_or_named_missing(self, own, cell):
        content = rows("1", cell, "3", "4")
        with pytest.raises(
            TabBenchError, match=r"feature 'x' has 1 cell .*in row 2.*under missing"
        ):
            own(content)
        named = own(content, f"{OUT_IS_B}missing: ['{cell}']\n")
        assert named["x"].isna().tolist() == [False, True, False, False]

    @pytest.mark.parametrize(
        ("entry", "cells", "numbers"),
        [
            ('decimal: ","', ("72,02", "-1,5", "3", "1,5e3"), (72.02, -1.5, 3, 1500)),
            ('thousands: ","', ("1,234", "12,34,567.5", "7"), (1234, 1234567.5, 7)),
            ('decimal: ","\nthousands: "."', ("1.234,5", "-1.000.000"), (1234.5, -1e6)),
            ("decimal: ','\nthousands: ' '", ("1 234,5", "1\u00a0234"), (1234.5, 1234)),
            ("thousands: \"'\"", ("1'234.5", "5"), (1234.5, 5)),
        ],
    )  # fmt: skip
    def test_marks_that_the_entry_names(self, own, entry, cells, numbers):
        body = "\n".join(f"{cell};{'ab'[at % 2]}" for at, cell in enumerate(cells))
        table = own(f"x;out\n{body}\n", f"{OUT_IS_B}separator: ;\n{entry}\n")
        np.testing.assert_allclose(table["x"], numbers, rtol=1e-15)
        between = "rows: [{column: x, between: [-1e9, 1e9]}]\n"
        assert len(own(f"x;out\n{body}\n", f"{OUT_IS_B}separator: ;\n{entry}\n{between}")) == len(
            cells
        )

    @pytest.mark.parametrize(
        ("cells", "message"),
        [
            (("72,02", "1,5", "3"), 'write decimal: "," into the entry'),
            (("1,234", "12,345", "7"), 'write decimal: ".", thousands: "," into'),
            (("1.234,5", "2,5", "7"), 'write decimal: ",", thousands: "." into'),
            (("1 234", "2", "NA"), 'thousands: " "'),
            (("1", "NA", "3"), "name 'NA' under missing"),
            (("1", "", "-"), "name '-' under missing"),
        ],
    )
    def test_numbers_that_would_become_words_are_refused(self, own, cells, message):
        body = "\n".join(f"{cell};{'ab'[at % 2]}" for at, cell in enumerate(cells))
        entry = OUT_IS_B + "separator: ;\n"
        with pytest.raises(TabBenchError, match=f"feature 'x'.*{message}.*categorical"):
            own(f"x;out\n{body}\n", entry)
        assert not pd.api.types.is_numeric_dtype(
            own(f"x;out\n{body}\n", entry + "features: {x: categorical}\n")["x"]
        )

    def test_a_wrong_grouping_is_no_number(self, own):
        entry = OUT_IS_B + "separator: ;\nthousands: ','\nfeatures: {x: numeric}\n"
        with pytest.raises(TabBenchError, match="'1,23' in row 2"):
            own("x;out\n1,234;a\n1,23;b\n", entry)
        with pytest.raises(TabBenchError, match=r"decimal and thousands are both '\.'"):
            own("x;out\n1;a\n", OUT_IS_B + "thousands: .\n")

    @pytest.mark.parametrize(
        ("cells", "reason"),
        [
            (("08859", "10001"), "leading zeros"),
            (("1", "2", "3+"), "1 cell .'3.' in row 3. that cannot be read"),
            (("red", "blue"), "no cell is a number"),
            (("9007199254740993", "1"), "more digits than"),
        ],
    )
    def test_why_a_column_is_categorical_is_said(self, own, cells, reason):
        said = []
        assert own(rows(*cells), said=said)["x"].tolist() == list(cells)
        assert len(said) == 1
        pd.Series(said).str.contains(f"feature 'x' is categorical: .*{reason}").all()


class TestNames:
    @pytest.mark.parametrize("name", ["row_id", "y", "answer", "Answer", "*"])
    def test_reserved_names_are_refused_and_may_be_renamed(self, own, name):
        content = rows("1", "2", head=f"{name},out")
        with pytest.raises(TabBenchError, match=f"called '[{name}]+'.*under 'rename'"):
            own(content)
        assert list(own(content, f"{OUT_IS_B}rename: {{'{name}': x}}\n")) == ["row_id", "y", "x"]

    @pytest.mark.parametrize("name", ["label", "index", "mode", "k", "Answer is", "y_true", "Y"])
    def test_other_names_of_the_workflow_are_names(self, own, name):
        table = own(rows("1", "2", head=f"{name},out"))
        assert list(table) == ["row_id", "y", name]
        for serialization in SERIALIZATIONS.values():
            head, lines = serialize_frame(table[[name]], serialization)
            assert serialization.parse(head, lines[0] + serialization.close(1)).label == 1

    @pytest.mark.parametrize("name", ["y", "answer", "row_id"])
    def test_the_target_may_have_any_name(self, own, name):
        table = own(rows("1", "2", head=f"x,{name}"), f"target: {{column: {name}, positive: b}}\n")
        assert table["y"].tolist() == [0, 1]


class TestEntries:
    def test_a_title_holds_no_html(self, own):
        with pytest.raises(TabBenchError, match=r"'title': '</script>' holds '<'"):
            own(rows("1", "2"), OUT_IS_B + "title: </script>\n")

    @pytest.mark.parametrize("file", ["../secret.csv", "/etc/passwd", "a/../../secret.csv"])
    def test_the_csv_lies_below_the_entry(self, own, tmp_path, file):
        (tmp_path / "secret.csv").write_text(rows("1", "2"))
        with pytest.raises(TabBenchError, match="is outside the folder"):
            own(rows("1", "2"), f"{OUT_IS_B}file: {file}\n")

    def test_a_link_and_a_folder_below_it_are_allowed(self, own, tmp_path):
        (tmp_path / "elsewhere.csv").write_text(rows("5", "6"))
        (tmp_path / "own/below").mkdir(parents=True)
        (tmp_path / "own/below/e.csv").symlink_to(tmp_path / "elsewhere.csv")
        assert own(rows("1", "2"), OUT_IS_B + "file: below/e.csv\n")["x"].tolist() == [5, 6]

    def test_aliases_may_not_grow_without_bound(self, own):
        levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
        with pytest.raises(TabBenchError, match="more than 100,000 keys and values"):
            own(rows("1", "2"), f"{OUT_IS_B}a0: &a0 [x, x]\n{levels}")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"a: &a [*a]\n", "an alias contains itself|nested too deeply"),
            (b"a: " + b"[" * 1500, "nested too deeply"),
            (b"title: gr\xf6\xdfe\n", "not UTF-8"),
            (b"a: {[1]: 2}\n", "keys must be words"),
            (b"a: &a {b: 1}\nc: {<<: *a}\n", "<< is not read"),
            (b"a: !!python/object:os.system x\n", "not valid YAML"),
            (b"a: 1\x00\n", "not valid YAML"),
            (b"- a\n", "expected a mapping"),
            (b"", "expected a mapping"),
        ],
    )
    def test_a_faulty_yaml_is_one_sentence(self, tmp_path, content, message):
        (tmp_path / "d.yaml").write_bytes(content)
        with pytest.raises(TabBenchError, match=rf"d\.yaml: .*({message})"):
            load_yaml(tmp_path / "d.yaml")

    def test_aliases_within_the_bound_are_read(self, tmp_path, monkeypatch):
        (tmp_path / "d.yaml").write_text("a: &a {NO: 1}\nb: *a\n")
        assert load_yaml(tmp_path / "d.yaml") == {"a": {"NO": 1}, "b": {"NO": 1}}
        monkeypatch.setattr(validation, "LARGEST", 6)
        with pytest.raises(TabBenchError, match="more than 6"):
            load_yaml(tmp_path / "d.yaml", {})
            (tmp_path / "d.yaml").write_text("a: [1, 2, 3, 4, 5]\n")
            load_yaml(tmp_path / "d.yaml", {})

    def test_numbers_and_flags_stay_where_the_schema_wants_them(self, tmp_path):
        entry = {
            "target": {"column": "out", "positive": "1"},
            "rows": [{"drop_missing": True}, {"column": "x", "between": [1, 2.5]}],
            "derive": {"d": {"column": "x", "at_least": 3}},
            "header": False,
            "max_shots": 4,
        }
        from tabbench.config.user_datasets import own_schema

        (tmp_path / "d.yaml").write_text(yaml.safe_dump(entry).replace("'1'", "1"))
        assert load_yaml(tmp_path / "d.yaml", own_schema(SCHEMA)) == entry


class TestSizes:
    def test_a_csv_over_the_limit_is_refused(self, own, monkeypatch):
        monkeypatch.setattr(delimited, "LARGEST_FILE", 10)
        with pytest.raises(TabBenchError, match=r"d\.csv: .*more than the .* MiB that are read"):
            own(rows("1", "2"))

    def zipped(self, tmp_path, content):
        with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("d.csv", content)
        return tmp_path / "a.zip"

    def test_a_member_of_an_archive_over_the_limit_is_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr(sources.url, "LARGEST_FILE", 3 * 2**20)
        file = SourceFile("d.csv", url="https://x/a.zip")
        sources.url._unpack(self.zipped(tmp_path, b"0" * 3 * 2**20), file, tmp_path / "d.csv")
        (tmp_path / "d.csv").unlink()
        packed = self.zipped(tmp_path, b"0" * (3 * 2**20 + 1))
        assert packed.stat().st_size < 10_000
        with pytest.raises(Unavailable, match=r"'d\.csv' unpacks to more than the 3 MiB"):
            sources.url._unpack(packed, file, tmp_path / "d.csv")
        assert not (tmp_path / "d.csv").exists()

    def test_a_broken_archive_is_no_traceback(self, tmp_path):
        packed = self.zipped(tmp_path, bytes(range(256)) * 40)
        content = bytearray(packed.read_bytes())
        content[60:90] = b"\xff" * 30
        packed.write_bytes(content)
        with pytest.raises(Unavailable, match="cannot be read"):
            sources.url._unpack(packed, SourceFile("d.csv", url="x"), tmp_path / "d.csv")
        assert not (tmp_path / "d.csv").exists()


def test_arff_files_of_other_encodings_and_with_odd_line_breaks(tmp_path):
    text = "@relation r\n@attribute 'größe' real\n@attribute b {x}\n@data\n1,'a\x85b'\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "a.arff").write_bytes(text.encode(encoding))
        found = read_raw(tmp_path, Source("local", (SourceFile("a.arff"),), "arff"))
        assert found.to_dict("list") == {"größe": ["1"], "b": ["a\x85b"]}
