"""SciTaRC's tables: right numbers in right cells, honest where there is little or nothing."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scitarc_frames import complexities, scored

from tabbench.config.model_entry import model_card
from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table
from tabbench.core.frames import write_table as write_rows
from tabbench.reporting.reader import read_markdown
from tabbench.reporting.writer import DASH, to_latex, write_table
from tabbench.scitarc.agreement import read_labels
from tabbench.scitarc.matcher_pairs import read_pairs
from tabbench.scitarc.names import METRIC_TITLES
from tabbench.scitarc.published import OTHER_TITLES, QUANTITIES, SHORT_NAMES, beside_published
from tabbench.scitarc.schemas import paper as published
from tabbench.scitarc.schemas.complexity import SCITARC_COMPLEXITY
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.tables import answer_types as scitarc_types
from tabbench.scitarc.tables import cost as scitarc_cost
from tabbench.scitarc.tables import dataset as scitarc_dataset
from tabbench.scitarc.tables import judges as scitarc_judges
from tabbench.scitarc.tables import leaderboard as scitarc_leaderboard
from tabbench.scitarc.tables import paper as scitarc_paper
from tabbench.scitarc.tables import planning as scitarc_planning
from tabbench.scitarc.tables import trends as scitarc_trends

RESOURCES = Path(__file__).parents[1] / "resources"
MODELS = {
    "qwen": "Qwen3-30B-A3B-2507",
    "coder": "Qwen-2.5-Coder-32B",
    "small": "SmolLM2-135M-Instruct",
}
LARGE = scored(120, [("qwen", "language", 0.45), ("coder", "code", 0.2)])
SMALL = scored(4, [("small", "language", 0.0)])
CARDS = {
    "qwen": {"developer": "Qwen", "access": "open weights", "size": "30B"},
    "coder": {"developer": "Qwen", "access": "open weights", "size": ""},
    "small": {"developer": "", "access": "open weights", "size": "135M"},
}
PAIRS = read_pairs(RESOURCES / "scitarc/matcher_pairs.csv")


def printed(number):
    path = RESOURCES / f"paper/scitarc_table{number}.csv"
    return read_table(path, getattr(published, f"SCITARC_TABLE_{number}"))


def of_text(name):
    path = RESOURCES / f"paper/scitarc_{name}.csv"
    return read_table(path, getattr(published, f"SCITARC_{name.upper()}"))


PUBLISHED = {f"scitarc_table{number}": printed(number) for number in (2, 4, 11)}
EDGES, DROPS, CORRELATIONS = map(of_text, ("edges", "drops", "correlations"))


def made(scores, complexity):
    """Every table that a run makes without an annotator."""
    return {
        "table1": scitarc_dataset.table1(complexity, printed(1)),
        "table2": scitarc_leaderboard.table2(scores, MODELS, CARDS),
        "conditions": scitarc_leaderboard.conditions(scores, MODELS),
        "answer_types": scitarc_types.answer_types(scores, MODELS),
        "found_answers": scitarc_leaderboard.found_answers(scores, MODELS),
        "table4": scitarc_planning.table4(scores, MODELS),
        "failures": scitarc_planning.failures(scores, MODELS),
        "table11": scitarc_planning.table11(scores, MODELS),
        "by_complexity": scitarc_dataset.by_complexity(scores, complexity, EDGES, MODELS),
        "complexity_changes": scitarc_trends.complexity_changes(scores, complexity, DROPS, MODELS),
        "complexity_model": scitarc_trends.complexity_model(scores, complexity, MODELS),
        "complexity_correlations": scitarc_trends.complexity_correlations(complexity, CORRELATIONS),
        "judges": scitarc_judges.judges(PAIRS, scores, None, None, MODELS),
        "comparison": scitarc_paper.comparison(scores, **PUBLISHED, models=MODELS, prompts="paper"),
    }


def test_the_frames_are_those_of_the_workflow(tmp_path):
    for frame, schema in ((LARGE, SCITARC_SCORES), (complexities(9), SCITARC_COMPLEXITY)):
        write_rows(frame, tmp_path / "rows.parquet", schema)
        read_table(tmp_path / "rows.parquet", schema)


@pytest.mark.parametrize("scores", [SMALL, LARGE], ids=["four questions", "many"])
def test_every_table_is_written_and_read_back(tmp_path, scores):
    for name, table in made(scores, complexities(scores["row"].nunique())).items():
        paths = {form: tmp_path / f"{name}.{form}" for form in ("csv", "md", "tex")}
        write_table(table, **paths)
        shown = read_markdown(paths["md"])
        assert [tuple(cell.text for cell in row) for row in shown.rows] == list(table.rows), name
        assert len(pd.read_csv(paths["csv"])) == len(table.numbers)
        assert not [row for row in table.rows if len(row) != len(table.header)], name
        assert "nan" not in " ".join(cell for row in table.rows for cell in row), name


def test_table1_stands_beside_the_published():
    table = scitarc_dataset.table1(complexities(10), printed(1))
    cells = {row[0]: row for row in table.rows}
    assert len(cells) == len(METRIC_TITLES)
    assert cells["Context load, S_tok (tokens)"][4] == "2,527"
    released = cells["Structural size, S_cell (cells, released counter)"]
    assert (released[4], released[6]) == ("287.0", "3,338")
    assert cells["Structural size, S_cell (cells as LaTeX sets them)"][4] == DASH
    plan = cells["Plan horizon, L_plan (lines)"]
    assert plan[1] == "9"  # the first has no plan
    assert float(plan[3]) < float(plan[2])  # counted as zeros, as released
    assert any("here 1 of 10 have no plan" in note for note in table.notes)


def test_table1_counts_broken_latex():
    broken = complexities(5)
    broken.loc[2, "s_cell"] = np.nan
    notes = scitarc_dataset.table1(broken, printed(1)).notes
    assert any("missing for 1 question " in note for note in notes)


def test_table1_counts_plans_outside_the_plan_language():
    odd = complexities(5)
    odd.loc[2, "plan_fault"] = "line 2: indented"
    notes = scitarc_dataset.table1(odd, printed(1)).notes
    assert any("as released; 1 of 4 leave the paper's plan language" in note for note in notes)


def test_table2_shows_the_best_first_and_counts_what_went_wrong():
    scores = LARGE.copy()
    direct = (scores["plan_mode"] == "none") & (scores["shots"] == 0)
    of_qwen = scores.index[direct & (scores["model"] == "qwen")]
    scores.loc[of_qwen, ["status", "score", "correct"]] = ["correct", 1.0, True]
    scores.loc[of_qwen[:2], ["status", "score", "correct"]] = ["judge failed", None, None]
    scores.loc[of_qwen[2:5], ["status", "score", "correct"]] = ["no answer", 0.0, False]
    table = scitarc_leaderboard.table2(scores, MODELS, CARDS)
    assert table.rows[0][:7] == (
        *("open weights", "Qwen", "Qwen3-30B-A3B-2507", "CoT", "30B", "118", "97.5"),
    )
    assert table.rows[0][-2:] == ("3", "2")
    assert table.rows[1][2:5] == ("Qwen-2.5-Coder-32B", "PoT", DASH)
    best = max((0, 1), key=lambda at: table.numbers["exact_match"][at])
    assert table.bold == {(0, 6), (best, 8)}


def test_table2_groups_by_access_and_marks_the_best_of_each():
    scores = scored(60, [("a", "language", 0.7), ("b", "language", 0.4), ("c", "language", 0.2)])
    closed = {"developer": "X", "access": "proprietary", "size": ""}
    cards = {"a": closed | {"access": "open weights"}, "b": closed, "c": closed}
    table = scitarc_leaderboard.table2(scores, dict(zip("abc", "ABC", strict=True)), cards)
    assert [row[:3] for row in table.rows] == [
        ("proprietary", "X", "B"),
        ("proprietary", "X", "C"),
        ("open weights", "X", "A"),
    ]
    # The best of two; alone, A is the best of nothing.
    assert table.bold == {(0, 6), (0, 8)}
    assert any("several systems of the same access" in note for note in table.notes)


def test_the_registry_groups_the_papers_models_as_the_paper_does():
    """But for Kimi-K2, whose weights are open."""
    entries = {
        path.stem: yaml.safe_load(path.read_text())
        for path in (RESOURCES / "models").glob("*.yaml")
    }
    cards = {
        OTHER_TITLES.get(entry["title"], entry["title"]): model_card(entry)
        for entry in entries.values()
    }
    for row in printed(2).to_dict("records"):
        card = cards[row["model"]]
        assert card["developer"] == row["family"]
        assert card["size"] == (row["size"] or "")
        if row["family"] != "Moonshot":
            assert card["access"] == row["access"]


def test_nothing_right_is_said_with_an_interval_that_has_a_width():
    table = scitarc_leaderboard.table2(SMALL, MODELS, CARDS)
    assert table.rows[0][5:8] == ("4", "0.0", "[0.0, 0.0]")
    assert not table.bold
    assert any("for 0 of 4 right, Wilson's 95 % interval is [0.0, 49.0]" in n for n in table.notes)
    assert not any("Wilson" in n for n in scitarc_leaderboard.table2(LARGE, MODELS, CARDS).notes)


def test_a_judge_that_always_failed_leaves_no_accuracy():
    failed = SMALL.assign(status="judge failed", score=None, correct=None)
    row = scitarc_leaderboard.table2(failed, MODELS, CARDS).rows[0]
    assert row[5:8] == ("0", DASH, f"[{DASH}]")
    assert row[-1] == "4"


def test_conditions_have_a_row_each():
    table = scitarc_leaderboard.conditions(LARGE, MODELS)
    assert [row[2:4] for row in table.rows[:5]] == [
        ("direct", "0"),
        ("autonomous", "0"),
        ("oracle", "0"),
        ("direct", "2"),
        ("oracle", "2"),
    ]
    assert len(table.rows) == 10


def test_differences_are_between_the_better_and_the_worse():
    table = scitarc_leaderboard.differences(LARGE, MODELS)
    (row,) = table.rows
    assert row[0] == "Qwen3-30B-A3B-2507, CoT − Qwen-2.5-Coder-32B, PoT"
    assert row[2].startswith("+")
    found = table.numbers.iloc[0]
    assert int(row[4]) - int(row[5]) == pytest.approx(found["difference"] * found["n"])
    alike = scored(4, [("small", "language", 0.0), ("small", "code", 0.0)])
    notes = scitarc_leaderboard.differences(alike, MODELS).notes
    assert any("no evidence of equality" in note for note in notes)


def test_failures_stand_apart_from_what_was_found():
    table = scitarc_leaderboard.found_answers(LARGE, MODELS)
    for row in table.rows:
        n, lost = int(row[4]), int(row[6])
        found = sum(int(text.rpartition(" ")[2]) for text in row[5].split(", "))
        assert found + lost == n == 120
    by_program = [row for row in table.rows if row[1] == "PoT"]
    assert by_program[0][5].startswith("ok ")
    assert {row[7].split(" ")[0] for row in by_program} <= {"exception", DASH}


def test_table4_tests_each_change():
    table = scitarc_planning.table4(LARGE, MODELS)
    wide = table.numbers.set_index(["model", "quantity"])
    for row, model in zip(table.rows, ("qwen", "coder"), strict=True):
        change = wide.loc[(model, "delta_auto")]
        assert f"{change['gained']:.0f} gained, {change['lost']:.0f} lost" in row[6]
        assert change["value"] == pytest.approx(
            wide.loc[(model, "auto"), "value"] - wide.loc[(model, "direct"), "value"]
        )
    assert any("all 6 differences" in note for note in table.notes)


def test_table4_marks_what_holds_after_correction():
    better = LARGE.copy()
    oracle = (better["plan_mode"] == "gold") & (better["model"] == "coder")
    better.loc[oracle, ["status", "score", "correct"]] = ["correct", 1.0, True]
    table = scitarc_planning.table4(better, MODELS)
    corrected = table.numbers.set_index(["model", "quantity"])["p_holm"]
    deltas = ("delta_auto", "delta_max", "delta_plan")
    assert table.bold == {
        (row, 6 + column)
        for row, model in enumerate(("qwen", "coder"))
        for column, delta in enumerate(deltas)
        if corrected[model, delta] < 0.05
    }
    assert {(1, 7), (1, 8)} <= table.bold
    assert (0, 6) not in table.bold


def test_failures_add_up_and_have_intervals():
    table = scitarc_planning.failures(LARGE, MODELS)
    kinds = ["success", "plan_failure", "execution_failure"]
    assert table.numbers[kinds].sum(axis=1).tolist() == pytest.approx([1, 1])
    for kind in kinds:
        low, high = table.numbers[f"{kind}_low"], table.numbers[f"{kind}_high"]
        assert (low < table.numbers[kind]).all()
        assert (table.numbers[kind] < high).all()
    found = table.numbers.iloc[0]
    assert table.rows[0][2:4] == (
        str(found["n"]),
        f"{100 * found['success']:.1f} "
        f"[{100 * found['success_low']:.1f}, {100 * found['success_high']:.1f}]",
    )
    assert any("for 0 of 4 questions" in n for n in scitarc_planning.failures(SMALL, MODELS).notes)


def test_without_a_condition_the_tables_that_need_it_say_so():
    direct = LARGE[LARGE["plan_mode"] == "none"]
    for make in (scitarc_planning.table4, scitarc_planning.table11):
        with pytest.raises(TabBenchError, match="no model was judged under all of"):
            make(direct, MODELS)


def test_table11_counts_regressions():
    table = scitarc_planning.table11(LARGE, MODELS)
    row, found = table.rows[0], table.numbers.iloc[0]
    assert row[6:8] == (str(found["fs_oracle_errors"]), str(found["regressions"]))
    assert int(row[6]) == round((1 - found["fs_oracle"]) * found["n"])


def test_bins_show_how_many_answers_they_rest_on():
    of = complexities(4).assign(s_tab=[1, 3, 3, 1])
    table = scitarc_dataset.by_complexity(SMALL, of, EDGES, MODELS)
    scope = [row for row in table.rows if row[0].startswith("Input scope")]
    assert [row[1:3] for row in scope] == [("1", "2"), ("2", "0"), ("≥ 3", "2")]
    assert all((row[3] == DASH) == (row[2] == "0") for row in table.rows)
    assert {row[3] for row in table.rows} == {"0.0", DASH}


def test_edges_stand_next_to_those_of_the_published_questions():
    of = complexities(10).assign(
        s_cell_released=range(100, 1100, 100), s_tok=range(0, 10_000, 1000)
    )
    notes = " ".join(
        scitarc_dataset.by_complexity(
            scored(10, [("small", "language", 0.5)]), of, EDGES, MODELS
        ).notes
    )
    assert "S_cell, 80 %: here 820, published questions 406, text 400" in notes
    assert "S_tok, 20 %: here 1,800, published questions 974, text 1,000" in notes


def test_the_published_drops_stand_next_to_ours():
    table = scitarc_trends.complexity_changes(LARGE, complexities(120), DROPS, MODELS)
    published = {
        (row[0].split(", ")[1][:6], row[1]): row[-1] for row in table.rows if row[-1] != DASH
    }
    assert published == {
        ("I_calc", "CoT"): "−23.2",
        ("I_calc", "PoT"): "−29.8",
        ("L_plan", "CoT"): "−25.2",
        ("L_plan", "PoT"): "−35.5",
    }
    assert table.numbers["change"].equals(table.numbers["highest"] - table.numbers["lowest"]) or (
        np.allclose(table.numbers["change"], table.numbers["highest"] - table.numbers["lowest"])
    )


def test_a_model_that_cannot_be_fitted_is_a_sentence_and_no_number():
    table = scitarc_trends.complexity_model(SMALL, complexities(4), MODELS)
    assert not table.rows
    assert table.notes == (
        "CoT: nothing fitted: the answers of each system are all right or all wrong",
    )
    few = scitarc_trends.complexity_model(LARGE, complexities(120), MODELS)
    assert {row[6] for row in few.rows} == {DASH}
    assert any(
        note.startswith("PoT, all metrics together: not fitted: 11") and "105 of each" in note
        for note in few.notes
    )


def test_strong_correlations_are_named_with_the_published():
    of = complexities(60).assign(i_calc=lambda frame: frame["l_plan"] ** 2)
    table = scitarc_trends.complexity_correlations(of, CORRELATIONS)
    assert table.notes[0] == "0.7 or more here: I_calc and L_plan 1.00"
    assert "S_cell and S_tok 0.86" in table.notes[1]
    assert table.bold == {(0, 3), (2, 1)}


def test_questions_without_a_metric_are_in_none_of_its_bins():
    bare = complexities(4).assign(l_plan=np.nan, i_retr=np.nan, i_calc=np.nan, c_flow=np.nan)
    table = scitarc_dataset.by_complexity(SMALL, bare, EDGES, MODELS)
    assert {row[0].partition(",")[0] for row in table.rows} == {
        "Structural size",
        "Context load",
        "Input scope",
    }


def test_edges_come_from_the_questions_that_were_asked():
    more = pd.concat([complexities(4), complexities(40).query("row >= 4").assign(l_plan=99.0)])
    table = scitarc_dataset.by_complexity(SMALL, more, EDGES, MODELS)
    horizons = [row[1] for row in table.rows if row[0].startswith("Plan horizon")]
    assert horizons
    assert "≥ 99" not in horizons


def test_judges_are_compared_with_hand_labels_each_other_and_people(tmp_path):
    second = LARGE.assign(judge="qwen")
    second.loc[second.index[:10], ["status", "score", "correct"]] = ["judge failed", None, None]
    path = tmp_path / "labels.csv"
    LARGE.assign(label=LARGE["score"])[["id", "label"]].dropna().to_csv(path, index=False)
    table = scitarc_judges.judges(PAIRS, LARGE, second, read_labels(path, LARGE["id"]), MODELS)
    assert [row[:3] for row in table.rows] == [
        ("labelled pairs, development", "labels by hand", "the deterministic matcher"),
        ("labelled pairs, held out", "labels by hand", "the deterministic matcher"),
        ("labelled pairs, afterwards", "labels by hand", "the deterministic matcher"),
        ("answers of this run", "the deterministic matcher", "Qwen3-30B-A3B-2507"),
        ("answers of this run", "labels of a person", "the deterministic matcher"),
    ]
    unseen = LARGE["status"].eq("no answer")
    judged = int(LARGE["correct"][~unseen].notna().sum())
    assert (table.rows[4][3], table.rows[4][6]) == (str(judged), "100.0")
    assert sum(map(int, table.rows[3][3:6])) == len(LARGE)
    assert table.numbers["n_no_answer"].tolist() == [0, 0, 0, unseen.sum(), unseen.sum()]
    assert unseen.any()
    for row in table.numbers.to_dict("records"):
        assert sum(row[name] for name in scitarc_judges._COUNTS) == row["n"]
    assert table.numbers["n"].head(3).sum() == len(PAIRS) >= 60


def test_models_that_judge_their_own_answers_are_named():
    answered = LARGE["status"].ne("no answer")
    scores = LARGE.assign(judge="qwen", asked=answered.astype(int))
    own = int((answered & scores["model"].eq("qwen")).sum())
    said = f"Qwen3-30B-A3B-2507 judged {own} answers of its own"
    for table in (
        scitarc_leaderboard.table2(scores, MODELS, CARDS),
        scitarc_judges.judges(PAIRS, LARGE, scores, None, MODELS),
    ):
        assert any(note.startswith(said) for note in table.notes)
    for other in (LARGE, scores[scores["model"] != "qwen"], scores.assign(asked=0)):
        notes = scitarc_leaderboard.table2(other, MODELS, CARDS).notes
        assert not any("of its own" in note for note in notes)


def test_a_combined_judge_says_how_many_answers_the_model_saw():
    both = SMALL.assign(judge="matcher+qwen", asked=[1, 0, *[0] * (len(SMALL) - 2)])
    notes = "\n".join(scitarc_judges.judges(PAIRS, both, None, None, MODELS).notes)
    assert f"Qwen3-30B-A3B-2507 was asked for 1 of {len(SMALL)} answers" in notes
    assert "3 of its 199 sure verdicts on the 260 labelled pairs" in notes


def test_verdicts_that_were_asked_for_again_and_labels_of_no_answer_are_told():
    second = SMALL.assign(judge="qwen", asked=SMALL["status"].ne("no answer").astype(int))
    second.loc[[0, 1], ["asked", "status"]] = [[2, "correct"], [2, "judge failed"]]
    labels = pd.Series([1.0, 0.0], index=[SMALL["id"][0], "other"])
    notes = "\n".join(scitarc_judges.judges(PAIRS, SMALL, second, labels, MODELS).notes)
    asked = second["asked"].gt(0).sum()
    assert f"as the first could not be read: 2 of {asked}; not read then either: 1" in notes
    assert "labels without an answer of this run, left out: 1 of 2" in notes
    alone = scitarc_judges.judges(PAIRS, SMALL.assign(asked=0), None, labels.head(1), MODELS)
    assert not any("requested once more" in one or "left out" in one for one in alone.notes)


def test_ours_stand_beside_the_published_of_the_same_model_and_method():
    table = scitarc_paper.comparison(LARGE, **PUBLISHED, models=MODELS, prompts="paper")
    cells = {(row[0], row[1], row[3], row[4], row[5]): row for row in table.rows}
    direct = cells["2", "Qwen3-30B-A3B-2507", "accuracy", "direct", "0"]
    assert direct[6:8] == ("44.7", "371")
    leader = scitarc_leaderboard.table2(LARGE, MODELS, CARDS).rows[0]
    assert direct[8] == leader[6]
    assert cells["4", "Qwen-2.5-Coder-32B", "accuracy", "oracle", "0"][6] == "27.5"
    assert cells["11", "Qwen3-30B-A3B-2507", "accuracy", "oracle", "2"][6:8] == ("47.7", "369")
    both_papers = {**MODELS, "qwen": "Qwen3-8B"}
    renamed = scitarc_paper.comparison(
        LARGE, **PUBLISHED, models=both_papers, prompts="released"
    ).rows
    assert ("2", "Qwen-3-8B", "28.6") in [(row[0], row[1], row[6]) for row in renamed]
    swapped = LARGE.assign(execution="language")
    assert not any(
        row[1] == "Qwen-2.5-Coder-32B"
        for row in scitarc_paper.comparison(
            swapped, **PUBLISHED, models=MODELS, prompts="paper"
        ).rows
    )


def test_where_no_model_is_the_papers_the_comparison_says_so():
    table = scitarc_paper.comparison(SMALL, **PUBLISHED, models=MODELS, prompts="paper")
    assert table.rows == ()
    assert "nothing to compare: SmolLM2-135M-Instruct; none has the name" in table.notes[0]


def test_short_names_are_of_models_that_table_2_has():
    table2 = set(zip(printed(2)["model"], printed(2)["method"], strict=True))
    assert set(SHORT_NAMES.values()) <= table2
    assert set(OTHER_TITLES.values()) <= {name for name, _ in table2}
    assert set(SHORT_NAMES) == {*printed(4)["model"], *printed(11)["model"]}
    every = {name: name for name in printed(2)["model"]}
    systems = [(name, "language" if method == "CoT" else "code", 0.5) for name, method in table2]
    ours = beside_published(scored(3, systems), {"2": printed(2)}, every)
    assert len(ours) == len(table2) * sum(number == "2" for number, _ in QUANTITIES)


def test_the_papers_grid_has_every_published_accuracy_beside_it():
    grid = yaml.safe_load((RESOURCES.parent / "config/paper.yaml").read_text())["scitarc"]["runs"]
    asked = {
        (model, execution, plan_mode, shots)
        for run in grid
        for model, execution, plan_mode, shots in product(
            run["models"], run["executions"], run["plan_modes"], run.get("shots", [0])
        )
    }
    titles = {
        model: yaml.safe_load((RESOURCES / f"models/{model}.yaml").read_text())["title"]
        for model, *_ in asked
    }
    scores = pd.concat(
        scored(2, [(model, execution, 0.5)], [condition])
        for model, execution, *condition in sorted(asked)
    )
    beside = beside_published(scores, {str(n): printed(n) for n in (2, 4, 11)}, titles)
    found = beside.groupby("table").size().to_dict()
    assert found == {
        number: len(printed(number)) * sum(of == number for of, _ in QUANTITIES)
        for number in ("2", "4", "11")
    }


def test_cost_counts_what_was_cut():
    frame = SMALL.assign(
        ended=[True, False, False, True] * 5,
        plan_status="",
        prompt_tokens=100,
        completion_tokens=64,
        seconds=1.5,
    )
    table = scitarc_cost.cost(frame, MODELS)
    assert [row[2:] for row in table.rows][:2] == [
        ("direct", "0", "4", "2", "100", "64", "1.50", "6"),
        ("autonomous", "0", "4", "2", "100", "64", "1.50", "6"),
    ]
    assert len(table.rows) == 5


def test_cost_counts_the_faults_of_own_plans():
    frame = LARGE.assign(
        plan_status="", ended=True, prompt_tokens=100, completion_tokens=64, seconds=1.5
    )
    own = frame.index[frame["plan_mode"] == "self"]
    frame.loc[own, "plan_status"] = ["cut"] * 3 + ["empty"] * 2 + ["whole"] * (len(own) - 5)
    table = scitarc_cost.cost(frame, MODELS)
    by_condition = table.numbers.set_index(["model", "plan_mode", "shots"])
    assert by_condition.loc[("qwen", "self", 0), ["plans_cut", "plans_empty"]].tolist() == [3, 2]
    assert by_condition["plans_cut"].sum() == 3
    assert table.notes[0].startswith("the models' own plans: of 240 that were carried out, 3 had")
    direct = scitarc_cost.cost(frame[frame["plan_mode"] != "self"], MODELS)
    assert not any("own plans" in note for note in direct.notes)


def test_notes_carry_no_full_stop_and_latex_knows_every_character():
    for table in made(LARGE, complexities(120)).values():
        assert not any(note.endswith(".") for note in table.notes)
        assert re.sub("[“”]", "", to_latex(table)).isascii()
