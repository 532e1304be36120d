"""FeatLLM and LLM trees: what is asked, how code is read, run and scored, what failures become."""

import ast
import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hostile import JSON
from hypothesis import given, settings
from hypothesis import strategies as st

from tabbench.baselines.llm_written.ask import ask_queries
from tabbench.baselines.llm_written.ensemble import Results, predict
from tabbench.baselines.llm_written.methods import METHODS
from tabbench.baselines.llm_written.prompts import known_values, turns
from tabbench.baselines.llm_written.queries import Draw, Query, queries, read_draws
from tabbench.baselines.llm_written.running import QueryError, read_rules, read_tree, run_logic
from tabbench.baselines.llm_written.scoring import rule_scores, rule_weights, tree_scores
from tabbench.config.dataset_entry import TaskText
from tabbench.core.frames import write_table
from tabbench.core.schemas.llm_answers import LLM_ANSWERS
from tabbench.core.schemas.llm_queries import LLM_QUERIES
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.inference.engines.base import Description, Text, TextRequest
from tabbench.inference.engines.replay import ReplayEngine
from tabbench.inference.responses import Identity
from tabbench.inference.texts import text_asker
from tabbench.sandbox.sandbox import Kind, Limits, Outcome
from tabbench.scoring.metrics import score_cells

TASK = TaskText("a ship", "whether it sinks", negative="it floats", positive="it sinks")
DRAWS = [Draw(0, 0, ()), Draw(4, 7, (9, 8, 7, 6))]
IDENTITY = Identity("m", "w", "test/1", "chat", "none", "{}", True, 8, ())
SHORT = Limits(seconds=3.0, cpu_seconds=2)

NEEDS_BUBBLEWRAP = pytest.mark.skipif(
    shutil.which("bwrap") is None and os.environ.get("CI") != "true",
    reason="bubblewrap is not installed; CI runs these",
)
KINDS = [pytest.param("bubblewrap", marks=NEEDS_BUBBLEWRAP), "process"]

RULES = """
import math

def class0_rule1(row):
    return row["load"] < 4

def class0_rule2(row):
    return row["flag"] == "red"

def class1_rule1(row):
    return row["load"] >= 4 and math.isfinite(row["load"])
"""
TREE = """
def predict(row):
    if row["load"] is None:
        return 0.5
    return 0.9 if row["load"] >= 6 else 0.2
"""


def fenced(code: str) -> str:
    return f"Here it is.\n\n```python\n{code}\n```\n"


def table() -> pd.DataFrame:
    """Ten rows; the load of row 2 is missing."""
    return pd.DataFrame(
        {
            "row_id": range(10),
            "y": [0, 0, 1, 0, 1, 1, 0, 0, 1, 1],
            "load": [1.0, 3.0, np.nan, 2.0, 7.0, 8.0, 1.0, 2.0, 8.0, 9.0],
            "flag": ["red", "blue", "red", None, "blue", "red", "red", "red", "blue", "blue"],
        }
    )


def split() -> pd.DataFrame:
    parts = ["test"] * 6 + ["train"] * 4
    return pd.DataFrame({"row_id": range(10), "part": parts, "position": range(10)})


class Scripted:
    """Answers each request by its name; remembers the requests."""

    description = Description("test", "chat", "none", "none")

    def __init__(self, rules: Sequence[str] = (RULES,), trees: Sequence[str] = (TREE,)) -> None:
        self._code = {"featllm_code": rules, "llm_tree": trees, "llm_tree_ensemble": trees}
        self.asked: list[TextRequest] = []

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, Text]]:
        for index, request in enumerate(requests):
            self.asked.append(request)
            what, _, query = request.name.split("/")[:3]
            codes = self._code.get(what, ["in words"])
            text = fenced(codes[(int(query.removeprefix("query")) - 1) % len(codes)])
            yield {index: Text(text, 5, 7, 0.5, True)}


def answers(engine: Scripted, folder: Path, number: int = 1) -> pd.DataFrame:
    rows = table().set_index("row_id")
    features = rows.drop(columns="y").loc[6:]
    frame = ask_queries(
        "harbour",
        list(queries(METHODS, DRAWS, number, number)),
        lambda query: turns(
            query, TASK, features, rows.loc[6:, "y"].to_dict(), known_values(features)
        ),
        text_asker(IDENTITY, folder / "log.jsonl", lambda: engine),
        False,
    )
    return frame.assign(model="m", engine="test", style="chat", dtype="none", template="none")


