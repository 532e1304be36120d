"""The terms of the benchmark: what a cell is, and how a row is asked in it."""

from typing import NamedTuple


class Variant(NamedTuple):
    """Condition under which a row is asked, without k and seed."""

    mode: str
    prompt: str
    serialization: str


class Cell(NamedTuple):
    """One point of the benchmark; at k = 0 the seed numbers repeats of the prompts, from 0."""

    dataset: str
    model: str
    mode: str
    prompt: str
    serialization: str
    k: int
    seed: int

    def __str__(self) -> str:
        return (
            f"dataset '{self.dataset}', model '{self.model}', {self.mode}, {self.prompt}, "
            f"{self.serialization}, k = {self.k}, seed {self.seed}"
        )


CELL_COLUMNS = list(Cell._fields)
