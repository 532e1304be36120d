"""A planted dataset that no model can know, as a control of the probes.

Its title, column names and categories are made of random syllables, its cells drawn independently
and uniformly: no cell says anything about another, and always answering the likeliest value is no
better than chance. The file itself is nowhere published; should that change, change the seed.
"""

import numpy as np
import pandas as pd

from tabbench.probes.dataset import Probed

CANARY = "canary"
_SEED = 20261130
_ROWS = 500
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u")]


def canary() -> Probed:
    """Make the planted dataset: 500 rows of four numeric and four categorical columns."""
    random = np.random.default_rng(_SEED)

    def word(syllables: int) -> str:
        return "".join(random.choice(_SYLLABLES, size=syllables, replace=False))

    title = f"{word(3)} {word(2)}".capitalize()
    columns: dict[str, object] = {}
    for number in range(8):
        name = f"{word(2)}_{word(3)}"
        if number % 2:
            categories = [word(2) for _ in range(4)]
            columns[name] = random.choice(categories, size=_ROWS)
        else:
            columns[name] = random.integers(1000, size=_ROWS).astype(np.float64)
    names = (*columns, f"{word(2)}_{word(3)}")  # the last is the target
    return Probed(CANARY, title, pd.DataFrame(columns), [names])
