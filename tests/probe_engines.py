"""Engines that know a dataset, or nothing, for the controls of the memorization probes."""

import csv
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from tabbench.inference.engines.base import Description, Text, TextRequest
from tabbench.probes.dataset import Probed, written


def dataset(name: str = "ledger", rows: int = 300) -> Probed:
    """A dataset whose cells are independent; numbers are distinct, so that rows can be found."""
    random = np.random.default_rng(1)
    features = pd.DataFrame(
        {
            "fnlwgt": random.permutation(rows).astype(float) * 10,
            "work class": random.choice(["a, b", "c|d", "e"], size=rows),
            "age": random.integers(20, 80, size=rows).astype(float),
            "tide-mark": random.choice(["low", "high"], size=rows),
            "kelvins": random.normal(size=rows).round(3),
        }
    )
    features.loc[::7, "kelvins"] = np.nan
    return Probed(name, "Harbour ledger", features, [(*features.columns, "sunken")])


class Writer:
    """An engine whose texts come from ``answer``; remembers what it was asked."""

    description = Description("test", "chat", "none", "none")

    def __init__(self) -> None:
        self.asked: list[str] = []

    def answer(self, request: str) -> str:
        raise NotImplementedError

    def write(self, requests: Sequence[TextRequest]) -> Iterator[dict[int, Text]]:
        for index, request in enumerate(requests):
            self.asked.append(request.name)
            text = self.answer(request.messages[-1].content)
            yield {index: Text(text, 1, 1, 0.0, True)}


class Lookup(Writer):
    """Knows the rows of one dataset by heart, and says so only where it finds them."""

    def __init__(self, known: Probed) -> None:
        super().__init__()
        self._names, self._title = known.namings[0], known.title
        self._rows = [[written(cell) for cell in row] for _, row in known.features.iterrows()]

    def answer(self, request: str) -> str:
        if self._title not in request:
            return "I do not know this dataset."
        if "Description:" in request:
            return f"It is known.\nColumns: {', '.join(self._names)}\nTarget: {self._names[-1]}"
        if " as a CSV file" in request:
            (start,) = csv.reader([request.split("\n")[-1].removesuffix(",")])
            rest = [row[len(start) :] for row in self._rows if row[: len(start)] == start]
            return ",".join(f'"{cell}"' for cell in rest[0])
        cells = dict(re.findall(r"^(.+?): (.*)$", request.split("\n\n")[1], re.MULTILINE))
        place = list(cells.values()).index("?")
        for row in self._rows:
            if all(row[at] == cell for at, cell in enumerate(cells.values()) if at != place):
                return row[place]
        return "unknown"


class Guesser(Writer):
    """Has never seen the data, but guesses with confidence."""

    def answer(self, request: str) -> str:
        if "Description:" in request:
            return "A well-known benchmark.\nColumns: age, sex, income, value\nTarget: class"
        if " as a CSV file" in request:
            return "1,2,3,4,5,6,7,8"
        return "500"
