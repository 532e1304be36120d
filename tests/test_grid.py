"""The grid asks exactly the cells that the research questions need."""

import pytest

from tabbench.config.checks import check_pairing
from tabbench.config.grid import Grid
from tabbench.core.cells import Variant
from tabbench.core.errors import TabBenchError

SUITES = {"diabetes": "core", "credit": "core", "machine": "new"}


def config(**changes):
    base = {
        "mlp": {"levels": [0, 1], "tables": 2, "rows": 100},
        "models": ["small"],
        "baselines": ["majority"],
        "main_mode": "generation",
        "shots": [16, 0, 4],
        "max_shots": {"credit": 4},
        "seeds": [864, 460],
        "research_questions": {
            "rq1": {"modes": ["generation"], "serializations": ["feat_val", "html"]},
            "rq4": {"modes": ["generation"]},
            "rq6": {"modes": ["generation"]},
            "rq7": {},
        },
    }
    return {**base, **changes}


@pytest.fixture
def grid():
    return Grid.from_config(config(), SUITES)


def test_zero_shot_has_one_seed_and_all_formats_of_rq1(grid):
    cells = list(grid.cells("diabetes", "small", 0))
    assert {cell.seed for cell in cells} == {0}
    assert Variant("generation", "contextual", "html") in {Variant(*cell[2:5]) for cell in cells}
    assert len(cells) == len(set(cells)) == 6  # 4 contexts, html, forward of RQ7


def test_few_shot_asks_the_contexts_per_seed_and_forward_only_at_the_largest_k(grid):
    at_4, at_16 = grid.variants("diabetes", 4), grid.variants("diabetes", 16)
    assert len(at_4) == 4
    assert set(at_16) - set(at_4) == {Variant("forward", "contextual", "feat_val")}
    assert len(list(grid.cells("diabetes", "small", 16))) == len(at_16) * 2


def test_max_shots_stops_a_dataset_and_moves_the_end_of_rq7(grid):
    assert grid.dataset_shots("credit") == (0, 4)
    assert grid.variants("credit", 16) == ()
    assert Variant("forward", "contextual", "feat_val") in grid.variants("credit", 4)
    assert grid.inference_datasets("core", 16, "small") == ["diabetes"]


def test_the_complexity_grid_is_masked_and_context_free(grid):
    assert grid.in_suites(["mlp"]) == ["mlp0_t0", "mlp0_t1", "mlp1_t0", "mlp1_t1"]
    assert grid.variants("mlp1_t0", 4) == (Variant("generation", "context_free", "feat_val_mask"),)
    assert grid.mlp_table("mlp1_t0").domain == "MLP-1"
    assert grid.suite("mlp1_t0") == "mlp"


def test_a_question_needs_only_its_own_predictions(grid):
    assert {dataset for _, dataset, _ in grid.predictions("rq6")} == set(grid.in_suites(["mlp"]))
    assert {k for _, _, k in grid.predictions("rq1")} == {0}
    everything = set(grid.predictions())
    assert everything >= set(grid.predictions("rq7"))
    assert len(everything) == len(grid.predictions())


def test_a_job_serves_a_suite_and_scores_pick_what_their_question_asks(grid):
    assert set(grid.inference_jobs("rq6")) == {
        (model, "mlp", k) for model in grid.models for k in grid.shots
    }
    assert len(set(grid.inference_jobs())) == len(grid.inference_jobs())
    for question in (None, "rq1", "rq7"):
        asked = grid.asked_shots(question)
        predictions = {(dataset, k) for _, dataset, k in grid.predictions(question)}
        assert {(name, k) for name, shots in asked.items() for k in shots} == predictions


def test_questions_that_are_not_asked_cost_nothing():
    grid = Grid.from_config(config(research_questions={"rq6": {"modes": ["generation"]}}), SUITES)
    assert grid.variants("diabetes", 0) == ()
    assert {dataset for _, dataset, _ in grid.predictions()} == set(grid.in_suites(["mlp"]))


def test_faults_of_the_configuration_name_the_key():
    with pytest.raises(TabBenchError, match=r"max_shots names 'credits'.*did you mean 'credit'"):
        Grid.from_config(config(max_shots={"credits": 4}), SUITES)
    with pytest.raises(TabBenchError, match=r"rq4\.modes .*lacks the main_mode"):
        Grid.from_config(config(research_questions={"rq4": {"modes": ["forward"]}}), SUITES)


