"""Sheets for people: what is drawn, that labels are blind, the pages, and what comes back."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scitarc_frames import scored

from tabbench.core.errors import TabBenchError
from tabbench.scitarc import labels, taxonomy
from tabbench.scitarc.agreement import read_labels
from tabbench.scitarc.answer_ids import answer_id
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.judge import judge_by_matcher
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.scores import of_first_seed
from tabbench.scitarc.sheets import readable_table, sheet_page
from tabbench.scitarc.tables.corrected import corrected
from tabbench.scitarc.tables.errors import table3
from tabbench.scitarc.taxonomy import CATEGORIES, error_sheet, read_sheet, stratified_draw
from tabbench.scitarc.verdicts import score_answers

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "workflow/scripts/tabbench/reporting/page/templates/sheet.html"
PUBLISHED = pd.read_csv(ROOT / "resources/paper/scitarc_table3.csv")
LATEX = (
    "\\caption{Scores \\textbf{of} two}\n"
    "\\begin{tabular}{lr}\na & 4 \\\\\nb & <i>9</i> \\\\\n\\end{tabular}"
)
QUESTIONS = tuple(
    Question(row, "p", f"What is {row}?", "12", f"SELECT {row}\nRETURN it", (LATEX,))
    for row in range(30)
)
MODELS = {"one": "Model One", "two": "Model Two"}


def answers(seeds=(0,)):
    """Two systems, one in words and one by programs, that are right now and then."""
    rows = []
    for model, execution in (("one", "language"), ("two", "code")):
        for seed in seeds:
            for row in range(30):
                said = "12" if row % 3 == 0 else None if row % 7 == 1 else f"{row + 20}"
                code = execution == "code"
                rows.append(
                    {
                        **{"model": model, "plan_mode": "none", "execution": execution},
                        **{"shots": 0, "seed": seed, "row": row, "prediction": said},
                        "passage": None if said or code else "I cannot tell.",
                        "released": said,
                        "source": "ok" if code else "line",
                        "message": "ZeroDivisionError" if code and not said else "",
                        "printed": f"first\n{said}" if code and said else None,
                        "response": f"```python\nprint({said})\n```" if code else f"Answer: {said}",
                        "ended": True,
                    }
                )
    return pd.DataFrame(rows, columns=SCITARC_ANSWERS.names)


ANSWERS = answers()
SCORES = score_answers(ANSWERS, QUESTIONS, judge_by_matcher, "matcher")
SHEET = labels.label_sheet(ANSWERS, QUESTIONS, 10)


def test_the_sheet_of_labels_is_blind_and_as_long_for_each_system():
    assert list(SHEET.columns) == labels.COLUMNS
    known = SCORES.set_index("id").loc[SHEET["id"]]
    assert known["model"].value_counts().to_dict() == {"one": 10, "two": 10}
    assert SHEET["id"].is_monotonic_increasing
    text = SHEET.to_csv()
    assert "one" not in text
    assert "two" not in text
    assert set(SHEET["label"]) == {""}
    for one, row in zip(SHEET.to_dict("records"), known["row"], strict=True):
        assert one["question"] == f"What is {row}?"
    mixed = known["model"].eq("one").to_numpy()
    assert not (mixed == np.sort(mixed)).all()  # no system first


def test_answers_to_label_are_drawn_whatever_the_judge_says():
    few = labels.label_sheet(ANSWERS, QUESTIONS, 4)
    assert set(few["id"]) < set(SHEET["id"])
    everything = labels.label_sheet(ANSWERS, QUESTIONS, 99)
    assert len(everything) == 60
    unfound = everything.set_index("id").loc[SCORES.loc[SCORES["prediction"].isna(), "id"]]
    assert set(unfound["answer"]) == {"I cannot tell.", ""}
    several = answers((3, 5))
    drawn = labels.label_sheet(several, QUESTIONS, 99)
    first = score_answers(of_first_seed(several), QUESTIONS, judge_by_matcher, "m")
    assert set(drawn["id"]) == set(first["id"])


def test_an_answer_that_has_changed_has_another_id():
    one = ANSWERS.iloc[0].to_dict()
    ids = {
        answer_id(one, "12"),
        answer_id(one, "13"),
        *(answer_id(one | {name: 7}, "12") for name in ("model", "seed", "row", "response")),
    }
    assert len(ids) == 6
    assert all(one.startswith("a") for one in ids)  # no number for a spreadsheet


def test_the_page_shows_tables_and_texts_and_no_markup_of_a_model():
    entries = labels.page_entries(SHEET, ANSWERS, QUESTIONS)
    page = sheet_page(TEMPLATE, labels.PAGE, entries)
    assert page.count("<article") == 20
    assert page.count('type="radio"') == 60
    assert "<i>9</i>" not in page
    assert "<td>&lt;i&gt;9&lt;/i&gt;</td>" in page
    assert "Scores of two</caption>" in page
    assert "http" not in page
    assert "Model" not in page
    broken = readable_table("\\begin{tabular}{l} a & {b \\\\")
    assert broken.grids == ()
    assert broken.latex.endswith("{b \\\\")


@given(st.text(max_size=80))
def test_any_latex_has_a_readable_table(text):
    assert readable_table(text).latex == text


def filled(tmp_path, sheet, column, values, name="sheet.csv"):
    path = tmp_path / name
    sheet.assign(**{column: values}).to_csv(path, index=False)
    return path


def test_labels_correct_the_accuracy_of_a_judge(tmp_path):
    # The person finds every third of the answers right that the judge found wrong.
    everything = labels.label_sheet(ANSWERS, QUESTIONS, 99)
    known = SCORES.set_index("id").loc[everything["id"]]
    right = known["correct"].astype(bool) | (known["row"] % 3 == 1)
    path = filled(tmp_path, everything, "label", right.astype(int).to_numpy())
    table = corrected(SCORES, read_labels(path, SCORES["id"]), MODELS)
    assert [row[3] for row in table.rows] == ["33.3", "33.3"]
    assert [row[5] for row in table.rows] == ["66.7", "66.7"]
    assert [row[7:] for row in table.rows] == [("30", "0 of 10", "10 of 20")] * 2
    for row in table.numbers.itertuples():
        assert row.corrected_low < 2 / 3 < row.corrected_high
        assert row.low < 1 / 3 < row.high < 2 / 3


def test_too_few_labels_are_a_sentence_and_no_number(tmp_path):
    path = filled(tmp_path, SHEET, "label", 1)
    table = corrected(SCORES, read_labels(path, SCORES["id"]), MODELS)
    assert [row[5:7] for row in table.rows] == [("–", "–")] * 2
    assert any(
        "too few labels to correct: Model One, CoT, Model Two, PoT" in n for n in table.notes
    )


def of_two():
    own = SCORES[SCORES["model"] == "two"]
    return own, error_sheet(own, QUESTIONS, ANSWERS, None)


def test_the_error_sheet_holds_every_wrong_answer_with_its_program_and_output():
    own, sheet = of_two()
    assert list(sheet.columns) == taxonomy.SHEET
    assert len(sheet) == (~own["correct"].astype(bool)).sum() == 20
    by_row = sheet.set_index("row")
    assert by_row.loc[2, "program"] == "print(22)"
    assert by_row.loc[2, "output"] == "first\n22"
    assert by_row.loc[1, "output"] == "ZeroDivisionError"
    assert by_row.loc[2, "plan"] == "SELECT 2\nRETURN it"
    in_words = error_sheet(SCORES[SCORES["model"] == "one"], QUESTIONS, ANSWERS, None)
    assert set(in_words["program"]) == set(in_words["output"]) == {""}
    page = sheet_page(TEMPLATE, taxonomy.PAGE, taxonomy.page_entries(sheet, QUESTIONS))
    for text in ("Gold plan", "print(22)", "ZeroDivisionError", *CATEGORIES):
        assert text in page


@given(st.lists(st.sampled_from(["wrong", "partly correct", "no answer"]), min_size=1), st.data())
def test_a_draw_has_each_status_in_proportion_and_holds_a_smaller_one(statuses, data):
    n = data.draw(st.integers(1, len(statuses)))
    wrong = pd.DataFrame({"status": statuses})
    drawn = stratified_draw(wrong, n)
    assert len(drawn) == n
    assert drawn.index.is_monotonic_increasing
    for status, size in wrong["status"].value_counts().items():
        assert abs((drawn["status"] == status).sum() - n * size / len(wrong)) <= 1.5
    assert set(stratified_draw(wrong, max(1, n - 1)).index) <= set(drawn.index)


def test_table3_says_which_share_was_annotated_and_how_two_agree(tmp_path):
    _, sheet = of_two()
    first = filled(tmp_path, sheet, "category", ["Memory ", "format", "memory"] * 4 + [""] * 8)
    second = filled(
        tmp_path, sheet, "category", ["memory", "format", "calculation"] + ["memory"] * 17, "b.csv"
    )
    sheets = [read_sheet(path, SCORES["id"]) for path in (first, second)]
    table = table3(SCORES, sheets, PUBLISHED, MODELS)
    assert [row[:3] for row in table.rows[:2]] == [("Memory", "8", "66.7"), ("Format", "4", "33.3")]
    assert [row[4] for row in table.rows[:2]] == ["3", "–"]
    notes = "\n".join(table.notes)
    assert "annotated: 12 of 20 wrong answers (60.0 %) of Model Two, PoT (direct)" in notes
    assert "agrees on 66.7 % of the n = 12 answers" in notes
    rows = sheet["row"].tolist()
    assert f"memory / calculation: {rows[2]}" in notes
    assert f"format / memory: {rows[4]}, {rows[7]}, {rows[10]}" in notes
    alone = "\n".join(table3(SCORES, sheets[:1], PUBLISHED, MODELS).notes)
    assert "second annotator" not in alone
    stale = pd.concat([sheets[0], pd.Series({"gone": "memory"})])
    assert "left out: 1" in "\n".join(table3(SCORES, [stale], PUBLISHED, MODELS).notes)
    right = SCORES.loc[SCORES["correct"].astype(bool), "id"]
    with pytest.raises(TabBenchError, match="none of the annotated answers is wrong"):
        table3(SCORES, [pd.Series("memory", index=right)], PUBLISHED, MODELS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("row,category\n1,memory\n", "no column"),
        ("id,category\n{id},\n", "fill in the column 'category'"),
        ("id,category\n{id},memmory\n", "unknown category 'memmory' of .*: did you mean 'memory'"),
        ("id,category\nother,memory\n", "none of its 1 ids"),
    ],
)
def test_sheets_that_cannot_be_read(tmp_path, content, message):
    path = tmp_path / "sheet.csv"
    path.write_text(content.format(id=SCORES["id"][0]))
    with pytest.raises(TabBenchError, match=message):
        read_sheet(path, SCORES["id"])


def test_the_first_categories_are_the_papers():
    assert list(CATEGORIES)[:4] == ["comprehension", "localization", "calculation", "memory"]
    assert set(PUBLISHED["category"]) == set(CATEGORIES) - {"format"}


def test_labels_of_a_frame_without_an_error_change_little():
    scores = scored(200, [("one", "language", 0.6)], [("none", 0)])
    known = pd.Series(scores["score"].to_numpy(), index=scores["id"]).dropna()
    (row,) = corrected(scores, known, MODELS).numbers.to_dict("records")
    assert row["corrected_estimate"] == pytest.approx(row["accuracy"])
