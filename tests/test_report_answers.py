"""Answers to the research questions: the right numbers, and no claim that no test stands behind."""

from io import StringIO

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_frames import chance_frame, gains_frame, grid

from tabbench.reporting.page.findings import MAIN_TABLES, UNDEFINED, against_chance, answer
from tabbench.reporting.page.phrases import n_datasets, versus
from tabbench.reporting.tables import rq1, rq1_chance, rq2, rq3, rq4, rq5, rq6, rq7
from tabbench.reporting.writer import plural

MODELS = {"small": "Small-1B", "large": "Large-14B"}
VALUES = {"std": float("nan"), "n_datasets": 4, "datasets": "a; b; c; d", "invalid_rate": 0.0}


def frame(*rows):
    return pd.DataFrame([VALUES | row for row in rows])


def test_zero_shot_names_the_best_model_and_the_baseline():
    cells = frame(
        {"group": "All", "model": "small", "name": "Small-1B", "k": 0, "mean": 0.61},
        {"group": "All", "model": "large", "name": "Large-14B", "k": 0, "mean": 0.72, "std": 0.01},
        {"group": "All", "model": "forest", "name": "Random forest", "k": 16, "mean": 0.8},
        {"group": "Classic", "model": "small", "name": "Small-1B", "k": 0, "mean": 0.99},
    )
    assert answer("rq1", cells, MODELS) == (
        "Without labelled examples, Large-14B reaches a mean ROC-AUC of 0.720 ± 0.010 over n = 4 "
        "datasets (0.5 is chance), the best of 2 language models; the lowest, Small-1B, has "
        "0.610. Random forest, the strongest baseline, fitted on 16 examples, has 0.800 on the "
        "same datasets, 0.080 more. Table II tests no difference."
    )


def test_prompt_says_what_each_half_brings():
    names = ("NoCols-NoContext", "Cols-NoContext", "NoCols-Context", "Cols-Context")
    cells = frame(
        *(
            {"configuration": name, "model": "small", "mean": mean}
            for name, mean in zip(names, (0.5, 0.52, 0.49, 0.6), strict=True)
        )
    )
    text = answer("rq2", cells, MODELS)
    assert "of Small-1B changes by +0.100 (n = 4 datasets)" in text
    assert "column names alone change it by +0.020, the task description alone by −0.010" in text
    assert answer("rq2", cells[cells["configuration"] != names[0]], MODELS) == UNDEFINED


def gains(**by_model):
    """Table VII at k = 4 and 16; a model's p is that of 16 examples."""
    rows = []
    for model, (gain, p) in by_model.items():
        rows.append({"model": model, "k": 0, "mean": 0.5})
        for k, part in ((4, 0.5), (16, 1.0)):
            rows.append(
                {"model": model, "k": k, "mean": 0.5 + gain, "gain": gain * part, "p": p}
                | {"log10_p": -8.0, "n_tests": 3}
            )
    return frame(*rows)


def test_examples_give_p_test_and_n_of_one_model():
    text = answer("rq3", gains(small=(0.04, 0.2)), MODELS)
    assert text == (
        "With 16 examples instead of none, mean ROC-AUC of Small-1B changes by +0.040 on the same "
        "test rows; as a gain this is not significant at 0.05 (p = 0.200; one-sided DeLong tests "
        "per dataset, combined by Stouffer's method over n = 3 datasets)."
    )
    assert "is significant at 0.05 (p = 1e-08;" in answer("rq3", gains(small=(0.1, 1e-8)), MODELS)


def test_examples_of_several_models_are_corrected_by_holm():
    text = answer("rq3", gains(small=(0.04, 0.03), large=(0.1, 0.04)), MODELS)
    assert "significant at 0.05 for 0 of 2 models" in text
    assert "Holm's method over the 2 models" in text
    text = answer("rq3", gains(small=(0.04, 0.03), large=(0.1, 0.001)), MODELS)
    assert "significant at 0.05 for 2 of 2 models" in text


probabilities = st.one_of(st.just(float("nan")), st.floats(0, 1))


@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), probabilities, probabilities)
def test_no_significance_without_a_small_p(first, second, p, other):
    text = answer("rq3", gains(small=(first, p), large=(second, other)), MODELS)
    if p != p and other != other:
        assert "significant" not in text and "no test was possible" in text
    small = sum(one < 0.05 for one in (p, other))
    if not small:
        assert "is significant at 0.05 (" not in text
        assert "for 1 of" not in text and "for 2 of" not in text


