"""The grid asks exactly the cells that the research questions need."""

import pytest

from tabbench.cells import Variant
from tabbench.errors import TabBenchError
from tabbench.grid import Grid

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
    assert grid.inference_datasets("core", 16) == ["diabetes"]


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
    assert grid.inference_datasets("own_loans", 4) == ["loans"]
    assert grid.inference_batch("machine") == "new"
    assert grid.own_predictions("loans") == [("small", "loans", 0), ("small", "loans", 4)]
    assert "loans" not in {dataset for _, dataset, _ in grid.predictions()}


def test_what_the_training_rows_allow_limits_models_and_baselines():
    grid = Grid.from_config(config(), SUITES, {"machine": 4})
    assert grid.dataset_shots("machine") == (0, 4)
    assert grid.baseline_shots("machine") == (4,)
    assert grid.baseline_shots("credit") == (4, 16)
