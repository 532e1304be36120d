"""SciTaRC's chapter on the page of results: its answer, its artifacts and their titles."""

import numpy as np
import pandas as pd
import pytest
from scitarc_frames import scored

from tabbench.reporting.page.page import chapters, read_tables
from tabbench.reporting.page.questions import artifact_title, section, section_order
from tabbench.reporting.page.scitarc import NOTHING_ASKED, scitarc_answer
from tabbench.reporting.style import save
from tabbench.reporting.writer import write_table
from tabbench.scitarc.figures.planning import figure5
from tabbench.scitarc.tables.leaderboard import table2
from tabbench.scitarc.tables.planning import table4

MODELS = {"small": "SmolLM2-135M-Instruct", "large": "Qwen3-30B-A3B-2507"}
CARDS = {model: {"developer": "Us", "access": "open weights", "size": ""} for model in MODELS}
SMALL = scored(4, [("small", "language", 0.0)])
BOTH = scored(200, [("small", "code", 0.1), ("large", "language", 0.5)])


def said(scores):
    return scitarc_answer(table2(scores, MODELS, CARDS).numbers, table4(scores, MODELS).numbers)


def test_nothing_right_is_said_as_it_is():
    text = said(SMALL)
    assert text.startswith(
        "Zero-shot and without a plan, SmolLM2-135M-Instruct (CoT) answers 0 of 4 questions right "
        "(0.0 %, 95 % interval 0.0 to 49.0)"
    )
    assert "the best of" not in text
    assert "In 0 of 4 responses no answer was found." in text
    assert (
        "changes the accuracy of SmolLM2-135M-Instruct (CoT) by +0.0 percentage points, the gold "
        "plan by +0.0 (n = 4 questions); 0 of these 2 changes are significant at 0.05" in text
    )


def test_several_systems_are_set_beside_each_other():
    text, board = said(BOTH), table2(BOTH, MODELS, CARDS).numbers
    best, worst = board.iloc[0], board.iloc[-1]
    assert f"Qwen3-30B-A3B-2507 (CoT) answers {round(best['accuracy'] * best['n'])} of" in text
    assert "the best of 2 systems; the lowest, SmolLM2-135M-Instruct (PoT), answers" in text
    assert f"({100 * worst['accuracy']:.1f} %, " in text
    assert "changes the accuracy of 2 systems by" in text
    plans = table4(BOTH, MODELS).numbers
    tested = plans[plans["quantity"].isin(["delta_auto", "delta_max"])]
    found = int((tested["p_holm"] < 0.05).sum())
    assert f"(n = {tested['n'].min():.0f} to {tested['n'].max():.0f}" in text
    assert f"{found} of these 4 changes are significant" in text


def test_equal_systems_are_not_ranked():
    alike = scored(4, [("small", "language", 0.0), ("small", "code", 0.0)])
    assert "; the share is the same for both systems." in said(alike)
    assert "the best of" not in said(alike)


def test_answers_that_were_not_found_or_not_judged_are_counted():
    scores = SMALL.astype({"correct": object})
    scores.loc[:1, ["status", "prediction"]] = ["no answer", None]
    scores.loc[2, ["status", "score", "correct"]] = ["judge failed", None, None]
    text = scitarc_answer(table2(scores, MODELS, CARDS).numbers, None)
    assert "answers 0 of 3 questions right" in text
    assert text.endswith(
        "In 2 of 4 responses no answer was found, and for 1 the judge gave no verdict."
    )


def test_without_answers_there_is_no_answer():
    assert scitarc_answer(None, None) == NOTHING_ASKED
    failed = SMALL.assign(status="judge failed", score=np.nan, correct=None)
    assert scitarc_answer(table2(failed, MODELS, CARDS).numbers, None) == NOTHING_ASKED


def test_its_tables_are_counted_as_its_paper_does():
    assert artifact_title("table11", "scitarc") == "Table 11"
    assert artifact_title("table11", "rq7") == artifact_title("table11") == "Table XI"
    assert section("scitarc").title == "SciTaRC"
    assert section_order("probes") < section_order("paper") < section_order("scitarc")
    assert section_order("a_folder_of_a_user") < section_order("scitarc")


@pytest.fixture
def artifacts(tmp_path):
    folder = tmp_path / "results/scitarc"
    paths = []
    for name, table in {
        "table2": table2(SMALL, MODELS, CARDS),
        "table4": table4(SMALL, MODELS),
    }.items():
        files = {form: folder / f"{name}.{form}" for form in ("csv", "md", "tex")}
        write_table(table, **files)
        paths += files.values()
    figure = figure5(SMALL, MODELS)
    save(figure, pdf=folder / "figure5.pdf", png=folder / "figure5.png")
    (folder / "figure5.md").write_text(figure.caption)
    sheet = folder / "error_sheet.csv"
    sheet.write_text("model\n")
    return [*paths, *(folder / f"figure5.{form}" for form in ("pdf", "png", "md")), sheet]


def test_the_chapter(artifacts, tmp_path):
    page = tmp_path / "results/index.html"
    every = chapters(artifacts, page, read_tables(artifacts), [], MODELS)
    chapter = every[-1]
    assert (chapter.id, chapter.paper) == ("scitarc", "SciTaRC")
    assert {one.paper for one in every[:-1]} == {"LLMTabBench"}
    assert chapter.title == "SciTaRC"
    assert chapter.question.endswith("scientific papers?")
    assert "answers 0 of 4 questions right" in chapter.answer
    assert [one.title for one in chapter.tables] == ["Table 2", "Table 4"]
    assert [one.title for one in chapter.figures] == ["Figure 5"]
    assert [one.title for one in chapter.files] == ["Error sheet"]
    assert chapter.tables[0].id == "scitarc-table2"


def test_without_scitarc_there_is_no_chapter(tmp_path):
    made = chapters([], tmp_path / "results/index.html", {}, [], MODELS)
    assert "scitarc" not in {one.id for one in made}


def test_an_answer_read_back_from_its_file_is_the_same(tmp_path):
    paths = {form: tmp_path / f"table2.{form}" for form in ("csv", "md", "tex")}
    table = table2(BOTH, MODELS, CARDS)
    write_table(table, **paths)
    assert scitarc_answer(pd.read_csv(paths["csv"]), None) == scitarc_answer(table.numbers, None)