def run(
    engine: Scripted,
    folder: Path,
    number: int = 1,
    rows: pd.DataFrame | None = None,
    kind: Kind = "process",
) -> Results:
    results = predict(
        answers(engine, folder, number), table() if rows is None else rows, split(), DRAWS, kind
    )
    write_table(results.predictions, folder / "predictions.parquet", PREDICTIONS)
    write_table(results.queries, folder / "queries.parquet", LLM_QUERIES)
    return results


def scores(results: Results, method: str, k: int = 0) -> list[float]:
    frame = results.predictions
    return frame.loc[(frame["model"] == f"{method}_m") & (frame["k"] == k), "p_1"].tolist()


def sigmoid(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


# What is asked


def test_trees_are_asked_without_examples_and_rules_with_them(tmp_path: Path) -> None:
    engine = Scripted()
    frame = answers(engine, tmp_path, number=2)
    write_table(frame, tmp_path / "answers.parquet", LLM_ANSWERS)
    assert sorted(zip(frame["method"], frame["k"], frame["query"], strict=True)) == [
        *(("featllm", 0, 1), ("featllm", 0, 2), ("featllm", 4, 1), ("featllm", 4, 2)),
        *(("llm_tree", 0, 1), ("llm_tree", 0, 2)),
        *(("llm_tree_ensemble", 0, 1), ("llm_tree_ensemble", 0, 2)),
    ]
    texts = {request.name: request.messages[0].content for request in engine.asked}
    shown = texts["featllm_rules/harbour/query1/k4/seed7"]
    assert shown.count("Answer is 1.") == shown.count("Answer is 0.") == 2
    assert "load = 9, " in shown or ", load = 9." in shown
    assert not any("Answer is" in text for name, text in texts.items() if "/k0/" in name)
    assert all("whether it sinks" in text and "- load: a number" in text for text in texts.values())
    assert all('- flag: one of "blue", "red"' in text for text in texts.values())


def test_the_second_turn_goes_on_with_the_first(tmp_path: Path) -> None:
    engine = Scripted()
    answers(engine, tmp_path)
    (code,) = (one for one in engine.asked if one.name == "featllm_code/harbour/query1/k0/seed0")
    assert [message.role for message in code.messages] == ["user", "assistant", "user"]
    assert "in words" in code.messages[1].content


def test_queries_differ_in_their_orders_and_repeat_from_run_to_run() -> None:
    columns = [f"c{number}" for number in range(60)]
    draw = Draw(8, 3, tuple(range(8)))
    labels = dict.fromkeys(range(8), 0)
    one, two = (Query("featllm", draw, number) for number in (1, 2))
    assert one.columns(columns) == one.columns(columns) != two.columns(columns)
    assert one.examples(labels) != two.examples(labels)
    assert sorted(one.examples(labels)) == list(range(8))


@pytest.mark.parametrize(
    ("method", "columns", "shown"),
    [("featllm", 19, 19), ("featllm", 20, 10), ("llm_tree", 40, 40), ("llm_tree", 41, 40)],
)
def test_of_a_wide_table_a_query_draws_columns(method: str, columns: int, shown: int) -> None:
    names = [f"c{number}" for number in range(columns)]
    assert len(set(Query(method, Draw(0, 3, ()), 1).columns(names))) == shown


def test_of_many_examples_a_query_draws_eight_of_each_class() -> None:
    draw, labels = Draw(64, 3, tuple(range(64))), {row: row % 2 for row in range(64)}
    one, two = (Query("featllm", draw, number).examples(labels) for number in (1, 2))
    for rows in (one, two):
        assert sorted(labels[row] for row in rows) == [0] * 8 + [1] * 8
        assert len(set(rows)) == 16
    assert set(one) != set(two)


def test_of_many_categories_featllm_lists_three_and_a_tree_the_most_frequent() -> None:
    codes = [f"v{number:02}" for number in range(40) for _ in range(1 + (number > 9))]
    rows = pd.DataFrame({"code": codes, "few": ["b", "a"] * (len(codes) // 2)})
    values = known_values(rows)
    rules, tree = (
        turns(Query(method, Draw(0, 3, ()), 1), TASK, rows, {}, values)[0]
        for method in ("featllm", "llm_tree")
    )
    assert '- code: one of "v00", "v01", "v39", or another value' in rules
    assert '- code: one of "v10", "v11", ' in tree
    assert '"v39", or another value' in tree and '"v00"' not in tree
    assert '- few: one of "a", "b"\n' in f"{rules}\n" and "at most 2 levels" in tree


def test_methods_are_asked_as_the_released_code_asks_them(tmp_path: Path) -> None:
    engine = Scripted()
    answers(engine, tmp_path)
    asked = {one.name.partition("/")[0]: one.decoding for one in engine.asked}
    heat = {name: one.temperature for name, one in asked.items() if one}
    assert heat == {
        **{"featllm_rules": 0.5, "featllm_code": 0.0, "llm_tree": 1.0},
        "llm_tree_ensemble": 0.5,
    }
    draws = read_draws([864, 460, 142], [])
    wanted = list(queries(["featllm", "llm_tree"], draws, members=10, trees=5))
    assert [sum(query.method == name for query in wanted) for name in METHODS] == [30, 5, 0]


def test_every_part_of_a_draw_changes_the_order_of_a_query() -> None:
    rows = tuple(range(30))
    queries = [
        Query("featllm", Draw(30, 3, rows), 1),
        Query("featllm", Draw(30, 4, rows), 1),
        Query("featllm", Draw(30, 3, rows), 2),
        Query("featllm", Draw(28, 3, rows), 1),
    ]
    names = [f"c{number}" for number in rows]
    labels = {row: row % 2 for row in rows}
    orders = [tuple(one.examples(labels)) for one in queries]
    assert len(set(orders)) == len(queries)
    # Columns and examples have random numbers of their own.
    for query, order in zip(queries, orders, strict=True):
        assert query.columns(names) != [f"c{row}" for row in order][: len(query.columns(names))]


def test_every_example_of_a_rule_prompt_has_its_own_label() -> None:
    features = pd.DataFrame({"load": [10.0, 11.0, 12.0, 13.0, 14.0]})
    labels = {0: 1, 1: 0, 2: 0, 3: 1}
    query = Query("featllm", Draw(4, 7, (3, 0, 2, 1)), 1)
    rules, _ = turns(query, TASK, features, labels, {})
    shown = re.findall(r"load = (\d+)\. Answer is ([01])\.", rules)
    assert shown == [(str(10 + row), str(labels[row])) for row in query.examples(labels)]
    assert "Class 0: it floats. Class 1: it sinks." in rules


def test_draws_keep_the_order_of_the_prompt() -> None:
    frame = pd.DataFrame(
        {"k": 2, "seed": [5, 5, 6, 6], "position": [1, 0, 0, 1], "row_id": [10, 11, 12, 13]}
    )
    assert read_draws([5], [frame]) == [Draw(0, 5, ()), Draw(2, 5, (11, 10)), Draw(2, 6, (12, 13))]
    assert read_draws([], []) == []


# How code is read


def test_rules_and_trees_are_read_by_name() -> None:
    logic = read_rules(fenced(RULES))
    assert logic.functions == ("class0_rule1", "class0_rule2", "class1_rule1")
    assert logic.classes == (0, 0, 1)
    assert read_tree(fenced(TREE)).functions == ("predict",)
    assert read_tree(fenced("def tree(row): return 0.4")).functions == ("tree",)


@pytest.mark.parametrize(
    ("read", "answer", "message"),
    [
        (read_rules, "I cannot do that.", "no block of Python"),
        (read_rules, fenced("def class1_rule1(row): return True"), "rules of both classes"),
        (read_rules, fenced("def f(row): return True"), "found none"),
        (read_rules, "```python\ndef class0_rule1(row):\n    return (", "no block of Python"),
        (read_tree, fenced("def a(row): return 1\ndef b(row): return 0"), "no function 'predict'"),
        (read_tree, fenced("x = 1"), "defines no function"),
    ],
)
def test_what_cannot_be_read_is_a_failed_query(read, answer: str, message: str) -> None:
    with pytest.raises(QueryError, match=message) as error:
        read(answer)
    assert error.value.status == "unreadable"


@given(st.text())
def test_any_text_is_read_or_refused(answer: str) -> None:
    for read in (read_rules, read_tree):
        for text in (answer, fenced(answer), f"{fenced(RULES)}{answer}", f"{answer}\n{TREE}"):
            try:
                assert read(text).functions
            except QueryError as error:
                assert error.status == "unreadable"


# How it is scored


def test_without_examples_each_class_scores_the_share_of_its_rules(tmp_path: Path) -> None:
    results = run(Scripted(), tmp_path)
    # class 0: load < 4, red; class 1: load >= 4. Of row 2 only "red" can be said.
    shares = [(1.0, 0), (0.5, 0), (0.5, 0), (0.5, 0), (0, 1), (0.5, 1)]
    assert scores(results, "featllm") == pytest.approx([sigmoid(b - a) for a, b in shares])
    assert scores(results, "llm_tree") == [0.2, 0.2, 0.5, 0.2, 0.9, 0.9]
    queries = results.queries.set_index(["method", "k"])
    assert queries.loc[("featllm", 0), "calls_failed"] == 2
    assert queries.loc[("featllm", 0), "calls"] == 30
    assert "TypeError" in queries.loc[("featllm", 0), "message"]
    assert set(results.predictions["mode"]) == {"rules", "tree"}
    assert len(score_cells(results.predictions)) == 4


def test_an_ensemble_is_the_mean_of_its_queries(tmp_path: Path) -> None:
    other = "def predict(row): return 0.4"
    results = run(Scripted(trees=(TREE, other)), tmp_path, number=2)
    mean = [0.3, 0.3, 0.45, 0.3, 0.65, 0.65]
    assert scores(results, "llm_tree_ensemble") == pytest.approx(mean)


def test_a_tree_is_scored_alone_and_is_a_seed_of_its_own(tmp_path: Path) -> None:
    other = "def predict(row): return 0.4"
    results = run(Scripted(trees=(TREE, other, "no tree")), tmp_path, number=3)
    trees = results.predictions[results.predictions["model"] == "llm_tree_m"]
    assert trees.groupby("seed")["p_1"].apply(list)[:2].to_dict() == {
        0: [0.2, 0.2, 0.5, 0.2, 0.9, 0.9],
        1: [0.4] * 6,
    }
    # A tree that cannot be read is an error of its own and takes no other one's place.
    assert set(trees.loc[trees["seed"] == 2, "status"]) == {"error"}


def test_rules_that_the_examples_contradict_lose_their_weight() -> None:
    classes = np.array([0, 0, 1, 1])
    labels = np.array([0, 1] * 16)
    right, wrong = 1 - labels, labels
    held = np.column_stack([-right, -wrong, labels, np.zeros(32)]).astype(float)
    weights = rule_weights(held, classes, labels)
    assert weights[0] > 1 and weights[2] > 1
    assert weights[1] == 0
    assert weights[3] == pytest.approx(0.5)  # never held: it stays where it began
    none = rule_weights(np.zeros((0, 4)), classes, np.array([], dtype=np.int64))
    assert none.tolist() == [0.5] * 4


@settings(max_examples=50)
@given(st.data())
def test_weights_are_never_negative_and_fit_no_worse_than_the_uniform_ones(data) -> None:
    rules, k = data.draw(st.integers(2, 8)), data.draw(st.integers(1, 10))
    classes = np.array([0, 1, *data.draw(st.lists(st.integers(0, 1), max_size=rules - 2))])
    labels = np.array(data.draw(st.lists(st.integers(0, 1), min_size=k, max_size=k)))
    holds = st.lists(st.integers(0, 1), min_size=len(classes), max_size=len(classes))
    held = np.array([data.draw(holds) for _ in range(k)]) * (2.0 * classes - 1)
    weights = rule_weights(held, classes, labels)
    uniform = 1 / np.bincount(classes)[classes]

    def loss(at):
        return np.logaddexp(0, -(2 * labels - 1) * (held @ at)).sum()

    assert (weights >= 0).all()
    assert loss(weights) + ((weights - uniform) ** 2).sum() / 2 <= loss(uniform) + 1e-9


def test_a_row_on_which_all_fail_has_no_score() -> None:
    values = np.array([[1.0, np.nan, 0.0], [np.nan, np.nan, 1.0]])
    found = rule_scores(values, np.array([0, 1]), values[:, :0], np.array([], dtype=np.int64))
    assert np.isnan(found).tolist() == [False, True, False]
    assert tree_scores(values[:1]).tolist()[2] == 0


# What must not leak


def test_labels_of_test_rows_change_no_score(tmp_path: Path) -> None:
    flipped = table()
    flipped.loc[:5, "y"] = 1 - flipped.loc[:5, "y"]
    before, after = (run(Scripted(), tmp_path, rows=rows) for rows in (table(), flipped))
    for method, k in (("featllm", 0), ("featllm", 4), ("llm_tree", 0)):
        assert scores(before, method, k) == scores(after, method, k)
    shown = table()
    shown.loc[6:, "y"] = 1 - shown.loc[6:, "y"]  # the examples' labels do
    again = run(Scripted(), tmp_path, rows=shown)
    assert scores(before, "featllm", 4) != scores(again, "featllm", 4)
    assert scores(before, "featllm", 0) == scores(again, "featllm", 0)


COUNTING = """
seen = []

def predict(row):
    seen.append(row["load"])
    row["load"] = 0.0
    return min(1.0, len(seen) / 10)
"""


@pytest.mark.parametrize("tree", [TREE, COUNTING])
def test_other_test_rows_change_no_score(tmp_path: Path, tree: str) -> None:
    other = table()
    other.loc[:4, "load"] = [5.0, np.nan, 6.0, 9.0, 0.0]
    other.loc[:4, "flag"] = ["blue", "red", None, "red", "red"]
    before, after = (run(Scripted(trees=(tree,)), tmp_path, rows=rows) for rows in (table(), other))
    for method, k in (("featllm", 0), ("featllm", 4), ("llm_tree", 0)):
        assert scores(before, method, k)[5] == scores(after, method, k)[5]


# What fails


FAULTS = {
    "endless": ("while True: pass", "timeout"),
    "memory": ("return len(bytearray(10**11)) > 0", "memory"),
    "exit": ("import os; os._exit(0)", "killed"),
    "raises": ("raise ValueError('no')", "invalid"),
    "file": ("open('/etc/shadow').read()", "invalid"),
    "text": ("return 'sinks'[9]", "invalid"),
}


def faulty(body: str) -> Scripted:
    rules = "".join(f"def class{label}_rule1(row):\n    {body}\n" for label in (0, 1))
    return Scripted((rules, RULES), (f"def predict(row):\n    {body}\n", TREE))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_code_that_attacks_or_fails_is_a_counted_failure(
    tmp_path: Path, fault: str, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "file" and os.access("/etc/shadow", os.R_OK) and os.getuid() != 0:
        pytest.fail("this user may read /etc/shadow; the test needs a file that it may not read")
    monkeypatch.setattr("tabbench.baselines.llm_written.ensemble.run_logic", _briefly)
    body, status = FAULTS[fault]
    results = run(faulty(body), tmp_path, number=2, kind=kind)
    assert results.queries.groupby("query")["status"].unique().map(list).tolist() == [
        [status],
        ["ok"],
    ]
    # The other query's score stands alone, and no row is guessed.
    alone = run(Scripted(), tmp_path / "alone")
    for method in ("featllm", "llm_tree_ensemble"):
        assert scores(results, method) == scores(alone, method)
    rows = results.predictions
    second = rows[(rows["model"] == "llm_tree_m") & (rows["seed"] == 1)]
    assert second["p_1"].tolist() == scores(alone, "llm_tree")


def _briefly(logic, features, kind, limits=SHORT):
    return run_logic(logic, features, kind, limits)


def test_where_every_query_fails_the_cell_is_an_error(tmp_path: Path) -> None:
    results = run(Scripted(("no code",), ("def predict(row): return 70",)), tmp_path, number=2)
    assert set(results.predictions["status"]) == {"error"}
    assert results.predictions["p_1"].isna().all()
    assert results.predictions["y_pred"].isna().all()
    cells = score_cells(results.predictions)
    assert (cells["n_errors"] == cells["n"]).all()
    assert cells["roc_auc"].isna().all()
    trees = results.queries[results.queries["method"] == "llm_tree"]
    assert trees["message"].str.contains("returned 70, which is no number from 0 to 1").all()


def test_a_row_without_a_score_is_invalid_and_the_others_stand(tmp_path: Path) -> None:
    tree = 'def predict(row): return 0.7 if row["load"] > 2 else 0.1'
    results = run(Scripted(trees=(tree,)), tmp_path)
    rows = results.predictions[results.predictions["model"] == "llm_tree_m"]
    assert rows["status"].tolist() == ["ok", "ok", "invalid", "ok", "ok", "ok"]
    assert np.isnan(scores(results, "llm_tree")[2])


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"values": [[0.5] * 10]},
        {"values": [[0.5] * 9], "fault": ""},
        {"values": [[0.5] * 10, [0.5] * 10], "fault": ""},
        {"values": [["red"] * 10], "fault": ""},
        {"values": [[2.0] * 10], "fault": ""},
        {"values": [[None] * 10], "fault": ["?"]},
    ],
)
def test_a_result_of_another_form_is_refused(value, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that a model wrote runs beside the driver and might forge what it returns."""
    monkeypatch.setattr("tabbench.sandbox.sandbox.run", lambda *_: Outcome("ok", value, "", ""))
    features = table().set_index("row_id").drop(columns="y")
    with pytest.raises(QueryError) as error:
        run_logic(read_tree(fenced(TREE)), features, "process")
    assert error.value.status == "invalid"


@given(
    JSON
    | st.fixed_dictionaries({"values": st.lists(st.lists(JSON, max_size=10)), "fault": JSON})
    | st.fixed_dictionaries({"values": st.just([[0.5] * 10]), "fault": JSON})
)
@settings(deadline=None, max_examples=50)
def test_any_result_is_values_or_refused(value: object) -> None:
    features = table().set_index("row_id").drop(columns="y")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tabbench.sandbox.sandbox.run", lambda *_: Outcome("ok", value, "", ""))
        with contextlib.suppress(QueryError):
            assert run_logic(read_tree(fenced(TREE)), features, "process").table.shape == (1, 10)


# The transcripts of the repository


FOLDER = Path(__file__).parents[1] / "resources/transcripts/repository"


@pytest.mark.parametrize("dataset", ["diabetes", "credit", "kc1", "tae"])
def test_the_recorded_texts_can_be_read(dataset: str) -> None:
    engine = ReplayEngine("repository", FOLDER)
    draws = [Draw(0, 0, ()), Draw(4, 864, (1, 2, 3, 4)), Draw(16, 460, tuple(range(16)))]
    found: dict[str, set[str]] = {method: set() for method in METHODS}
    for query in queries(METHODS, draws, 3, 3):
        method = METHODS[query.method]
        names = [f"{turn}/{dataset}/{query.path}" for turn in method.turns]
        texts = list(engine.write([TextRequest(name, (), None) for name in names]))
        code = texts[-1][len(names) - 1].text
        found[query.method].add(code)
        assert (read_rules if method.few_shot else read_tree)(code).functions
    assert len(found["featllm"]) >= 3
    assert len(found["llm_tree"]) == len(found["llm_tree_ensemble"]) == 3
    assert all(nesting(code) <= METHODS["llm_tree"].depth for code in found["llm_tree"])


def nesting(answer: str) -> int:
    """Most decisions on a way through the function of an answer."""
    (function,) = (
        node for node in ast.parse(read_tree(answer).code).body if isinstance(node, ast.FunctionDef)
    )
    return _decisions(function.body)


def _decisions(body: Sequence[ast.stmt]) -> int:
    first, rest = body[0], body[1:]
    if isinstance(first, ast.If):
        return 1 + max(_decisions(first.body), _decisions(first.orelse or rest))
    assert isinstance(first, ast.Return) and not rest
    return int(isinstance(first.value, ast.IfExp))
