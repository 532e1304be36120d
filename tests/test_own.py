"""A user's own dataset: from a CSV and ten lines of YAML to the plan of its summary."""

import pandas as pd
import pytest
import yaml
from score_frames import scores_frame
from workflow_copy import ROOT, WorkflowCopy

from tabbench.config.dataset_entry import parse_dataset
from tabbench.config.user_datasets import user_entries
from tabbench.config.validation import load_yaml
from tabbench.core.errors import TabBenchError
from tabbench.data.audit import Audit
from tabbench.data.draft import draft
from tabbench.data.prepare import prepare
from tabbench.data.readers import read_raw
from tabbench.data.sources.fetch import fetch
from tabbench.reporting.reader import read_markdown
from tabbench.reporting.tables.user_dataset import summary

SCHEMA = load_yaml(ROOT / "config/schemas/dataset.schema.yaml")
ENTRY = """\
target: {column: defaulted, positive: "yes"}
drop: [customer]
missing: ["", NA]
task:
  entity: a loan applicant
  task: whether the applicant defaults
  negative: pays back
  positive: defaults
"""


def table(rows=30):
    return pd.DataFrame({
        "customer": [f"c{at:03}" for at in range(rows)],
        "age": [str(20 + at) if at % 7 else "NA" for at in range(rows)],
        "job": [("clerk", "nurse", "teacher")[at % 3] for at in range(rows)],
        "income": [f"{1000 + at * 7.5}" for at in range(rows)],
        "defaulted": ["yes" if at % 3 == 0 else "no" for at in range(rows)],
    })  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    table().to_csv(folder / "loans.csv", index=False)
    (folder / "loans.yaml").write_text(ENTRY)
    return folder


def test_a_csv_and_ten_lines_make_a_table(folder, tmp_path):
    assert len(ENTRY.splitlines()) <= 10
    loans = parse_dataset("loans", user_entries(folder, SCHEMA, ())["loans"])
    used = fetch("loans", loans.sources, None, tmp_path / "raw")
    found = prepare(read_raw(tmp_path / "raw", loans.sources[used.source]), loans)
    assert list(found.columns) == ["row_id", "y", "age", "job", "income"]
    assert [kind == "float64" for kind in found.dtypes[2:]] == [True, False, True]
    assert found["age"].isna().sum() == 5
    assert found["y"].sum() == 10


def test_another_csv_is_another_dataset(folder):
    before = user_entries(folder, SCHEMA, ())
    table(31).to_csv(folder / "loans.csv", index=False)
    assert user_entries(folder, SCHEMA, ()) != before


@pytest.mark.parametrize(
    ("change", "taken", "message"),
    [
        (lambda entry: entry.update(targets=1), (), r"loans\.yaml.*unknown key 'targets'"),
        (lambda entry: entry.update(suite="core"), (), "unknown key 'suite'"),
        (lambda entry: entry.pop("task"), (), "'task' is a required property"),
        (lambda entry: entry.update(rows=[{"keep": ["a"]}]), (), r"rows\.0"),
        (lambda entry: entry.update(file="loan.csv"), (), r"no file .*loan\.csv; put the csv"),
        (lambda _: None, ("loans",), "the registry has a dataset 'loans'; rename yours"),
    ],
)
def test_faults_are_explained(folder, change, taken, message):
    entry = yaml.safe_load(ENTRY)
    change(entry)
    (folder / "loans.yaml").write_text(yaml.safe_dump(entry))
    with pytest.raises(TabBenchError, match=f"(?s){message}"):
        user_entries(folder, SCHEMA, taken)


def test_a_name_that_no_path_can_hold_is_refused(folder):
    (folder / "loans.yaml").rename(folder / "loans-2.yaml")
    with pytest.raises(TabBenchError, match="only letters, digits and _"):
        user_entries(folder, SCHEMA, ())


def test_the_draft_needs_only_its_task_filled_in(folder):
    entry = draft(table(), "defaulted", "yes").entry
    assert entry["drop"] == ["customer"]
    assert entry["features"] == {"age": "numeric", "job": "categorical", "income": "numeric"}
    assert entry["missing"] == ["NA"]
    assert entry["max_shots"] == 12  # 10 rows of class 1, 6 of them for training
    (folder / "loans.yaml").write_text(yaml.safe_dump(entry))
    loans = parse_dataset("loans", user_entries(folder, SCHEMA, ())["loans"])
    assert len(prepare(table(), loans)) == 30


def test_the_draft_refuses_a_target_that_is_not_there():
    with pytest.raises(TabBenchError, match="no column 'default': did you mean 'defaulted'"):
        draft(table(), "default", "yes")
    with pytest.raises(TabBenchError, match="has no value 'true'"):
        draft(table(), "defaulted", "true")


def test_the_plan_of_a_summary_holds_only_the_own_dataset(folder, tmp_path):
    copy = WorkflowCopy.create(tmp_path / "copy")
    folder.rename(copy.folder / "config/own")
    copy.configure(max_shots={"loans": 4})
    plan = copy.planned("results/own/loans/summary.md")
    assert set(plan) == {
        "download", "prepare", "split", "serialize", "shots", "convert_model", "infer", "predict",
        "baseline", "baseline_pretrained", "baseline_weights", "own_summary", "prompts",
        "model_entry",
    }  # fmt: skip
    for rule in ("download", "split", "shots", "prompts", "infer", "predict", "baseline"):
        assert all("loans" in path for path in plan[rule]), rule
    assert {path[-10:] for path in plan["predict"]} == {"k0.parquet", "k4.parquet"}
    assert not any("loans" in path for paths in copy.planned().values() for path in paths)
    output = copy.run("results/own/shop/summary.md", "-n", fails=True)
    assert "no own dataset 'shop'" in output


