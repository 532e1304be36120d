"""The MLP-prior complexity grid: tables labelled by random networks (paper, A-C, Table XV)."""

from itertools import pairwise

import numpy as np
import pandas as pd
import torch

from tabbench.core.errors import TabBenchError
from tabbench.data.complexity_grid.levels import DEFAULT_RECIPE, LEVELS, RECIPES, Level

_BIAS = 0.1


def make_table(
    level: int, seed: int, rows: int = 1000, recipe: str = DEFAULT_RECIPE
) -> pd.DataFrame:
    """Draw a network and a table that it labels.

    The inputs are standard normal, rounded to three decimals before the network sees them. Thus
    prompts stay short, and a table written as text is exactly the labelled table. The network has
    ReLU units and no hidden noise; weights are normal with variance 2 / fan-in (1 / fan-in into the
    output). The label is the sign of the output centred on its median, so that the classes are
    balanced; where outputs tie at the median, the later rows are class 1.

    The rest is a fit to released results, not knowledge: the paper states neither rows, nor
    initialization, nor threshold, and no generator was released. With 1,000 rows the intrinsic
    dimensions of Table XVI come out. With ``centred_units``, where each hidden unit's input is
    centred on its mean over the rows before its ReLU, baselines get the released ROC-AUC at every
    level (docs/complexity_grid.md); biases and the scale of the weights of a layer then cancel
    out. With ``random_biases``, normal with standard deviation 0.1, units are not centred, and the
    levels from 2 on are easier than released.

    One generator on the CPU, in double precision, draws the network first and then the inputs, so
    that ``rows`` does not change the network, and the recipe not the inputs. Its seed is the first
    32-bit word of numpy's ``SeedSequence((level, seed))``.

    Parameters
    ----------
    level : int
        A key of `LEVELS`.
    seed : int
        Not negative.
    rows : int
        Rows of the table, at least 2.
    recipe : str
        A key of `RECIPES`.

    Returns
    -------
    DataFrame, shape (rows, d + 1)
        Columns x_1, ..., x_d (float64, three decimals) and y (int64, 0 or 1); the number of ones
        is ``rows / 2``, rounded up.

    Raises
    ------
    TabBenchError
        When there is no such level or recipe, or seed or rows are out of range.
    """
    if level not in LEVELS:
        raise TabBenchError(
            f"MLP prior: no level {level}; valid: {', '.join(map(str, LEVELS))} (Table XV)"
        )
    if recipe not in RECIPES:
        raise TabBenchError(f"MLP prior: no recipe '{recipe}'; valid: {', '.join(RECIPES)}")
    if seed < 0 or rows < 2:
        raise TabBenchError(
            f"MLP prior, level {level}: seed {seed}, {rows} rows; "
            "give a seed of at least 0 and at least 2 rows"
        )
    word = int(np.random.SeedSequence((level, seed)).generate_state(1)[0])
    generator = torch.Generator(device="cpu").manual_seed(word)
    network = _draw_network(LEVELS[level], generator)
    inputs = torch.randn(
        rows, LEVELS[level].features, generator=generator, dtype=torch.float64
    ).numpy()
    inputs = inputs.round(3) + 0.0  # no negative zeros
    order = np.argsort(_output(network, inputs, recipe), kind="stable")
    labels = np.zeros(rows, dtype=np.int64)
    labels[order[rows // 2 :]] = 1
    table = pd.DataFrame(inputs, columns=[f"x_{i}" for i in range(1, inputs.shape[1] + 1)])
    return table.assign(y=labels)


_Layers = list[tuple[torch.Tensor, torch.Tensor]]


def _draw_network(level: Level, generator: torch.Generator) -> _Layers:
    """Draw each layer's weights, shape (fan-out, fan-in), and biases, shape (fan-out,)."""
    sizes = [level.features, *[level.hidden or 0] * level.layers, 1]
    layers = []
    for depth, (fan_in, fan_out) in enumerate(pairwise(sizes)):
        scale = ((1 if depth == level.layers else 2) / fan_in) ** 0.5
        weights = torch.randn(fan_out, fan_in, generator=generator, dtype=torch.float64)
        biases = torch.randn(fan_out, generator=generator, dtype=torch.float64)
        layers.append((scale * weights, _BIAS * biases))
    return layers


def _output(network: _Layers, inputs: np.ndarray, recipe: str) -> np.ndarray:
    """Give the network's output for each row."""
    values = torch.from_numpy(inputs)
    for depth, (weights, biases) in enumerate(network):
        if depth:
            centre = values.mean(dim=0) if recipe == "centred_units" else 0
            values = (values - centre).relu()
        values = values @ weights.T + biases
    return values[:, 0].numpy()
