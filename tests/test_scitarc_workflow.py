"""SciTaRC's rules from a file of questions to judged answers, with a model that replays texts."""

import json

import pandas as pd
import pytest
import yaml
from workflow_copy import WorkflowCopy, copy_run

from tabbench.core.transcripts import Turn, write_turn
from tabbench.scitarc.judge import Item, judge_prompt
from tabbench.scitarc.verdicts import request_name

pytestmark = pytest.mark.slow

TABLE = "\\begin{tabular}{lr}\nModel & Score \\\\\na & 4 \\\\\nb & 9 \\\\\n\\end{tabular}\n"
ANSWERS = ("4", "9", "13")
RECORDS = [
    {
        "paper": "ours",
        "question": f"Question {row}?",
        "answer": answer,
        "plan": "SELECT scores\nRETURN the sum" if row < 2 else None,
        "relevant_tables": [[TABLE]],
    }
    for row, answer in enumerate(ANSWERS)
]
TEXTS = {
    **{f"plan/{row}": "```\nSELECT all\nRETURN it\n```" for row in range(3)},
    **{f"none-language-0/{row}": f"Answer: {answer}" for row, answer in enumerate(ANSWERS)},
    **{f"self-code-0/{row}": f"```python\nprint({row})\n```" for row in range(3)},
    **{f"gold-language-0/{row}": "I do not know." for row in range(2)},
    **{f"self-language-0/{row}": "Answer: 9" for row in range(3)},
}
VERDICTS = {
    **dict.fromkeys(enumerate(ANSWERS), '{"score": 1.0}'),
    (0, "0"): '{"reasoning": "another number", "score": 0.0}',
    (1, "1"): "Well.",
    (2, "2"): '{"score": 0.5}',
    (0, "I do not know."): '{"score": 0.0}',
    (1, "I do not know."): '{"score": 0.0}',
}
SCITARC = {
    "questions": "config/questions.json",
    "rows": None,
    "runs": [
        {"models": ["scripted"], "plan_modes": ["none", "gold"], "executions": ["language"]},
        {"models": ["scripted"], "plan_modes": ["self"], "executions": ["code"]},
    ],
    "judge": "scripted",
    "second_judge": "matcher",
}
ENTRY = {
    "title": "Scripted",
    "engine": "replay",
    "weights": {"folder": "config/texts"},
    "style": "completion",
    "dtype": "none",
    "licence": "none",
}


def say(copy, name, text):
    turn = Turn(text, "nobody", "2026-11-30", {})
    write_turn(copy.folder / f"config/texts/{name}.md", turn)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = WorkflowCopy.create(tmp_path_factory.mktemp("scitarc") / "copy")
    made.configure(scitarc=SCITARC)
    (made.folder / "config/questions.json").write_text(json.dumps(RECORDS))
    (made.folder / "resources/models/scripted.yaml").write_text(yaml.safe_dump(ENTRY))
    for name, text in TEXTS.items():
        say(made, f"scitarc/{name}", text)
    for (row, answer), verdict in VERDICTS.items():
        item = Item(f"Question {row}?", ANSWERS[row], answer)
        for again in (False, True):
            say(made, request_name(judge_prompt(item, again)), verdict)
    made.run(*TARGETS)
    return made


TARGETS = [f"results/scitarc/{name}.parquet" for name in ("complexity", "scores", "second_judge")]


def scores(copy, name="scores"):
    frame = pd.read_parquet(copy.folder / f"results/scitarc/{name}.parquet")
    return frame.set_index(["plan_mode", "row"])["status"]


def test_both_judges_see_every_answer(copy):
    by_model = scores(copy)
    assert by_model["none"].tolist() == 3 * ["correct"]
    assert by_model["gold"].to_dict() == {0: "wrong", 1: "wrong"}  # asked, as no answer is found
    assert by_model["self"].tolist() == ["wrong", "judge failed", "partly correct"]
    by_matcher = scores(copy, "second_judge")
    assert by_matcher["none"].tolist() == 3 * ["correct"]
    assert by_matcher["gold"].tolist() == 2 * ["no answer"]
    assert by_matcher["self"].tolist() == 3 * ["wrong"]
    log = (copy.folder / "logs/scitarc_questions.log").read_text()
    assert "3 questions, 3 of them asked" in log
    assert "row 2 has no plan" in log


