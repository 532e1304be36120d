"""What is asked about a user dataset: defaults, the configuration, the entry."""

import pytest

from tabbench.config.grid import Grid
from tabbench.config.own_settings import BASELINE_SHOTS, TEST_ROWS, own_settings
from tabbench.core.cells import Variant
from tabbench.core.contexts import CONTEXTS, RICHEST

CONFIG = {
    "mlp": {"levels": [], "tables": 1, "rows": 100},
    "models": ["small"],
    "baselines": ["knn", "tabpfn"],
    "main_mode": "forward",
    "shots": [16, 0, 4],
    "seeds": [864, 460],
    "research_questions": {},
}


def test_formats_are_asked_where_contexts_are():
    found = grid(64, {"formats": ["html"], "contexts_at": [4], "shots": [0, 4]})
    html = Variant("forward", RICHEST.prompt, "html")
    assert html in found.variants("loans", 4) and len(found.variants("loans", 4)) == 5
    assert html not in found.variants("loans", 0)


def grid(limit=None, asked=None, **config):
    limits = {} if limit is None else {"loans": limit}
    settings = {"loans": asked or {}}
    return Grid.from_config({**CONFIG, **config}, {"loans": "own"}, limits, (), settings)


def test_by_default_models_and_baselines_are_those_of_the_configuration():
    found = own_settings(CONFIG, {}, 1000)
    assert found.models == ("small",)
    assert (found.classical, found.pretrained) == (["knn"], ["tabpfn"])
    assert found.shots == (0, 4, 16)
    assert found.baseline_shots == BASELINE_SHOTS
    assert found.test_rows == TEST_ROWS


def test_the_entry_comes_before_the_configuration_and_that_before_the_defaults():
    config = {**CONFIG, "own": {"test_rows": None, "shots": [0, 2], "models": ["large"]}}
    assert own_settings(config, {}, 1000).test_rows is None
    found = own_settings(config, {"test_rows": 50, "models": ["other"]}, 1000)
    assert (found.test_rows, found.models, found.shots) == (50, ("other",), (0, 2))
    assert found.baseline_shots == (2, *BASELINE_SHOTS)


@pytest.mark.parametrize(("limit", "labelled"), [(0, 0), (13, 12), (64, 32), (None, 16)])
def test_labelled_rows_are_as_many_as_the_training_rows_allow(limit, labelled):
    assert own_settings(CONFIG, {}, limit).labelled == labelled


@pytest.mark.parametrize(
    ("limit", "models", "baselines"),
    [
        (0, (0,), ()),
        (12, (0, 4), (4,)),
        (64, (0, 4, 16), (4, 16, 64)),
        (None, (0, 4, 16), (4, 16)),  # nobody has said that the training rows allow 64
    ],
)
def test_what_the_training_rows_allow_limits_both(limit, models, baselines):
    found = grid(limit)
    assert found.dataset_shots("loans") == models
    assert found.baseline_shots("loans") == baselines


def test_contexts_are_taken_away_without_examples_alone_unless_more_is_asked():
    all_four = {Variant("forward", *one.pair) for one in CONTEXTS}
    richest = {Variant("forward", *RICHEST.pair)}
    assert set(grid(64).variants("loans", 0)) == all_four
    assert set(grid(64).variants("loans", 16)) == richest
    assert grid(64).variants("loans", 64) == ()  # baselines alone
    asked = grid(64, {"contexts_at": [16]})
    assert set(asked.variants("loans", 0)) == richest
    assert set(asked.variants("loans", 16)) == all_four


def test_further_draws_have_seeds_of_their_own():
    assert own_settings(CONFIG, {}, 64).seeds == (864, 460, 142, 629)
    assert own_settings(CONFIG, {"draws": 1}, 64).seeds == (864,)
    many = own_settings({**CONFIG, "seeds": [3, 142]}, {"draws": 20}, 64).seeds
    assert many[:4] == (3, 142, 864, 460)
    assert len(set(many)) == 20
    assert grid(64).draw_seeds(4, "loans") == (864, 460, 142, 629)
    assert grid(64).draw_seeds(4) == (864, 460)
    assert len(list(grid(64).cells("loans", "small", 4))) == 4


def test_files_cover_what_only_an_own_dataset_asks():
    found = grid(256, {"models": ["large"], "baselines": ["tabicl"]}, baselines=["knn"])
    assert found.all_shots == (0, 4, 16, 32, 64, 256)  # 32 are drawn to recalibrate on
    assert found.all_pretrained == ["tabicl"]
    assert (found.classical_of("loans"), found.pretrained_of("loans")) == ([], ["tabicl"])
    assert {model for model, _, _ in found.own_jobs("loans")} == {"large"}
    assert found.inference_datasets("own_loans", 4, "large") == ["loans"]
    assert found.inference_datasets("own_loans", 4, "small") == []