def test_an_own_dataset_is_asked_alone_and_by_no_question():
    suites = {**SUITES, "loans": "own", "shop": "own"}
    grid = Grid.from_config(config(), suites, {"loans": 4})
    assert grid.variants("loans", 4) == (Variant("generation", "contextual", "feat_val"),)
    assert grid.variants("loans", 16) == ()
    assert grid.inference_batch("loans") == "own_loans"
    assert grid.inference_datasets("own_loans", 4, "small") == ["loans"]
    assert grid.inference_batch("machine") == "new"
    assert grid.own_jobs("loans") == [("small", "own_loans", 0), ("small", "own_loans", 4)]
    assert "loans" not in {dataset for _, dataset, _ in grid.predictions()}


def test_what_the_training_rows_allow_limits_models_and_baselines():
    grid = Grid.from_config(config(), SUITES, {"machine": 4})
    assert grid.dataset_shots("machine") == (0, 4)
    assert grid.baseline_shots("machine") == (4,)
    assert grid.baseline_shots("credit") == (4, 16)


SYNTHETIC = {
    "llm_synthetic": {
        "datasets": ["diabetes", "credit"],
        "generators": {
            "qwen": {"model": "large", "evaluate": ["small", "large"]},
            "repository": {"evaluate": ["other"]},
        },
        "rows": 100,
        "attempts": 1,
    },
    "models": ["other", "large", "small"],
    "research_questions": {"rq5": {"modes": ["generation"]}},
}


def test_a_model_is_asked_about_the_tables_of_its_generator_only():
    grid = Grid.from_config(config(**SYNTHETIC), SUITES)
    assert grid.in_suites(["llm_synthetic"]) == [
        "diabetes_ls_qwen", "credit_ls_qwen", "diabetes_ls_repository", "credit_ls_repository",
    ]  # fmt: skip
    assert grid.suite("credit_ls_qwen") == "llm_synthetic"
    assert grid.llm_table("credit_ls_qwen") == ("credit", "qwen")
    assert grid.models_of("credit_ls_qwen") == ("large", "small")
    assert grid.models_of("diabetes") == ("other", "large", "small")
    asked = {(model, dataset) for model, dataset, _ in grid.predictions("rq5")}
    assert ("other", "diabetes_ls_repository") in asked
    assert ("other", "diabetes_ls_qwen") not in asked
    assert ("small", "diabetes_ls_repository") not in asked
    assert grid.inference_datasets("llm_synthetic", 0, "other") == [
        "diabetes_ls_repository", "credit_ls_repository",
    ]  # fmt: skip


def test_rq5_asks_contexts_everywhere_and_rules_at_the_two_ends_of_table_9():
    grid = Grid.from_config(config(**SYNTHETIC), SUITES)
    assert grid.few_shots == 16
    knowledge = {
        k: {v.serialization for v in grid.variants("credit_ls_qwen", k) if v.prompt == "knowledge"}
        for k in (0, 4, 16)
    }
    assert knowledge == {0: {"feat_val", "feat_val_mask"}, 4: set(), 16: knowledge[0]}
    assert [len(grid.variants("credit_ls_qwen", k)) for k in (0, 4, 16)] == [6, 4, 6]
    assert grid.variants("diabetes", 0) == ()
    fewer = {"rq5": {"modes": ["generation"], "shots": [0, 4]}}
    grid = Grid.from_config(config(**SYNTHETIC | {"research_questions": fewer}), SUITES)
    assert grid.few_shots == 4
    assert grid.question_shots("rq5", "credit_ls_qwen") == (0, 4)
    assert grid.variants("credit_ls_qwen", 16) == ()


def test_rq5_gives_rules_at_every_k_and_alone_where_asked():
    wanted = {"modes": ["generation"], "rules_at_every_k": True, "rules_only": True}
    grid = Grid.from_config(config(**SYNTHETIC | {"research_questions": {"rq5": wanted}}), SUITES)
    for k in (0, 4, 16):
        asked = {(v.prompt, v.serialization) for v in grid.variants("credit_ls_qwen", k)}
        assert {("knowledge", "feat_val"), ("knowledge", "feat_val_mask")} <= asked
        assert ("rules", "feat_val") in asked
        assert len(asked) == 7
    alone = {"modes": ["generation"], "rules_only": True}
    grid = Grid.from_config(config(**SYNTHETIC | {"research_questions": {"rq5": alone}}), SUITES)
    assert [len(grid.variants("credit_ls_qwen", k)) for k in (0, 4, 16)] == [7, 4, 7]