@pytest.mark.parametrize("models", [["small"], ["small", "large"]])
def test_every_real_table_is_answered(models):
    names = {model: MODELS[model] for model in models}
    fitted = {"logistic": "Logistic regression"}
    core = grid(models, ["diabetes", "credit"])
    mlp = grid(models, ["mlp0_t0", "mlp3_t0"], suite="mlp")
    llm = grid(models, ["tae_ls_q"], suite="llm_synthetic")
    tables = {
        "rq1": rq1.table2(core, chance_frame(core), names, fitted),
        "rq2": rq2.table6(core, names),
        "rq3": rq3.table7(core, gains_frame(core), names),
        "rq4": rq4.table8(core, names),
        "rq5": rq5.table9(llm, names, fitted, {"q": "Someone"}),
        "rq6": rq6.table10(mlp, names),
        "rq7": rq7.table11(core, names),
    }
    assert set(tables) == set(MAIN_TABLES)
    for question, table in tables.items():
        numbers = pd.read_csv(StringIO(table.numbers.to_csv(index=False)))
        text = answer(question, numbers, names)
        assert "nan" not in text and "–" not in text and "Not answered" not in text
        assert text.endswith(".") and ".." not in text
        assert ("averaged" in text or "average" in text) <= (len(models) > 1)
        assert ("tests no difference" in text) == (question != "rq3")
        nothing = numbers.assign(mean=float("nan"))
        assert answer(question, nothing, names) == UNDEFINED
        assert "was not built" in answer(question, None, names)


def against(**p_by_model):
    return frame(
        *(
            {"group": "All", "main": True, "model": model, "p_stouffer_monte_carlo": p}
            | {"log10_p_stouffer_monte_carlo": -3.0}
            for model, p in p_by_model.items()
        )
    )


def test_chance_is_beaten_only_with_a_small_p():
    assert against_chance(against(small=0.2), MODELS) == (
        "Against random rankings, Small-1B is not significantly better at 0.05 (p = 0.200; "
        "one-sided Monte-Carlo tests per dataset, combined by Stouffer's method over n = 4 "
        "datasets)."
    )
    assert "Small-1B is significantly better" in against_chance(against(small=0.01), MODELS)
    assert "0 of 2 models are" in against_chance(against(small=0.03, large=0.04), MODELS)
    none = against_chance(against(small=float("nan")), MODELS)
    assert "No test against chance was possible" in none
    second = against(small=0.01).assign(main=False)
    both = pd.concat([against(small=0.2), second], ignore_index=True)
    assert against_chance(both, MODELS) == against_chance(against(small=0.2), MODELS)


def test_chance_is_read_from_the_real_table():
    core = grid(list(MODELS), ["diabetes", "credit"])
    table = rq1_chance.chance_summary(core, chance_frame(core), MODELS)
    numbers = pd.read_csv(StringIO(table.numbers.to_csv(index=False)))
    assert "of 2 models are significantly better" in against_chance(numbers, MODELS)


def test_complexity_and_context_say_which_examples():
    cells = frame(
        *(
            {"level": level, "model": "small", "k": k, "mean": mean, "n_datasets": 1}
            for level, k, mean in (
                *(("MLP-0", 0, 0.5), ("MLP-0", 1, 0.9)),
                *(("MLP-3", 0, 0.4), ("MLP-3", 1, 0.6)),
            )
        )
    )
    assert answer("rq6", cells, MODELS) == (
        "With 1 example, mean ROC-AUC of Small-1B is 0.900 on MLP-0, the easiest level that ran, "
        "and 0.600 on MLP-3, the hardest (n = 1 dataset per level); the highest value anywhere is "
        "0.900 (Small-1B, MLP-0, 1 example). Table X tests no difference."
    )
    cells = frame({"model": "small", "k": 0, "mean": 0.1}, {"model": "small", "k": 4, "mean": -0.1})
    assert (
        "ROC-AUC of Small-1B by +0.100 with 0 examples (n = 4 datasets) and by −0.100 with 4 "
        "examples (n = 4 datasets). Table VIII"
    ) in answer("rq4", cells, MODELS)
    cells.loc[1, "datasets"] = "a; b"
    assert "do not all cover the same datasets. " in answer("rq4", cells, MODELS)


def test_modes_tell_invalid_answers_and_time():
    common = {"model": "small", "k": 0}
    cells = frame(
        common | {"mode": "generation", "mean": 0.5, "time_ratio": 2.0, "invalid_rate": 0.25},
        common | {"mode": "forward", "mean": 0.52},
        common | {"mode": "forward - generation", "mean": 0.02},
    )
    text = answer("rq7", cells, MODELS)
    assert "by +0.020 (1 pair of model and number of examples, n = 4 datasets)" in text
    assert "takes 2.0 times as long per prompt, and up to 25.0% of its answers are invalid" in text
    assert "times as long" not in answer("rq7", cells.assign(time_ratio=float("nan")), MODELS)


def test_words_around_numbers():
    assert (plural(1, "model"), plural(2, "model")) == ("1 model", "2 models")
    assert n_datasets([2, 4]) == "n = 2 to 4 datasets"
    assert (versus(0.1), versus(-0.1), versus(0.0001)) == ("0.100 more", "0.100 less", "the same")
