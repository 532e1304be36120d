"""Which of SciTaRC's tables and figures a configuration makes, and that each is made alone."""

import pandas as pd
import pytest
from scitarc_frames import complexities, scored
from workflow_copy import TINY, WorkflowCopy

from tabbench.core.frames import write_table
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.schemas.complexity import SCITARC_COMPLEXITY
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.taxonomy import SHEET

pytestmark = pytest.mark.slow

ROAD = {
    *("convert_model", "model_entry", "scitarc_questions", "scitarc_responses"),
    *("scitarc_answers", "scitarc_scores", "scitarc_complexity"),
}
ALWAYS = {
    *("table1", "complexity_correlations", "conditions", "found_answers", "judges", "cost"),
    "comparison",
}
DIRECT = {
    *(
        "table2",
        "answer_types",
        "by_complexity",
        "complexity_changes",
        "complexity_model",
        "error_sheet",
    ),
    *("complexity_model_figure", "figure2", "figure3", "figure6"),
}
PLANS = {"table4", "own_plans", "failures", "figure4", "figure5", "figure7", "figure8", "figure9"}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return WorkflowCopy.create(tmp_path_factory.mktemp("scitarc") / "copy")


def run(plan_modes, executions=("language",), shots=(0,)):
    return {
        "models": ["smollm2_135m"],
        "plan_modes": list(plan_modes),
        "executions": list(executions),
        "shots": list(shots),
    }


def configure(copy, runs, **settings):
    copy.configure(scitarc=TINY["scitarc"] | {"runs": runs} | settings)


@pytest.mark.parametrize(
    ("runs", "made"),
    [
        ([run(["none"])], DIRECT),
        ([run(["none"], ["language", "code"])], DIRECT | {"differences"}),
        ([run(["none", "self", "gold"])], DIRECT | PLANS),
        ([run(["self", "gold"])], {"own_plans", "failures", "figure4"}),
        ([run(["none"]), run(["none", "gold"], shots=[2])], DIRECT | {"table11"}),
        ([run(["gold"])], set()),
    ],
    ids=["direct", "two systems", "plans", "plans alone", "demonstrations", "gold plan alone"],
)
def test_the_conditions_decide_what_is_shown(copy, runs, made):
    configure(copy, runs)
    planned = set(copy.planned("scitarc")) - ROAD
    assert planned == {f"scitarc_{name}" for name in ALWAYS | made}


def test_a_figure_needs_only_its_own_road(copy):
    configure(copy, [run(["none", "self", "gold"])])
    planned = set(copy.planned("results/scitarc/figure5.pdf"))
    assert planned == (ROAD | {"scitarc_figure5"}) - {"scitarc_complexity"}


def test_without_scitarc_nothing_of_it_is_made(copy):
    copy.configure(scitarc=None)
    assert not {name for name in copy.planned() if name.startswith("scitarc")}


def test_the_sheet_to_fill_in_is_not_the_one_that_is_written_anew(copy):
    configure(copy, [run(["none"])], error_sheet="results/scitarc/error_sheet.csv")
    assert "copy it elsewhere" in copy.run("scitarc", "--dry-run", fails=True)


def test_table3_without_a_sheet_says_what_to_do(copy):
    configure(copy, [run(["none"])])
    said = copy.run("results/scitarc/table3.csv", "--dry-run", fails=True)
    assert "fill in 'category' and name the copy as scitarc.error_sheet" in said


@pytest.fixture
def judged(copy):
    """Results of the road, made by hand."""
    results = copy.folder / "results/scitarc"
    scores = scored(6, [("smollm2_135m", "language", 0.5)], [("none", 0)])
    complexity = complexities(6)
    write_table(scores, results / "scores.parquet", SCITARC_SCORES)
    write_table(scores.assign(judge="other"), results / "second_judge.parquet", SCITARC_SCORES)
    write_table(complexity, results / "complexity.parquet", SCITARC_COMPLEXITY)
    questions = complexity[["row"]].assign(
        paper="p", question="What?", answer="7", plan=None, asked=True, relevant_tables=[["t"]] * 6
    )
    write_table(questions, results / "questions.parquet", SCITARC_QUESTIONS)
    answers = scores.assign(
        released=scores["prediction"],
        passage=None,
        message="",
        printed=None,
        response="Answer: 8",
        ended=True,
    )
    write_table(
        answers[SCITARC_ANSWERS.names],
        results / "smollm2_135m/answers.parquet",
        SCITARC_ANSWERS,
    )
    labels = scores.assign(label=scores["score"])[["id", "label"]]
    labels.to_csv(copy.folder / "labels.csv", index=False)
    return scores


def test_judges_sheet_and_taxonomy_are_made_from_files(copy, judged):
    (copy.folder / "filled.csv").write_text(",".join(SHEET) + "\n")
    configure(
        copy,
        [run(["none"])],
        second_judge="smollm2_135m",
        labels="labels.csv",
        error_sheet="filled.csv",
    )
    only = ["--allowed-rules", "scitarc_judges", "scitarc_error_sheet", "scitarc_table3"]
    only += ["scitarc_corrected", "scitarc_label_sheet"]
    names = ("judges", "error_sheet", "table3", "corrected", "label_sheet")
    wanted = [f"results/scitarc/{name}.csv" for name in names]

    copy.run(wanted[1], *only)
    sheet = pd.read_csv(copy.folder / wanted[1], keep_default_na=False)
    assert list(sheet.columns) == SHEET
    assert len(sheet) == (~judged["correct"].dropna().astype(bool)).sum() > 0
    assert set(sheet["response"]) == {"Answer: 8"}

    sheet.assign(category="memory").to_csv(copy.folder / "filled.csv", index=False)
    copy.run(*wanted, *only)
    table3 = pd.read_csv(copy.folder / wanted[2])
    assert table3["count"].tolist() == [len(sheet), 0, 0, 0, 0]
    agreed = pd.read_csv(copy.folder / wanted[0])
    assert agreed["percent"].tolist()[3:] == [100, 100]
    seen = judged[judged["status"] != "no answer"]
    assert agreed["n"].tolist()[3:] == [seen["correct"].notna().sum()] * 2
    corrected = pd.read_csv(copy.folder / wanted[3])
    assert (
        corrected["corrected_n_refused"].sum() == (~judged["correct"].dropna().astype(bool)).sum()
    )
    assert pd.read_csv(copy.folder / wanted[4])["id"].is_unique
    for name in ("error_sheet", "label_sheet"):
        assert "<article" in (copy.folder / f"results/scitarc/{name}.html").read_text()
