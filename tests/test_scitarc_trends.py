"""The model of complexity: planted effects are found, and what cannot be fitted is said."""

import numpy as np
import pandas as pd
import pytest
from scitarc_frames import complexities, scored

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.scores import DIRECT
from tabbench.scitarc.trends import (
    SEVEN,
    SKEWED,
    complete_questions,
    complexity_effects,
    correlations,
    unfitted,
)

N = 400


def planted(systems: list[str], slope: float, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores that L_plan alone decides, and metrics in which I_retr follows L_plan."""
    rng = np.random.default_rng(seed)
    of = complexities(N)
    of["i_retr"] = (of["l_plan"] / 2 + rng.normal(0, 1.5, N)).round().clip(0)
    scores = scored(N, [(name, "language", 0.5) for name in systems], [DIRECT])
    plan = of.set_index("row")["l_plan"]
    log_odds = slope * ((plan - plan.mean()) / plan.std(ddof=0)).fillna(0)
    right = rng.random(len(scores)) < 1 / (1 + np.exp(-scores["row"].map(log_odds)))
    return scores.assign(correct=right), of


def test_the_effect_goes_to_the_metric_that_has_it() -> None:
    effects = complexity_effects(*planted(["a", "b", "c"], -0.9)).set_index("metric")
    assert effects.index.tolist() == list(SEVEN)
    own, other = effects.loc["l_plan"], effects.loc["i_retr"]
    assert own["joint_low"] < np.exp(-0.9) < own["joint_high"]
    assert own["joint_p_holm"] < 0.001
    assert other["alone_p_holm"] < 0.001
    assert other["trend_p_holm"] < 0.01
    assert other["joint_low"] < 1 < other["joint_high"]
    assert other["vif"] > 2 > effects.loc["s_tab", "vif"]
    assert (own["n"], own["questions"], own["systems"]) == (3 * (N - 1), N - 1, 3)


def test_metrics_are_standardized_and_sizes_are_logarithms() -> None:
    scores, of = planted(["a", "b"], -0.5)
    of["s_tok"] = of["s_tok"].astype(float)
    once = complexity_effects(scores, of)
    rescaled = of.assign(l_plan=10 * of["l_plan"], s_tok=of["s_tok"] ** 2)
    again = complexity_effects(scores, rescaled)
    for name in ("joint_odds", "joint_high", "trend_p", "vif"):
        assert np.allclose(once[name], again[name])
    tokens = of["s_tok"][1:]
    assert once.set_index("metric").loc["s_tok", "mean"] == pytest.approx(np.log(tokens).mean())
    assert set(SKEWED) < set(SEVEN)


def test_questions_without_a_plan_and_empty_tables() -> None:
    values = complete_questions(complexities(5).assign(s_cell_released=0))
    assert values.index.tolist() == [1, 2, 3, 4]
    assert values["s_cell_released"].tolist() == [0.0] * 4


def test_correlations_are_of_ranks() -> None:
    of = complexities(50).assign(i_calc=lambda frame: np.exp(frame["l_plan"]))
    found = correlations(of)
    assert found.loc["i_calc", "l_plan"] == pytest.approx(1)
    assert np.isnan(correlations(of.assign(s_tab=1)).loc["s_tab", "s_tok"])


def test_systems_that_are_always_wrong_are_left_out_and_counted() -> None:
    scores, of = planted(["a", "b"], -0.5)
    wrong = scored(N, [("z", "language", 0.0), ("z", "code", 0.0)], [DIRECT])
    effects = complexity_effects(pd.concat([scores, wrong]), of)
    cot = effects[effects["execution"] == "language"]
    assert (cot["systems"].iloc[0], cot["left_out"].iloc[0]) == (2, 1)
    alone = complexity_effects(scores, of)
    assert np.allclose(cot["joint_odds"], alone["joint_odds"])
    assert unfitted(effects) == (
        "CoT: 1 of 3 systems left out, whose answers are all right or all wrong and say nothing of "
        "a slope",
        "PoT: nothing fitted: the answers of each system are all right or all wrong",
    )
    assert effects.loc[effects["execution"] == "code", "joint_odds"].isna().all()


def test_a_metric_that_does_not_vary_is_left_out_alone() -> None:
    scores, of = planted(["a", "b"], -0.5)
    effects = complexity_effects(scores, of.assign(s_tab=1)).set_index("metric")
    assert np.isnan(
        effects.loc["s_tab", ["alone_odds", "joint_odds", "trend_p"]].astype(float)
    ).all()
    assert effects.drop("s_tab")["joint_odds"].notna().all()
    assert unfitted(effects.reset_index()) == (
        "CoT, S_tab alone: not fitted: all questions have the same value",
        "CoT, S_tab together: not fitted: all questions have the same value",
    )


def test_a_metric_that_follows_from_another_leaves_no_joint_number() -> None:
    scores, of = planted(["a", "b"], -0.5)
    effects = complexity_effects(scores, of.assign(i_calc=2 * of["l_plan"]))
    assert effects["joint_odds"].isna().all()
    assert effects["vif"].isna().all()
    assert effects["alone_odds"].notna().all()
    assert unfitted(effects) == (
        "CoT, all metrics together: not fitted: a metric follows from the others",
    )


def test_nothing_judged_is_an_error() -> None:
    scores, of = planted(["a"], 0.0)
    with pytest.raises(TabBenchError, match="has all of the metrics"):
        complexity_effects(scores.assign(correct=None), of)
