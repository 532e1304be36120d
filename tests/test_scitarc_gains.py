"""Gain curves of simulated systems: nothing is found where plans change nothing, and what is is."""

import numpy as np
import pandas as pd
import pytest

from tabbench.scitarc.figures import gains as scitarc_gains
from tabbench.scitarc.figures import planning as scitarc_planning
from tabbench.scitarc.gains import (
    STEPS,
    gain_bands,
    gain_curves,
    gain_map,
    null_band,
    ranked_answers,
    success_probability,
)

N = 371
THIRD = N // 3


def simulated(
    systems: int, seed: int, easy: float = 0.0, hard: float = 0.0, n: int = N, spread: float = 0.5
) -> pd.DataFrame:
    """Return scores of systems whose chance to be right is a logistic function of easiness.

    Their abilities differ by ``spread``. Plans change the chance by ``easy`` in the third of the
    truly easiest questions, and by ``hard`` in that of the hardest.
    """
    rng = np.random.default_rng(seed)
    easiness = rng.normal(0, 1.5, n)
    effect = np.select(
        [easiness > np.quantile(easiness, 2 / 3), easiness < np.quantile(easiness, 1 / 3)],
        [easy, hard],
    )
    frames = []
    for system in range(systems):
        chance = 1 / (1 + np.exp(-easiness - rng.normal(0, spread)))
        frames += [
            pd.DataFrame(
                {
                    "model": f"m{system}",
                    "execution": "language",
                    "plan_mode": mode,
                    "shots": 0,
                    "seed": 0,
                    "row": range(n),
                    "judge": "matcher",
                    "correct": rng.random(n) < chance + effect * (mode != "none"),
                }
            )
            for mode in ("none", "self", "gold")
        ]
    return pd.concat(frames, ignore_index=True)


def changes_by_third(scores: pd.DataFrame) -> list[tuple[float, float]]:
    """Change from no plan to the own one in the easiest and the hardest third, each system's."""
    found = []
    for answers in ranked_answers(scores).values():
        change = answers["auto"].astype(int) - answers["direct"].astype(int)
        found.append((change.iloc[:THIRD].mean(), change.iloc[-THIRD:].mean()))
    return found


@pytest.mark.parametrize("systems", [2, 4])
def test_plans_without_effect_change_no_third(systems: int) -> None:
    found = [
        pair for seed in range(24 // systems) for pair in changes_by_third(simulated(systems, seed))
    ]
    easy, hard = np.mean(found, axis=0)
    deviation = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert abs(easy) < 3 * deviation[0] < 0.05
    assert abs(hard) < 3 * deviation[1] < 0.05


def test_plans_without_effect_stay_inside_the_band() -> None:
    outside = []
    for seed in range(5):
        bands = gain_bands(simulated(4, seed), "autonomous gain")
        outside += bands.groupby("model")["outside"].any().tolist()
    assert len(outside) == 20
    assert sum(outside) <= 4  # 1 expected of 20 at 5 %; more than 4 in 0.3 % of such draws


def test_a_planted_effect_is_found_where_it_is() -> None:
    losing, gaining = 0, 0
    for seed in range(3):
        scores = simulated(4, seed, easy=-0.5, hard=0.5)
        for _, mine in gain_bands(scores, "autonomous gain").groupby("model"):
            lost = mine.loc[mine["outside"] & (mine["change"] < 0), "position"]
            gained = mine.loc[mine["outside"] & (mine["change"] > 0), "position"]
            assert lost.empty or lost.max() < N / 2
            assert gained.empty or gained.min() > N / 3
            losing, gaining = losing + (len(lost) > 0), gaining + (len(gained) > 0)
    assert losing == 12
    assert gaining >= 10  # the others rank the hard questions less surely


def test_each_step_has_a_band_of_its_own_two_conditions() -> None:
    scores = simulated(4, 0, easy=-0.5, hard=0.5)
    outside = {
        step: gain_bands(scores, step).groupby("model")["outside"].any().sum() for step in STEPS
    }
    assert outside["autonomous gain"] == outside["total potential"] == 4
    assert outside["plan correction"] <= 1  # both plans change the same


def test_a_systems_own_answers_do_not_rank_its_questions() -> None:
    scores = simulated(3, 0)
    own = (scores["model"] == "m0") & (scores["plan_mode"] == "none")
    turned = scores.assign(correct=scores["correct"] ^ own)
    before, after = (ranked_answers(one) for one in (scores, turned))
    assert before["m0", "language"].index.equals(after["m0", "language"].index)
    assert not before["m1", "language"].index.equals(after["m1", "language"].index)
    others = scores[(scores["plan_mode"] == "none") & (scores["model"] != "m0")]
    shares = others.groupby("row")["correct"].mean()
    ranked = before["m0", "language"]["others_right"]
    assert ranked.is_monotonic_decreasing
    assert ranked.to_dict() == shares.to_dict()


def test_the_band_is_as_wide_as_chance_makes_it() -> None:
    change = np.random.default_rng(3).choice([-1, 0, 0, 1], 120)
    band = null_band(change, window=20)
    rng = np.random.default_rng(4)
    inside = [
        (np.abs(success_probability(rng.choice([-1, 1], 120) * change, 20)) <= band + 1e-9).all()
        for _ in range(2000)
    ]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.025)


