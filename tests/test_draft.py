"""The draft of a user dataset: what it detects, why, and what it refuses."""

import os
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from workflow_copy import ROOT

from tabbench.core.errors import TabBenchError
from tabbench.data import draft as module
from tabbench.data.draft import draft
from tabbench.data.example import ENTRY, example

ROWS = 24


def raw(**columns):
    """Text cells; a column is a function of the row, or one cell for all rows."""
    given = {
        name: [str(cell(at) if callable(cell) else cell) for at in range(ROWS)]
        for name, cell in columns.items()
    }
    return pd.DataFrame({**given, "out": ["no", "yes"] * (ROWS // 2)}, dtype="str")


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run the tool on a file; its exit code, the YAML that it writes, and errors."""

    def run(content, target="out", positive="yes", name="d.csv", *options):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        folder = tmp_path / "own"
        arguments = ["draft", str(tmp_path / name), target, positive, "--folder", str(folder)]
        monkeypatch.setattr(sys, "argv", [*arguments, "--name", "d", *options])
        code = module.main()
        made = folder / "d.yaml"
        return code, made.read_text() if made.exists() else "", capsys.readouterr().err

    return run


ROLES = {
    "income": (lambda at: 20_000 + 37 * at, "numeric", "almost all different; if an id, drop it"),
    "age": (lambda at: 20 + at, "numeric", "almost all different; if an id, drop it"),
    "height": (lambda at: 150 + at / 7, "numeric", None),
    "children": (lambda at: at % 3, "numeric", None),
    "constant": (7, "numeric", "always '7'"),
    "price": (lambda at: f"{at + 1}.{at % 3}00", "numeric", "if 1.000 is a thousand"),
    "row": (lambda at: at + 1, "drop", "the numbers of the rows"),
    "customer_id": (lambda at: 500 + 3 * at, "drop", "an id by its name"),
    "name": (lambda at: f"n{at}", "drop", "names, ids or free text"),
    "zip": (lambda at: f"0{8800 + at % 4}", "categorical", "leading zeros"),
    "card": (lambda at: 4147202158431690001 + at % 3, "categorical", "more digits"),
    "dependents": (lambda at: ("0", "1", "3+")[at % 3], "categorical", "'3+' in row 3"),
    "job": (lambda at: ("clerk", "nurse")[at % 2], "categorical", "words, 2 different"),
    "empty": ("", "drop", "no value"),
    "Unnamed: 0": (lambda at: at % 3, "drop", "no name in the file"),
}


@pytest.mark.parametrize(("name", "cell", "kind", "why"), [(k, *v) for k, v in ROLES.items()])
def test_each_column_has_a_role_and_a_reason(name, cell, kind, why):
    made = draft(raw(other=lambda at: at % 2, **{name: cell}), "out", "yes")
    found = "drop" if name in made.entry["drop"] else made.entry["features"][name]
    assert found == kind
    text = made.text()
    assert (why or "") in made.reasons[name]
    assert made.reasons[name] in text
    assert yaml.safe_load(text) == made.entry


def test_missing_words_are_found_where_they_mean_it():
    table = raw(
        age=lambda at: ("NA", "31", "32")[at % 3],
        sum=lambda at: ("-", "Infinity", "1.5", "2.5")[at % 4],
        drink=lambda at: ("None", "wine")[at % 2],
    )
    entry = draft(table, "out", "yes").entry
    assert entry["missing"] == ["NA", "-", "Infinity"]
    assert entry["features"] == {"age": "numeric", "sum": "numeric", "drink": "categorical"}


def test_labels_that_are_missing_are_left_out_but_signs_are_labels():
    table = raw(age=lambda at: at % 5)
    table["out"] = ["yes", "no", "", "NA"] * (ROWS // 4)
    entry = draft(table, "out", "yes").entry
    assert entry["target"] == {"column": "out", "positive": "yes"}
    assert entry["rows"] == [{"column": "out", "drop": ["", "NA"]}]
    table["out"] = ["+", "-"] * (ROWS // 2)
    assert "rows" not in draft(table, "out", "+").entry
    table["out"] = ["yes", "no", "perhaps"] * (ROWS // 3)
    assert draft(table, "out", "yes").entry["target"]["others"] == ["no", "perhaps"]


def test_reserved_names_are_renamed():
    made = draft(
        raw(y=lambda at: at % 3, Answer=lambda at: at % 2, **{"y_": "1", "*": "2"}), "out", "yes"
    )
    assert made.entry["rename"] == {"y": "y__", "Answer": "Answer_", "*": "star"}
    assert set(made.entry["features"]) == {"y__", "Answer_", "y_", "star"}


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["yes"] * ROWS, "gives class 0 0 row"),
        (["yes"] * 2 + ["no"] * (ROWS - 2), "gives class 1 2 row.*a split needs 3"),
    ],
)
def test_a_target_with_too_few_rows_of_a_class_is_refused(labels, message):
    with pytest.raises(TabBenchError, match=message):
        draft(raw(age=lambda at: at % 5).assign(out=labels), "out", "yes")


def test_a_table_of_ids_alone_is_refused():
    with pytest.raises(TabBenchError, match="no column but 'out' looks like a feature: 'name': w"):
        draft(raw(name=lambda at: f"n{at}"), "out", "yes")


def test_a_separator_at_the_end_of_rows_moves_no_label(command):
    rows = "".join(f"{at % 2},{(at // 2) % 2},{20 + at},\n" for at in range(ROWS))
    code, out, _ = command(f"default,married,age\n{rows}".encode(), "default", "1")
    assert code == 0
    assert yaml.safe_load(out)["target"] == {"column": "default", "positive": "1"}
    assert yaml.safe_load(out)["features"] == {"married": "numeric", "age": "numeric"}


@pytest.mark.parametrize(
    ("separator", "encoding", "keys"),
    [
        (",", "utf-8", {}),
        (";", "latin-1", {"separator": ";", "encoding": "cp1252"}),
        ("\t", "utf-16", {"separator": "\t"}),
        ("|", "utf-16-le", {"separator": "|"}),
        (";", "utf-8-sig", {"separator": ";"}),
    ],
)
def test_separator_encoding_and_marks_are_written_down(command, separator, encoding, keys):
    decimal = "." if separator == "," else ","
    rows = [["größe", "out"], *([f"1{decimal}{at}5", ("yes", "no")[at % 2]] for at in range(9))]
    content = "\n".join(separator.join(row) for row in rows)
    code, out, _ = command(content.encode(encoding))
    assert code == 0
    found = yaml.safe_load(out)
    assert {key: found.get(key) for key in keys} == keys
    assert ("separator" in found, "encoding" in found) == ("separator" in keys, "encoding" in keys)
    assert found.get("decimal", ".") == decimal
    assert found["features"] == {"größe": "numeric"}


@pytest.mark.parametrize(
    ("content", "target", "message"),
    [
        (None, "out", "d.csv: no such file"),
        (b"", "out", "empty"),
        (b"x,out\n1,yes\n2", "out", "line 3: 1 cell, expected 2"),
        (b"x,out\n1,yes\n2,no\n", "outs", "no column 'outs': did you mean 'out'"),
        (b"x,out\n1,Yes\n2,no\n", "out", "no value 'yes': did you mean 'Yes'"),
        (b"\xff\xfe\x00", "out", "UTF-16|utf-16"),
    ],
)
def test_what_cannot_be_drafted_is_one_sentence(command, content, target, message):
    code, out, error = command(content, target)
    assert (code, out) == (1, "")
    assert error.startswith("ERROR: ")
    assert error.count("\n") == 1
    assert pd.Series([error]).str.contains(message).all()


def test_a_folder_and_another_ending(command, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    code, _, error = command(None, name="folder.csv")
    assert code == 1
    assert "cannot be read" in error
    rows = "".join(f"{at % 3},{('yes', 'no')[at % 2]}\n" for at in range(9))
    code, out, _ = command(f"x,out\n{rows}".encode(), name="d.txt")
    assert yaml.safe_load(out)["file"] == "d.txt"


def sized(rows, **columns):
    given = {**columns, "out": lambda at: "yes" if at % 4 == 0 else "no"}
    cells = {name: [str(cell(at)) for at in range(rows)] for name, cell in given.items()}
    return pd.DataFrame(cells, dtype="str")


def other(at):
    return at % 7


def test_a_column_that_nearly_gives_the_label_away_is_pointed_out():
    table = sized(
        800,
        copy=lambda at: ("A", "B")[at % 4 == 0],
        paid=lambda at: 5 if at % 4 == 0 else at % 4,
        nearly=lambda at: at % 40 + 39 * (at % 4 == 0),
        weak=lambda at: at % 40 + 8 * (at % 4 == 0),
    )
    made = draft(table, "out", "yes")
    assert set(made.entry["features"]) == {"copy", "paid", "nearly", "weak"}
    for name, value in (("copy", "1.000"), ("paid", "1.000"), ("nearly", "0.998")):
        told = f"separates the classes by itself (ROC-AUC {value}): if it is known only afterwards"
        assert told in made.reasons[name]
        assert told in made.text()
    assert made.reasons["weak"] == ""


@pytest.mark.parametrize(
    ("name", "cell", "found"),
    [
        ("patient_id", lambda at: f"p{at // 3}", True),
        ("PatientID", lambda at: 1000 + at // 3, True),
        ("patient_id", lambda at: f"p{at}", False),  # each has one row
        ("country_id", lambda at: at % 6, False),  # too few: a category
        ("patients", lambda at: f"p{at // 3}", False),
        ("patient_id", lambda at: f"p{at // 3}" if at else "NA", False),
    ],
)
def test_rows_of_one_person_are_kept_together(name, cell, found):
    made = draft(sized(240, x=other, **{name: cell}), "out", "yes")
    assert (made.entry.get("groups") == name) == found
    assert found != (name in {**made.entry["features"], **dict.fromkeys(made.entry["drop"])})
    assert ("An id by its name" in made.text()) == found


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (lambda at: "test" if at % 3 == 0 else "train", True),
        (lambda at: "TESTING" if at % 3 == 0 else "Training", True),
        (lambda at: ("train", "test", "valid")[at % 3], False),
        (lambda at: "test" if at % 4 == 0 else "train", False),  # a side lacks a class
        (lambda _: "train", False),
    ],
)
def test_a_given_split_is_found(cell, found):
    made = draft(sized(240, x=other, where=cell), "out", "yes")
    assert (made.entry.get("split") == {"column": "where"}) == found


def test_as_many_examples_are_allowed_as_the_training_rows_have():
    entry = draft(sized(240, x=other), "out", "yes").entry
    assert entry["max_shots"] == 80  # 60 rows of class 1, 40 of them for training
    where = {"where": lambda at: "train" if at < 40 else "test"}
    assert draft(sized(240, x=other, **where), "out", "yes").entry["max_shots"] == 20
    people = {"id": lambda at: at // 2}
    assert draft(sized(240, x=other, **people), "out", "yes").entry["max_shots"] == 60
    made = draft(sized(6000, x=other), "out", "yes")
    assert made.entry["sample"] == 1000
    assert made.entry["max_shots"] == 332  # 250 of 1,000 rows, 166 for training


def test_merged_classes_and_personal_columns_are_commented():
    table = sized(240, x=other, phone=lambda at: f"+49 30 12345{at:03}")
    table.loc[table.index % 4 == 1, "out"] = "maybe"
    made = draft(table, "out", "yes")
    text = made.text()
    assert yaml.safe_load(text) == made.entry
    assert "'no' (120 rows), 'maybe' (60 rows)" in text.replace("\n# ", " ")
    assert "looks personal: phone numbers" in made.reasons["phone"]
    assert made.entry["task"]["negative"] == "out is not yes"


def test_nothing_is_overwritten_and_the_csv_is_linked(command, tmp_path):
    rows = "".join(f"{at % 3},{('yes', 'no')[at % 2]}\n" for at in range(30))
    code, first, _ = command(f"x,out\n{rows}".encode())
    assert code == 0
    assert (tmp_path / "own/d.csv").read_bytes() == (tmp_path / "d.csv").read_bytes()
    code, second, error = command(f"x,z,out\n{rows}".encode())
    assert code == 1
    assert second == first
    assert "d.yaml exists and is not overwritten" in error
    (tmp_path / "own/d.yaml").unlink()
    (tmp_path / "own/d.csv").unlink()
    (tmp_path / "own/d.csv").write_text("another")
    code, _, error = command(f"x,out\n{rows}".encode())
    assert code == 1
    assert "d.csv exists and is a different file" in error
    assert command(f"x,out\n{rows}".encode(), "out", "yes", "d.csv", "--name", "a/b")[0] == 1


LAUNCHER = ROOT / "tabbench"


def test_the_launcher_drafts_from_any_folder(tmp_path):
    rows = "".join(f"{at % 3},{('yes', 'no')[at % 2]}\n" for at in range(30))
    (tmp_path / "my loans.csv").write_text(f"x,out\n{rows}")
    given = ["draft", "my loans.csv", "out", "yes", "--folder", "own"]
    done = subprocess.run(
        [LAUNCHER, *given], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (tmp_path / "own/my_loans.yaml").is_file()
    assert "snakemake --cores all results/own/my_loans/index.html" in done.stdout
    assert subprocess.run([LAUNCHER], capture_output=True, check=False).returncode == 2


def test_a_python_without_the_packages_is_one_sentence(tmp_path):
    (tmp_path / "tabbench").write_bytes(LAUNCHER.read_bytes())
    python = tmp_path / "bin/python3"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    path = f"{python.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", tmp_path / "tabbench", "draft", "x", "y", "z"],
        env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("ERROR: ")
    assert done.stderr.count("\n") == 1


def test_the_example_is_the_packages_table_in_words():
    found = example(ENTRY)
    assert found.shape == (830, 6)
    assert found["severity"].value_counts().to_dict() == {"benign": 427, "malignant": 403}
    assert found.iloc[0].tolist() == ["5", "67", "lobular", "spiculated", "low", "malignant"]
    made = draft(found, "severity", "malignant")
    assert made.entry["drop"] == []
    assert "looks personal" not in made.text()