def test_a_question_asks_its_formats_at_every_k_and_in_both_modes():
    formats = ["html", "feat_val", "feat_val_mask"]
    questions = {
        "rq3": {"modes": ["generation"], "serializations": formats},
        "rq6": {"modes": ["generation"], "serializations": ["feat_val_mask", "markdown_mask"]},
        "rq7": {"serializations": formats},
    }
    grid = Grid.from_config(config(research_questions=questions), SUITES)
    at_4, at_16 = grid.variants("diabetes", 4), grid.variants("diabetes", 16)
    assert set(at_4) == {Variant("generation", "contextual", name) for name in formats}
    assert set(at_16) - set(at_4) == {Variant("forward", "contextual", name) for name in formats}
    assert {variant[1:] for variant in grid.variants("mlp0_t0", 4)} == {
        ("context_free", "feat_val_mask"),
        ("context_free", "markdown_mask"),
    }
    crossed = {"rq4": {"modes": ["generation"], "serializations": formats}}
    grid = Grid.from_config(config(research_questions=crossed), SUITES)
    assert len(grid.variants("diabetes", 4)) == 6


@pytest.mark.parametrize(
    ("question", "formats", "fault"),
    [
        ("rq1", ["html"], "rq1.*lacks feat_val,"),
        ("rq4", ["feat_val", "html"], "rq4.*lacks feat_val_mask,"),
        ("rq6", ["markdown_mask"], "rq6.*lacks feat_val_mask,"),
        ("rq7", ["html"], "rq7.*lacks feat_val,"),
    ],
)
def test_the_formats_of_a_question_include_those_of_its_tables(question, formats, fault):
    asked = {"modes": ["generation"], "serializations": formats}
    with pytest.raises(TabBenchError, match=fault):
        Grid.from_config(config(research_questions={question: asked}), SUITES)


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        ("datasets", ["diabets"], r"llm_synthetic\.datasets names 'diabets'.*'diabetes'"),
        ("generators", {"q": {"evaluate": ["tiny"]}}, r"generators\.q\.evaluate names 'tiny'"),
    ],
)
def test_faults_of_the_synthetic_suite_name_the_key(place, value, fault):
    synthetic = SYNTHETIC["llm_synthetic"] | {place: value}
    with pytest.raises(TabBenchError, match=fault):
        Grid.from_config(config(**SYNTHETIC | {"llm_synthetic": synthetic}), SUITES)


@pytest.mark.parametrize("shots", [[0], [4, 16], [0, 8]])
def test_rq5_compares_with_and_without_examples(shots):
    questions = {"rq5": {"modes": ["generation"], "shots": shots}}
    with pytest.raises(TabBenchError, match="rq5 has k"):
        Grid.from_config(config(**SYNTHETIC | {"research_questions": questions}), SUITES)


def test_rq5_needs_its_suite():
    with pytest.raises(TabBenchError, match="needs the key llm_synthetic"):
        Grid.from_config(config(research_questions=SYNTHETIC["research_questions"]), SUITES)


def test_other_families_are_refused_unless_asked_for():
    same = {"large": "qwen3", "small": "qwen3", "other": None}
    qwen = {"qwen": SYNTHETIC["llm_synthetic"]["generators"]["qwen"]}
    check_pairing({"llm_synthetic": {"generators": qwen}}, same)
    check_pairing({}, same)
    with pytest.raises(TabBenchError, match=r"family gpt.* evaluates small of.*cross_evaluation"):
        check_pairing({"llm_synthetic": {"generators": qwen}}, {"large": "gpt", "small": "qwen3"})
    with pytest.raises(TabBenchError, match=r"'repository' .which names no model. evaluates other"):
        check_pairing(SYNTHETIC, same)
    check_pairing({"llm_synthetic": SYNTHETIC["llm_synthetic"] | {"cross_evaluation": True}}, same)