@pytest.mark.slow
def test_a_file_from_the_wild_gets_its_summary(tmp_path):
    """Its marks, its encoding, and columns called as the workflow calls its own."""
    copy = WorkflowCopy.create(tmp_path / "copy")
    own = copy.folder / "config/own"
    own.mkdir()
    names = ["label", "index", "mode", "k", "Answer is", "Größe, m²", "y"]
    lines = [";".join([*names, "out"])]
    for at in range(30):
        cells = [str(at % 4), "=1+1", "NO", f"1.{at:03},5", '"a; ""b"""', f"0,{at}", "$x$ | <b>"]
        lines.append(";".join([*cells, ("nein", "ja")[at % 3 == 0]]) + ";")
    (own / "wild.csv").write_text("\r\n".join(lines) + "\r\n", encoding="cp1252")
    entry = """\
separator: ;
encoding: cp1252
decimal: ","
thousands: "."
rename: {y: y_}
title: "$$ | 50 % _a_"
target: {column: out, positive: ja}
rows: [{column: mode, keep: [NO]}]
task: {entity: a row, task: what it is, negative: "no", positive: "yes"}
"""
    (own / "wild.yaml").write_text(entry, encoding="utf-8")
    copy.configure(baselines=["majority", "logistic_regression"])
    copy.run("results/own/wild/summary.md")
    table = pd.read_parquet(copy.folder / "results/datasets/wild/table.parquet")
    assert list(table)[2:] == [*names[:-1], "y_"]
    assert table["k"].tolist()[:2] == [1000.5, 1001.5]
    assert table["Answer is"][0] == 'a; "b"'
    shown = read_markdown(copy.folder / "results/own/wild/summary.md")
    assert len(shown.rows) == 3
    assert shown.rows[0][1].text != "–"  # the model without examples; baselines need some
    assert all(row[2].text != "–" for row in shown.rows)


@pytest.mark.slow
def test_an_own_dataset_is_placed_without_a_language_model(folder, tmp_path):
    copy = WorkflowCopy.create(tmp_path / "copy")
    folder.rename(copy.folder / "config/own")
    table(60).to_csv(copy.folder / "config/own/loans.csv", index=False)
    plan = copy.planned("results/own/loans/placement.md")
    assert set(plan) == {
        "download", "prepare", "mlp_table", "split", "shots", "baseline", "baseline_weights",
        "baseline_pretrained", "intrinsic", "dimension", "own_placement", "own_placement_table",
    }  # fmt: skip
    copy.run("results/own/loans/placement.md")
    shown = read_markdown(copy.folder / "results/own/loans/placement.md")
    assert [row[0].text for row in shown.rows] == ["loans"]
    assert any("loans 51" in note for note in shown.notes)
    copy.configure(baselines=["majority"])
    output = copy.run("results/own/loans/placement.md", "-n", fails=True)
    assert "a baseline other than majority" in output


def test_the_summary_shows_models_baselines_and_warnings():
    rows = scores_frame([
        {"dataset": "loans", "model": "model3", "k": k, "seed": seed, "roc_auc": 0.6 + seed / 100}
        for k, seed in ((0, 0), (4, 1), (4, 3))
    ])  # fmt: skip
    figures = {"rows": 30, "numeric": 2, "categorical": 1, "positive_percent": 33.3}
    found = Audit(
        2, 1, {"age": 0.99}, ("x",), (), ("customer",), 20, 10, 0.3, 0.4, {"loan": ["loan_sum"]}
    )
    fits = pd.DataFrame(
        [("model3", 4, ""), ("tabpfn", 16, "the table is too wide"), ("tabpfn", 4, "no weights")]
        + [("tabpfn", 32, "the table is too wide")] * 2,
        columns=["model", "k", "reason"],
    )
    models = {"model3": "Model-3B", "absent": "Not run", "tabpfn": "TabPFN"}
    made = summary(rows, models, "Loans", figures, found, fits)
    assert [row[0] for row in made.rows] == ["Model-3B", "Not run", "TabPFN"]
    assert set(made.rows[1][1:]) == {"–"}
    assert made.header[1:3] == ("0-shot", "4-shot")
    assert made.rows[0][1:3] == ("0.600", "0.620 ± 0.014")
    notes = " ".join(made.notes)
    for words in (
        "20 training and 10 test rows",
        "age (0.990)",
        "like an id: customer",
        "only: x",
        "column names: loan (loan_sum)",
    ):
        assert words in notes
    assert "no result: Not run" in made.notes
    assert "TabPFN: not fitted at k = 16, 32, since the table is too wide" in made.notes
    assert "TabPFN: not fitted at k = 4, since no weights" in made.notes
    assert "asked" not in notes
    full = rows.assign(model="model3", mode="fit_full", k=20, seed=864, roc_auc=0.9)[:1]
    made = summary(pd.concat([rows, full]), models, "Loans", figures, found, fits)
    assert made.header[1:4] == ("0-shot", "4-shot", "all training rows (20)")
    assert made.rows[0][1:4] == ("0.600", "0.620 ± 0.014", "0.900")
    poorer = rows.assign(prompt="context_free", roc_auc=0.1)
    made = summary(pd.concat([rows, poorer]), models, "Loans", figures, found, fits)
    assert made.rows[0][1:3] == ("0.600", "0.620 ± 0.014")
    few = summary(rows.assign(n=6), {"model3": "Model-3B"}, "Loans", figures, found, fits[:1])
    assert "10 test rows, of which 6 were used (test_rows)" in " ".join(few.notes)
    assert "no result" not in " ".join(few.notes)