def test_a_second_run_does_nothing_and_asks_nothing(copy):
    assert not copy.planned(*TARGETS)
    before = copy.log_lines()
    copy.run("--force", "results/scitarc/scripted/responses.parquet")
    assert copy.log_lines() == before


def test_a_new_condition_asks_its_own_prompts_alone(copy, tmp_path):
    other = WorkflowCopy(tmp_path / "copy")
    copy_run(copy.folder, other.folder)
    before = other.log_lines()
    new = {"models": ["scripted"], "plan_modes": ["self"], "executions": ["language"]}
    other.configure(scitarc=SCITARC | {"runs": [*SCITARC["runs"], new]})
    other.run("results/scitarc/scripted/answers.parquet")
    assert other.log_lines() - before == 3


def test_the_released_prompts_ask_anew_what_they_change_alone(copy, tmp_path):
    other = WorkflowCopy(tmp_path / "copy")
    copy_run(copy.folder, other.folder)
    before = other.log_lines()
    other.configure(scitarc=SCITARC | {"prompts": "released"})
    other.run("results/scitarc/scripted/responses.parquet")
    written, carried_out, gold = 3, 3, 2
    assert other.log_lines() - before == written + carried_out + gold


def test_the_matcher_leaves_to_a_model_what_it_is_not_sure_of(copy, tmp_path):
    other = WorkflowCopy(tmp_path / "copy")
    copy_run(copy.folder, other.folder)
    before = other.log_lines()
    other.configure(scitarc=SCITARC | {"judge": {"matcher_then": "scripted"}})
    other.run("results/scitarc/scores.parquet", "results/scitarc/judges.md")
    assert other.log_lines() == before  # the same requests as of the model alone
    frame = pd.read_parquet(other.folder / "results/scitarc/scores.parquet")
    frame = frame.set_index(["plan_mode", "row"])
    assert set(frame["judge"]) == {"matcher+scripted"}
    assert frame.loc["none", "asked"].tolist() == [0, 0, 0]
    assert frame.loc["self", "status"].tolist() == 3 * ["wrong"]  # numbers: the matcher is sure
    assert frame.loc["gold", "asked"].tolist() == [1, 1]
    note = (other.folder / "results/scitarc/judges.md").read_text()
    assert "Scripted was asked for 2 of 8 answers" in note
    assert "Scripted judged 2 answers of its own" in note


def test_what_cannot_be_asked_is_said(copy, tmp_path):
    with_three = {**SCITARC["runs"][0], "shots": [3]}
    other = WorkflowCopy(tmp_path / "copy")
    copy_run(copy.folder, other.folder)
    other.configure(scitarc=SCITARC | {"runs": [with_three]})
    said = other.run("results/scitarc/scores.parquet", fails=True)
    assert "3 demonstrations are configured, but there are 2" in said
    other.configure(scitarc=SCITARC | {"judge": "scriptd"})
    assert "scitarc.judge names 'scriptd'" in other.run("-n", fails=True)
    other.configure(scitarc=SCITARC | {"tokenizer": "scripted"})
    assert "whose weights come in no package" in other.run("-n", fails=True)
    other.configure(scitarc=SCITARC, sandbox=None, llm_synthetic=None)
    assert "sandbox" in other.run("-n", fails=True)


def test_questions_come_from_the_hub_and_the_shipped_demonstrations_are_none_of_them(
    copy, tmp_path, monkeypatch
):
    fake = tmp_path / "packages/datasets.py"
    fake.parent.mkdir()
    fake.write_text(
        "def load_dataset(name, split, revision):\n"
        "    assert (name, split, revision) == ('some/set', 'test', 'abc')\n"
        f"    return {RECORDS!r}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(fake.parent))
    other = WorkflowCopy(tmp_path / "copy")
    copy_run(copy.folder, other.folder)
    hub = {"questions": {"hub": "some/set", "revision": "abc"}, "rows": 2}
    other.configure(scitarc=SCITARC | hub)
    other.run("results/scitarc/questions.parquet")
    frame = pd.read_parquet(other.folder / "results/scitarc/questions.parquet")
    assert frame["question"].tolist() == [one["question"] for one in RECORDS]
    assert frame["asked"].tolist() == [True, True, False]
    shown = pd.read_parquet(other.folder / "results/scitarc/demonstrations.parquet")
    assert shown["row"].tolist() == [35, 36]
