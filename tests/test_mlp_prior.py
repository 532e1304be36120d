"""The MLP-prior grid: sizes of Table XV, balance, and the same table everywhere."""

import hashlib

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from tabbench.core.errors import TabBenchError
from tabbench.data.complexity_grid.levels import DEFAULT_RECIPE, LEVELS, RECIPES
from tabbench.data.complexity_grid.tables import make_table
from tabbench.prompts.serialize import format_number
from tabbench.statistics.roc_auc import fold, roc_auc

every_level = pytest.mark.parametrize("level", list(LEVELS))


def test_levels_are_the_papers() -> None:
    sizes = {level: (size.layers, size.features, size.hidden) for level, size in LEVELS.items()}
    assert sizes == {
        0: (0, 5, None),
        1: (1, 10, 10),
        2: (2, 15, 15),
        3: (3, 20, 20),
        5: (5, 30, 30),
        7: (7, 40, 40),
        9: (9, 50, 50),
    }


@every_level
def test_shape_names_and_balance(level: int) -> None:
    table = make_table(level, seed=0)
    features = [f"x_{i}" for i in range(1, LEVELS[level].features + 1)]
    assert list(table.columns) == [*features, "y"]
    assert len(table) == 1000
    assert table["y"].dtype == np.int64
    assert table["y"].value_counts().to_dict() == {0: 500, 1: 500}


@every_level
@pytest.mark.parametrize("rows", [2, 7, 101])
def test_balance_within_one_row(level: int, rows: int) -> None:
    assert make_table(level, seed=3, rows=rows)["y"].sum() == (rows + 1) // 2


@every_level
def test_inputs_are_standard_normal_and_written_exactly(level: int) -> None:
    inputs = make_table(level, seed=1).drop(columns="y").to_numpy()
    assert abs(inputs.mean()) < 5 / np.sqrt(inputs.size)
    assert abs(inputs.std() - 1) < 5 / np.sqrt(2 * inputs.size)
    np.testing.assert_array_equal(inputs, [[float(format_number(x)) for x in r] for r in inputs])


def test_level_0_is_linear() -> None:
    table = make_table(0, seed=5, rows=2000)
    x, y = table.drop(columns="y").to_numpy(), table["y"].to_numpy()
    # The labels of a linear function can be fitted by one: centred on its median, the least
    # squares fit to the signs makes few errors, at the boundary only.
    signs = 2.0 * y - 1
    design = np.column_stack([x, np.ones(len(x))])
    score = design @ np.linalg.lstsq(design, signs, rcond=None)[0]
    assert ((score > np.median(score)) == y).mean() > 0.97


@pytest.mark.parametrize(
    ("recipe", "digest"),
    [
        (
            "centred_units",
            "20dbabf1c1394915861b1ad30cbf68f85292a8af374de631b3158ba3e7122aed",
        ),
        (
            "random_biases",
            "b60f92201308fbb52ecf15c5e488e14be2ecbb23b604e9b99a8d10286fd76882",
        ),
    ],
)
def test_the_table_is_pinned(recipe: str, digest: str) -> None:
    table = make_table(2, seed=864, recipe=recipe)
    text = "\n".join(" ".join(map(format_number, row)) for row in table.to_numpy())
    assert text.split("\n")[0][:-2] == (
        "-0.12 0.925 -1.343 0.229 -0.729 -0.941 -0.104 1.125 -0.707 0.766 -1.152 0.458 -0.003"
        " -0.084 -0.168"
    )
    assert hashlib.sha256(text.encode()).hexdigest() == digest


@every_level
def test_the_recipe_changes_labels_alone_and_those_of_hidden_layers(level: int) -> None:
    centred, biased = (make_table(level, 4, recipe=recipe) for recipe in RECIPES)
    assert centred.drop(columns="y").equals(biased.drop(columns="y"))
    assert centred["y"].equals(biased["y"]) == (level == 0)


def linear_auc(level: int, recipe: str) -> float:
    """Mean folded ROC-AUC of logistic regression on 64 examples, over ten tables."""
    values = []
    for seed in range(10):
        table = make_table(level, seed, recipe=recipe)
        x, y = table.drop(columns="y").to_numpy(), table["y"].to_numpy()
        train = np.concatenate([np.flatnonzero(y[:600] == label)[:32] for label in (0, 1)])
        score = LogisticRegression().fit(x[train], y[train]).decision_function(x[600:])
        values.append(float(fold(roc_auc(y[600:], score))))
    return float(np.mean(values))


@pytest.mark.parametrize(("level", "released"), [(5, 0.602), (7, 0.573), (9, 0.536)])
def test_the_default_is_as_hard_for_a_baseline_as_released(level: int, released: float) -> None:
    """The released means are over 5 other tables, so they are uncertain by about 0.015."""
    assert linear_auc(level, DEFAULT_RECIPE) == pytest.approx(released, abs=0.04)
    assert linear_auc(level, "random_biases") > released + 0.04


def test_same_seed_same_table_other_seed_other_table() -> None:
    tables = [make_table(level, seed, rows=50) for level in LEVELS for seed in range(3)]
    texts = {table.to_csv() for table in tables}
    assert len(texts) == len(tables)
    assert make_table(3, 1).equals(make_table(3, 1))


def test_rows_do_not_change_the_network() -> None:
    """A longer table of one network separates the same rows, up to the shift of its median."""
    short, long = make_table(0, 2, rows=1000), make_table(0, 2, rows=2000)
    design = np.column_stack([long.drop(columns="y"), np.ones(2000)])
    weights = np.linalg.lstsq(design, 2.0 * long["y"].to_numpy() - 1, rcond=None)[0]
    score = short.drop(columns="y").to_numpy() @ weights[:-1]
    assert ((score > np.median(score)) == short["y"]).mean() > 0.97


def test_errors_name_the_valid_levels() -> None:
    with pytest.raises(TabBenchError, match="no level 4; valid: 0, 1, 2, 3, 5, 7, 9"):
        make_table(4, seed=0)
    with pytest.raises(TabBenchError, match="no recipe 'other'; valid: centred_units, random_b"):
        make_table(0, seed=0, recipe="other")
    with pytest.raises(TabBenchError, match="seed -1"):
        make_table(0, seed=-1)
    with pytest.raises(TabBenchError, match="1 rows"):
        make_table(0, seed=0, rows=1)


def test_labels_are_those_of_the_inputs_as_written() -> None:
    """The network is drawn here anew as the docstring says; rounding moves some rows."""
    rows, moved = 20_000, 0
    for seed in range(3):
        word = int(np.random.SeedSequence((0, seed)).generate_state(1)[0])
        generator = torch.Generator().manual_seed(word)
        drawn = {"generator": generator, "dtype": torch.float64}
        weights = torch.randn(1, 5, **drawn).numpy()[0]
        torch.randn(1, **drawn)  # the bias, which moves all outputs alike
        exact = torch.randn(rows, 5, **drawn).numpy()
        table = make_table(0, seed, rows)
        written = table.drop(columns="y").to_numpy()
        labels, others = (
            np.argsort(np.argsort(inputs @ weights, kind="stable")) >= rows // 2
            for inputs in (written, exact)
        )
        assert np.abs(written - exact).max() <= 0.0005 + 1e-12
        assert (labels == table["y"]).all()
        moved += (labels != others).sum()
    assert moved


def test_no_input_is_a_negative_zero() -> None:
    inputs = make_table(9, seed=0).drop(columns="y").to_numpy()
    zeros = inputs[inputs == 0]
    assert len(zeros)
    assert not np.signbit(zeros).any()
