"""Answers sampled with several seeds: means, their spread, and what takes the first seed alone."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap
from scitarc_frames import scored
from test_scitarc_gains import changes_by_third, simulated

from tabbench.config.checks import check_scitarc_seeds
from tabbench.core.errors import TabBenchError
from tabbench.reporting.page.scitarc import scitarc_answer
from tabbench.scitarc.difficulty import agreement_matrix, difficulty_for_others
from tabbench.scitarc.figures.difficulty import figure2
from tabbench.scitarc.figures.planning import figure5
from tabbench.scitarc.leaderboard import compare, leaderboard
from tabbench.scitarc.planning import planning_ablation
from tabbench.scitarc.scores import accuracies
from tabbench.scitarc.tables import leaderboard as tables
from tabbench.scitarc.tables.planning import table4
from tabbench.statistics.proportions import mean_share_interval

MODELS = {"a": "Model A", "b": "Model B"}
SYSTEMS = [("a", "language", 0.6), ("b", "language", 0.4)]
PLANS = [("none", 0), ("self", 0), ("gold", 0)]
ONE = scored(60, SYSTEMS, PLANS, seed=1)
SEVERAL = pd.concat(
    [ONE.assign(seed=4), *(scored(60, SYSTEMS, PLANS, seed=s).assign(seed=s) for s in (2, 3))],
    ignore_index=True,
)


def test_accuracy_is_the_mean_over_seeds_and_its_spread_stands_beside():
    marks = {1: [1, 1, 0, 0], 2: [1, 0, 0, 0], 3: [1, 1, 1, 0]}
    rows = ONE[(ONE["model"] == "a") & (ONE["plan_mode"] == "none")].iloc[:4]
    judged = pd.concat(
        [rows.assign(seed=seed, correct=[bool(one) for one in of]) for seed, of in marks.items()]
    )
    (found,) = accuracies(judged, ["model", "execution"]).to_dict("records")
    assert (found["n"], found["n_seeds"], found["n_answers"]) == (4, 3, 12)
    assert found["accuracy"] == pytest.approx(0.5)
    assert found["sd"] == pytest.approx(np.std([0.5, 0.25, 0.75], ddof=1))


def test_the_interval_resamples_questions_with_all_their_answers():
    shares = np.random.default_rng(3).integers(0, 4, 150) / 3
    found = mean_share_interval(shares, resamples=20_000)
    reference = bootstrap(
        (shares,), np.mean, method="percentile", n_resamples=20_000, rng=1
    ).confidence_interval
    assert found.estimate == pytest.approx(shares.mean())
    assert (found.low, found.high) == pytest.approx(tuple(reference), abs=0.005)
    assert np.isnan(mean_share_interval([]).low)


def test_what_needs_one_answer_a_question_takes_the_first_seed():
    first = ONE.assign(seed=4)
    assert planning_ablation(SEVERAL).equals(planning_ablation(first))
    pairs = [(("b", "language"), ("a", "language"))]
    assert compare(SEVERAL, pairs).equals(compare(first, pairs))
    assert agreement_matrix(SEVERAL).equals(agreement_matrix(first))
    assert not leaderboard(SEVERAL)["accuracy"].equals(leaderboard(first)["accuracy"])


def test_tables_and_captions_say_how_they_treat_seeds():
    cards = {key: {"developer": "Us", "access": "open weights", "size": "1B"} for key in MODELS}
    board = tables.table2(SEVERAL, MODELS, cards)
    assert all(re.fullmatch(r"\d+\.\d ± \d+\.\d", row[6]) for row in board.rows)
    assert any("n = 3 seeds (4, 2, 3)" in note for note in board.notes)
    assert any("those of the first count here" in note for note in table4(SEVERAL, MODELS).notes)
    assert any("4, 2, 3" in note for note in tables.differences(SEVERAL, MODELS).notes)
    assert "the answers of seed 4, the first of 3" in figure2(SEVERAL, MODELS).caption
    assert "with 2 further seeds and 1 other system" in figure5(SEVERAL, MODELS).caption
    said = scitarc_answer(board.numbers, None)
    assert "on average over 3 seeds" in said
    assert "of 360 responses" in said
    plain = tables.table2(ONE, MODELS, cards)
    assert not any("seed" in note for note in (*plain.notes, *table4(ONE, MODELS).notes))
    assert "seed" not in figure2(ONE, MODELS).caption


def test_own_answers_of_another_seed_rank_questions_and_those_ranked_do_not():
    shares = difficulty_for_others(SEVERAL, ("a", "language"))
    direct = SEVERAL[(SEVERAL["plan_mode"] == "none") & SEVERAL["correct"].notna()]
    for row in (0, 17, 41):
        here = direct[direct["row"] == row].set_index(["model", "seed"])["correct"].astype(bool)
        own = here.loc["a"].drop(4, errors="ignore").mean()
        assert shares[row] == pytest.approx(np.mean([own, here.loc["b"].mean()]))


def test_a_single_system_is_ranked_by_its_repeats_without_finding_what_is_not_there():
    found = []
    for seed in range(16):
        # Two draws of one system: the same chances, and answers of their own.
        both = simulated(2, seed, spread=0.0)
        repeat = both["model"] == "m1"
        kept = both[~repeat | (both["plan_mode"] == "none")]
        one = kept.assign(model="m0", seed=repeat.astype(int))
        found += changes_by_third(one)
    easy, hard = np.mean(found, axis=0)
    deviation = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert len(found) == 16
    assert abs(easy) < 3 * deviation[0] < 0.08
    assert abs(hard) < 3 * deviation[1] < 0.08


@pytest.mark.parametrize("decoding", [{"temperature": 0}, {"temperature": 0.0, "top_p": 0.9}])
def test_several_seeds_of_greedy_decoding_are_refused(decoding):
    with pytest.raises(TabBenchError, match=r"2 seeds, but scitarc\.decoding is greedy"):
        check_scitarc_seeds({"scitarc": {"seeds": [0, 1], "decoding": decoding}}, 0.1)
    check_scitarc_seeds({"scitarc": {"seeds": [3], "decoding": decoding}}, 0.1)
    check_scitarc_seeds({"scitarc": {"seeds": [0, 1]}}, 0.1)
    check_scitarc_seeds({}, 0.1)
