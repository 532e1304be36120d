"""Every table and curve on a small made frame whose numbers can be counted by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_table
from tabbench.scitarc.agreement import agreement
from tabbench.scitarc.difficulty import (
    accuracy_by_complexity,
    accuracy_in_bins,
    agreement_matrix,
    difficulty,
    mean_changes,
    metric_edges,
    quantile_edges,
)
from tabbench.scitarc.gains import gain_curves, gain_map, gain_totals, success_probability
from tabbench.scitarc.judge import NO_ANSWER, Verdict
from tabbench.scitarc.leaderboard import compare, leaderboard
from tabbench.scitarc.planning import failure_decomposition, few_shot_ablation, planning_ablation
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.scores import sources
from tabbench.scitarc.verdicts import scored_row

VERDICTS = {
    "1": Verdict("correct", 1.0, asked=1),
    "h": Verdict("partly correct", 0.5, asked=1),
    "0": Verdict("wrong", 0.0, asked=1),
    "-": NO_ANSWER,
    "x": Verdict("judge failed", None, asked=2),
}
PREDICTIONS = {"1": "g", "-": None}


def answers(model, condition, marks):
    """Rows 0, 1, ... of a condition; a mark each: 1, h(alf), 0, - (no answer), x (judge failed)."""
    return [
        scored_row(
            model,
            condition,
            row,
            "g",
            PREDICTIONS.get(mark, "p"),
            PREDICTIONS.get(mark, "p"),
            "line",
            VERDICTS[mark],
            "matcher",
            id=f"{model}-{'-'.join(map(str, condition))}-{row}",
        )
        for row, mark in enumerate(marks)
    ]


DIRECT = Condition("none", "language")
OWN = Condition("self", "language")
GOLD = Condition("gold", "language")
CODE = Condition("none", "code")
SHOTS = Condition("none", "language", 2)
SHOTS_GOLD = Condition("gold", "language", 2)
SCORES = pd.DataFrame(
    [
        *answers("a", DIRECT, "1110h-x0"),
        *answers("a", OWN, "1001-110"),
        *answers("a", GOLD, "11011010"),
        *answers("a", SHOTS, "11100000"),
        *answers("a", SHOTS_GOLD, "01111100"),
        *answers("b", DIRECT, "11000000"),
        *answers("b", CODE, "10000x00"),
    ]
)


def test_the_frame_fits_its_schema(tmp_path):
    path = tmp_path / "scores.parquet"
    write_table(SCORES, path, SCITARC_SCORES)
    again = read_table(path, SCITARC_SCORES)
    assert leaderboard(again).equals(leaderboard(SCORES))
    assert planning_ablation(again).equals(planning_ablation(SCORES))


def test_leaderboard():
    board = leaderboard(SCORES)
    assert list(zip(board["model"], board["execution"], strict=True)) == [
        ("a", "language"),
        ("b", "language"),
        ("b", "code"),
    ]
    assert board["n"].tolist() == [7, 8, 7]  # a failed judge is in no denominator
    assert board["accuracy"].tolist() == pytest.approx([3 / 7, 2 / 8, 1 / 7])
    assert board["exact_match"].tolist() == pytest.approx([3 / 7, 2 / 8, 1 / 7])
    assert board["n_no_answer"].tolist() == [1, 0, 0]
    assert board["n_judge_failed"].tolist() == [1, 0, 1]
    assert (board["low"] <= board["accuracy"]).all()
    with pytest.raises(TabBenchError, match="no zero-shot answers"):
        leaderboard(SCORES[SCORES["plan_mode"] == "gold"])


def test_systems_are_compared_on_common_questions():
    table = compare(
        SCORES, [(("b", "language"), ("a", "language")), (("b", "code"), ("a", "language"))]
    )
    first, second = table.to_dict("records")
    assert (first["n"], first["gained"], first["lost"], first["p"]) == (7, 1, 0, 1.0)
    assert first["difference"] == pytest.approx(1 / 7)
    assert (second["n"], second["gained"], second["lost"]) == (6, 2, 0)
    assert second["p"] == 0.5
    assert table["p_holm"].tolist() == [1.0, 1.0]


def test_several_judges_are_not_mixed():
    other = SCORES.assign(judge="llama")
    with pytest.raises(TabBenchError, match="several judges"):
        difficulty(pd.concat([SCORES, other]))


def test_difficulty_and_agreement_matrix():
    assert difficulty(SCORES).to_dict() == {0: 3, 1: 2, 2: 1, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0}
    matrix = agreement_matrix(SCORES)
    assert matrix.index.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert matrix.columns.tolist() == [("a", "language"), ("b", "language"), ("b", "code")]
    assert matrix.iloc[0].tolist() == [True, True, True]
    assert matrix[("a", "language")].isna().tolist() == [False] * 6 + [True, False]


COMPLEXITY = pd.DataFrame({"row": range(8), "l_plan": [1, 2, 3, 4, 5, 6, 7, np.nan]})


def test_accuracy_in_bins():
    table = accuracy_by_complexity(SCORES, COMPLEXITY, "l_plan", (1, 3, 5, np.inf))
    a = table[table["model"] == "a"]
    assert a["n"].tolist() == [2, 2, 2]
    assert a["accuracy"].tolist() == [1.0, 0.5, 0.0]
    assert a["change"].tolist() == [0.0, -0.5, -1.0]
    assert a["n_unbinned"].tolist() == [1, 1, 1]
    empty = accuracy_by_complexity(SCORES, COMPLEXITY, "l_plan", (1, 3, 100, 200))
    assert empty["n"].tolist()[2] == 0
    assert np.isnan(empty["accuracy"].tolist()[2])
    with pytest.raises(TabBenchError, match="must increase"):
        accuracy_by_complexity(SCORES, COMPLEXITY, "l_plan", (3, 1))


@given(st.lists(st.integers(0, 30), min_size=1, max_size=80), st.integers(1, 6))
def test_quantile_edges_hold_every_question(values, bins):
    edges = quantile_edges(pd.Series(values), bins)
    assert list(edges) == sorted(set(edges))
    assert 2 <= len(edges) <= bins + 1
    assert edges[0] == min(values)
    assert pd.cut(pd.Series(values), list(edges), right=False).notna().all()


def test_quantile_edges_share_out_different_values():
    counts = np.histogram(range(100), (*quantile_edges(pd.Series(range(100)), 4)[:-1], 100))[0]
    assert counts.tolist() == [25, 25, 25, 25]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=80), st.integers(2, 6))
def test_quantile_edges_part_questions_as_pandas_does(values, bins):
    """Where it keeps the smallest values apart: as its lowest edge they hide the first bin."""
    counts = pd.Series(values)
    assume(counts.quantile(1 / bins) > counts.min())
    ours = pd.cut(counts, list(quantile_edges(counts, bins)), right=False, labels=False)
    theirs = pd.qcut(counts, bins, duplicates="drop")
    assert ours.nunique() == theirs.nunique()
    assert pd.crosstab(ours, theirs).gt(0).sum().le(1).all()


@given(st.lists(st.integers(0, 30), min_size=1, max_size=80), st.integers(1, 6))
def test_no_bin_of_quantiles_is_empty(values, bins):
    edges = quantile_edges(pd.Series(values), bins)
    assert pd.cut(pd.Series(values), list(edges), right=False, labels=False).nunique() == (
        len(edges) - 1
    )


def test_many_equal_values_have_a_bin_of_their_own():
    assert quantile_edges(pd.Series([0] * 50 + [1, 2, 3, 4] * 10), 5) == (0, 1, 2, 4, np.inf)


def test_a_metric_of_few_values_has_a_bin_for_each():
    assert metric_edges("s_tab", pd.Series([1, 1, 1, 2, 3])) == (1, 2, 3, np.inf)
    assert metric_edges("s_tab", pd.Series([1, 1])) == (1, np.inf)
    assert metric_edges("s_tok", pd.Series(range(1, 11))) == (1, 3, 5, 7, 9, np.inf)


def test_the_mean_change_is_that_of_the_systems_own_shares():
    rows = [
        *answers("a", DIRECT, "1111100000"),
        *answers("b", DIRECT, "1100000011"),
        *answers("b", CODE, "1111111111"),
    ]
    complexity = pd.DataFrame({"row": range(10), "l_plan": range(1, 11), "s_tab": 1})
    table = mean_changes(pd.DataFrame(rows), complexity, ["l_plan", "s_tab"])
    cot, pot, *single = table.to_dict("records")
    assert (cot["execution"], cot["systems"], cot["n_lowest"], cot["n_highest"]) == (
        *("language", 2, 2, 2),
    )
    assert (cot["lowest_upper"], cot["highest_lower"]) == (3, 9)
    assert (cot["lowest"], cot["highest"]) == (1.0, 0.5)  # a: 2 of 2, 0 of 2; b: 2 of 2, 2 of 2
    assert (cot["change"], cot["low"], cot["high"]) == (-0.5, -0.5, -0.5)
    assert (pot["change"], pot["low"], pot["high"]) == (0.0, 0.0, 0.0)
    assert all(np.isnan([one["change"], one["low"]]).all() for one in single)


def test_planning_ablation_is_over_common_questions():
    table = planning_ablation(SCORES).set_index("quantity")
    assert set(table["model"]) == {"a"}  # b has no plans
    assert set(table["n"]) == {7}
    assert table.loc["direct", "value"] == pytest.approx(3 / 7)
    assert table.loc["auto", "value"] == pytest.approx(3 / 7)
    assert table.loc["oracle", "value"] == pytest.approx(4 / 7)
    assert table.loc["delta_max", "value"] == pytest.approx(1 / 7)
    assert table.loc["delta_plan", ["gained", "lost"]].tolist() == [2, 1]
    assert table.loc["delta_auto", ["gained", "lost", "p"]].tolist() == [2, 2, 1.0]
    assert np.isnan(table.loc["direct", "p"])


def test_failures_add_up():
    (row,) = failure_decomposition(SCORES).to_dict("records")
    assert row["n"] == 8
    shares = [row[name] for name in ("success", "plan_failure", "execution_failure")]
    assert shares == pytest.approx([4 / 8, 2 / 8, 2 / 8])


def test_few_shot_ablation():
    (row,) = few_shot_ablation(SCORES).to_dict("records")
    assert row["n"] == 7
    assert [row[name] for name in ("zs_direct", "fs_direct", "fs_oracle")] == pytest.approx(
        [3 / 7, 3 / 7, 5 / 7]
    )
    assert (row["fs_oracle_errors"], row["regressions"]) == (2, 1)
    assert row["p_fs_oracle"] == 0.625  # 3 gained, 1 lost


def test_without_the_conditions_the_analyses_say_so():
    with pytest.raises(TabBenchError, match="no model was judged under all of"):
        planning_ablation(SCORES[SCORES["model"] == "b"])


def test_a_question_scored_twice_is_an_error():
    with pytest.raises(TabBenchError, match="more than once"):
        planning_ablation(pd.concat([SCORES, SCORES]))


def as_defined(correct, window):
    """Section 6.1, word for word, with positions from 1."""
    n, half = len(correct), window // 2
    means = []
    for i in range(1, n + 1):
        members = range(max(1, i - half), min(n, i + half) + 1)
        means.append(sum(correct[j - 1] for j in members) / len(members))
    return means


@given(st.lists(st.integers(0, 1), min_size=1, max_size=150), st.integers(1, 80))
def test_the_window_is_the_one_defined(correct, window):
    assert success_probability(correct, window).tolist() == pytest.approx(
        as_defined(correct, window)
    )


def test_a_full_window_of_50_has_51_questions():
    correct = np.zeros(200)
    correct[100] = 1
    touched = np.flatnonzero(success_probability(correct))
    assert (touched[0], touched[-1]) == (75, 125)
    assert success_probability(correct)[100] == pytest.approx(1 / 51)


def test_gain_curves_follow_the_difficulty():
    curves = gain_curves(SCORES, window=2)
    direct = curves[curves["condition"] == "direct"]
    assert direct["row"].tolist() == [0, 1, 2, 3, 4, 5, 7]
    assert direct["position"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert direct["others_right"].tolist() == [1, 0.5, 0, 0, 0, 0, 0]
    assert direct["p_success"].tolist() == pytest.approx(as_defined([1, 1, 1, 0, 0, 0, 0], 2))
    assert set(curves["condition"]) == {"direct", "auto", "oracle"}
    assert set(curves["n"]) == {7}


def test_gain_maps_and_their_totals():
    changes = gain_map(SCORES)
    own = changes[changes["step"] == "autonomous gain"].set_index("row")["change"]
    assert own.to_dict() == {
        0: "kept",
        1: "regression",
        2: "regression",
        3: "gain",
        4: "failed",
        5: "gain",
        7: "failed",
    }
    totals = gain_totals(changes).set_index("step")
    assert totals.loc["autonomous gain", ["gain", "regression", "net", "n"]].tolist() == [
        2,
        2,
        0,
        7,
    ]
    assert totals.loc["total potential", "net"] == 1
    table = planning_ablation(SCORES).set_index("quantity")
    for step, quantity in (("plan correction", "delta_plan"), ("total potential", "delta_max")):
        assert totals.loc[step, "net"] == pytest.approx(7 * table.loc[quantity, "value"])


def test_sources_count_what_was_not_found():
    rows = SCORES.assign(
        source=["not found" if lost else "line" for lost in SCORES["prediction"].isna()]
    )
    counts = sources(rows)
    lost = counts[(counts["source"] == "not found") & (counts["plan_mode"] == "none")]
    assert lost[["model", "count", "n"]].to_numpy().tolist() == [["a", 1, 8]]


STEPS_BY_HAND = {
    "autonomous gain": (DIRECT, OWN),
    "plan correction": (OWN, GOLD),
    "total potential": (DIRECT, GOLD),
}


def test_every_step_of_the_map_compares_its_own_two_conditions():
    changes = gain_map(SCORES)
    assert changes["step"].unique().tolist() == list(STEPS_BY_HAND)
    names = {(0, 1): "gain", (1, 0): "regression", (1, 1): "kept", (0, 0): "failed"}
    for step, conditions in STEPS_BY_HAND.items():
        right = [
            SCORES[(SCORES["model"] == "a") & (SCORES["execution"] == "language")]
            .query(f"plan_mode == '{one.plan_mode}' and shots == {one.shots}")
            .set_index("row")["correct"]
            for one in conditions
        ]
        part = changes[changes["step"] == step].set_index("row")["change"]
        expected = {row: names[int(right[0][row]), int(right[1][row])] for row in part.index}
        assert part.to_dict() == expected
        totals = gain_totals(changes).set_index("step").loc[step]
        counts = {name: list(expected.values()).count(name) for name in names.values()}
        assert totals[list(counts)].to_dict() == counts
        assert totals["net"] == counts["gain"] - counts["regression"]


def test_a_question_keeps_its_difficulty_where_others_are_left_out():
    scores = pd.DataFrame(
        [
            *answers("a", DIRECT, "1x10"),
            *answers("a", OWN, "1110"),
            *answers("a", GOLD, "1110"),
            *answers("b", DIRECT, "0x11"),
            *answers("c", DIRECT, "0x01"),
        ]
    )
    curves = gain_curves(scores, window=2)
    direct = curves[curves["condition"] == "direct"]
    ranked = list(zip(direct["row"], direct["others_right"], strict=True))
    assert ranked == [(3, 1), (2, 0.5), (0, 0)]  # row 1 was judged for no other system


def test_equally_hard_questions_are_in_the_order_of_rows():
    marks = "".join("1" if row % 7 == 0 else "0" for row in range(60))
    ranked = difficulty(pd.DataFrame(answers("a", DIRECT, marks)))
    solved = [row for row in range(60) if row % 7 == 0]
    assert ranked.index.tolist() == solved + [row for row in range(60) if row % 7]


def test_quantile_edges_are_values_that_questions_have():
    assert quantile_edges(pd.Series([1, 2, 3, 4, 5, 6, 7, 8]), 4) == (1, 3, 5, 7, np.inf)


def test_bins_are_made_of_the_questions_that_were_asked():
    scores = SCORES[(SCORES["model"] == "b") & (SCORES["execution"] == "language")]
    metrics = {"l_plan": [*range(1, 9), *[100.0] * 40]}
    complexity = pd.DataFrame({"row": range(48)} | metrics)
    table = accuracy_in_bins(scores, complexity, ["l_plan"])
    assert table["lower"].tolist() == [1, 3, 4, 6, 7]
    assert table["n"].tolist() == [2, 1, 2, 1, 2]
    assert table["accuracy"].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert table["change"].tolist() == [0.0, -1.0, -1.0, -1.0, -1.0]


def test_both_exact_matches_are_counted_each_from_its_own_column():
    written = {"exact_match": [True, False, False], "exact_match_normalised": [True, True, False]}
    scores = pd.DataFrame(answers("a", DIRECT, "110")).assign(**written)
    (row,) = leaderboard(scores).to_dict("records")
    assert row["exact_match"] == pytest.approx(1 / 3)
    assert row["exact_match_normalised"] == pytest.approx(2 / 3)


def test_compared_accuracies_are_of_the_common_questions():
    (row,) = compare(SCORES, [(("a", "language"), ("b", "language"))]).to_dict("records")
    assert (row["n"], row["accuracy"], row["accuracy_2"]) == (7, 3 / 7, 2 / 7)
    assert row["difference"] == pytest.approx(-1 / 7)


def test_demonstrations_are_tested_each_against_its_own_condition():
    scores = pd.DataFrame(
        [
            *answers("a", DIRECT, "11111100"),
            *answers("a", SHOTS, "00000011"),
            *answers("a", SHOTS_GOLD, "11111011"),
        ]
    )
    (row,) = few_shot_ablation(scores).to_dict("records")
    assert (row["fs_direct"], row["fs_oracle"]) == (2 / 8, 7 / 8)
    assert (row["regressions"], row["fs_oracle_errors"]) == (1, 1)
    assert row["p_fs_direct"] == pytest.approx(2 * (1 + 8 + 28) / 2**8)  # 2 of 8 changes gained
    assert row["p_fs_oracle"] == pytest.approx(1.0)  # 2 of 3


def test_kappa_is_corrected_for_what_each_rater_gives_on_the_whole():
    found = agreement(pd.Series([1, 1, 1, 1, 1, 0]), pd.Series([1, 1, 1, 1, 0, 0]))
    expected = (5 * 4 + 1 * 2) / 36
    assert found.kappa == pytest.approx((5 / 6 - expected) / (1 - expected))