def test_the_band_of_no_change_has_no_width() -> None:
    assert null_band(np.zeros(30)).tolist() == [0.0] * 30
    assert null_band([]).tolist() == []


def test_one_system_alone_has_a_sentence_and_no_curve() -> None:
    scores = simulated(1, 0, n=40)
    assert gain_curves(scores).empty
    assert gain_map(scores).empty
    assert all(gain_bands(scores, step).empty for step in STEPS)
    names = {"m0": "Model"}
    for drawn in (
        scitarc_planning.figure5(scores, names),
        scitarc_gains.figure7(scores, names),
        scitarc_gains.figure8(scores, names),
        scitarc_gains.figure9(scores, names),
    ):
        (axes,) = drawn.figure.axes
        assert not axes.lines
        assert not axes.images
        assert "no other system answered" in " ".join(axes.texts[0].get_text().split())
        assert "no other system answered the same questions" in drawn.caption


def test_captions_name_the_ranking_and_the_band() -> None:
    for draw, systems, words in (
        (scitarc_planning.figure5, 2, "how often the one other system answers"),
        (scitarc_gains.figure9, 4, "how often the 3 other systems answer"),
    ):
        names = {f"m{place}": f"M{place}" for place in range(systems)}
        caption = draw(simulated(systems, 0, n=60), names).caption
        assert words in caption
        assert "own answers left out" in caption
        assert "swapped at random" in caption


def test_the_drawn_bands_are_those_of_the_permutations() -> None:
    scores = simulated(2, 0, n=120)
    names = {"m0": "A", "m1": "B"}
    bands = gain_bands(scores, "autonomous gain")
    curves = gain_curves(scores)
    lanes = scitarc_gains.figure7(scores, names).figure.axes[1]
    scale = max(bands["change"].abs().max(), bands["band"].max())
    panels = scitarc_planning.figure5(scores, names).figure.axes
    lines = [line for line in lanes.lines if len(line.get_xdata()) == 120]
    for place, (model, mine) in enumerate(bands.groupby("model")):
        drawn = (place + 1 - lines[place].get_ydata()) * scale / 0.45
        assert np.allclose(drawn, mine["change"])
        grey = lanes.collections[3 * place].get_paths()[0].vertices[:, 1]
        assert np.ptp(grey) == pytest.approx(2 * 0.45 * mine["band"].max() / scale)
        direct = curves[(curves["model"] == model) & (curves["condition"] == "direct")]
        grey = panels[place].collections[0].get_paths()[0].vertices[:, 1]
        upper = 100 * (direct["p_success"].to_numpy() + mine["band"].to_numpy())
        assert grey.max() == pytest.approx(upper.max())
