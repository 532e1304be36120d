"""The levels of the complexity grid (paper, Table XV), and how its networks are made."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """Size of a level's networks; ``hidden`` is None where there is no hidden layer."""

    layers: int
    features: int
    hidden: int | None


LEVELS: dict[int, Level] = {
    0: Level(layers=0, features=5, hidden=None),
    1: Level(layers=1, features=10, hidden=10),
    2: Level(layers=2, features=15, hidden=15),
    3: Level(layers=3, features=20, hidden=20),
    5: Level(layers=5, features=30, hidden=30),
    7: Level(layers=7, features=40, hidden=40),
    9: Level(layers=9, features=50, hidden=50),
}
"""Table XV: the level's number is its number of hidden layers."""

RECIPES: dict[str, str] = {
    "centred_units": "each hidden unit's input is centred on its mean over the rows, then its ReLU",
    "random_biases": "each unit has a normal bias with standard deviation 0.1",
}
"""What a network does besides its weights, by name; the first is the default. See `make_table`."""

DEFAULT_RECIPE = next(iter(RECIPES))
