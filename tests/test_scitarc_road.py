"""The road from questions to a leaderboard and an ablation, with responses of a made model."""

import json

import pandas as pd

from tabbench.scitarc.complexity import complexity_frame
from tabbench.scitarc.dataset import read_questions
from tabbench.scitarc.difficulty import accuracy_by_complexity, quantile_edges
from tabbench.scitarc.extraction import extract_answer, extract_answer_released
from tabbench.scitarc.judge import MATCHER, Item, judge_by_matcher
from tabbench.scitarc.leaderboard import leaderboard
from tabbench.scitarc.planning import planning_ablation
from tabbench.scitarc.programs import run_program
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.requests import execution_asks, planning_asks
from tabbench.scitarc.responses import read_plan
from tabbench.scitarc.verdicts import scored_row

ROWS = {"a": 4, "b": 9}
TABLE = [
    "\\begin{tabular}{lr}\n",
    "Model & Score \\\\ \\hline\n",
    *(f"{name} & {value} \\\\\n" for name, value in ROWS.items()),
    "\\end{tabular}\n",
]
RECORDS = [
    {
        "paper": "ours",
        "question": f"What is the score of {name}?",
        "answer": str(10 * value),
        "plan": f"SELECT score of {name}\nRETURN ten times it",
        "relevant_tables": [TABLE],
    }
    for name, value in ROWS.items()
]


def respond(prompt):
    """Plans, and right answers only to who is given a plan; as a program if one is asked for."""
    if "Do not solve it" in prompt:
        return "```\nSELECT score\nRETURN ten times it\n```"
    name = prompt.split("What is the score of ")[-1][0]
    value = 10 * ROWS[name] if "ten times" in prompt else ROWS[name]
    if "Python" in prompt:
        return f"```python\nprint({value})\n```"
    return f"I look it up.\n\n**Answer:** {value}."


def answered(questions, condition):
    plans = {
        ask.row: read_plan(respond(ask.prompt)) for ask in planning_asks(questions, condition).asks
    }
    gold = {one.row: one for one in questions}
    rows = []
    for ask in execution_asks(questions, condition, plans).asks:
        response = respond(ask.prompt)
        if condition.execution == "code":
            run = run_program(response, "process")
            answer, released, source = run.answer, run.answer, run.status
        else:
            found = extract_answer(response)
            answer, released = found.answer, extract_answer_released(response)
            source = found.form
        item = Item(gold[ask.row].question, gold[ask.row].answer, answer)
        (verdict,) = judge_by_matcher([item])
        key = ("made", condition, ask.row, item.gold)
        rows.append(scored_row(*key, answer, released, source, verdict, MATCHER))
    return rows


def test_from_questions_to_tables(tmp_path):
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(RECORDS))
    questions = read_questions(path).questions
    conditions = [Condition(mode, "language") for mode in ("none", "self", "gold")]
    conditions.append(Condition("none", "code"))
    scores = pd.DataFrame([row for one in conditions for row in answered(questions, one)])
    board = leaderboard(scores).set_index("execution")
    assert board["accuracy"].to_dict() == {"language": 0.0, "code": 0.0}
    assert scores["source"].unique().tolist() == ["line", "ok"]
    table = planning_ablation(scores).set_index("quantity")["value"]
    assert table[["direct", "auto", "oracle", "delta_max"]].tolist() == [0.0, 1.0, 1.0, 1.0]
    complexity = complexity_frame(questions, len, "characters")
    assert complexity["s_cell"].tolist() == [6, 6]
    edges = quantile_edges(complexity["s_tok"], 3)
    assert accuracy_by_complexity(scores, complexity, "s_tok", edges)["n"].sum() == 4
