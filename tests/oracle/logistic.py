"""Reference values of logistic regressions by statsmodels, and the cases that they belong to.

    pip install statsmodels            # in an environment of its own; the workflow does not use it
    python tests/oracle/logistic.py    # writes logistic.csv beside this file

The rows of a case follow from its parameters: Python's ``random()``, whose sequence is the same in
every version, and products, sums and comparisons of doubles. A digest of each case's rows stands in
the file, so that other rows cannot pass for the same. statsmodels is given a column for each system
and clusters of questions; its factors for few clusters are on by default, and Student's t is asked.
"""

import csv
import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

REFERENCE = Path(__file__).parent / "logistic.csv"
COLUMNS = ["slope", "low", "high", "p"]


@dataclass(frozen=True)
class Case:
    """``effect``: of every metric, on the scale of a share; ``missing``: share of lost answers."""

    number: int
    questions: int
    systems: int
    metrics: int
    effect: float
    missing: float

    def rows(self) -> tuple[list[list[float]], list[int], list[int], list[int]]:
        """Return metrics, right or wrong, system and question of each answer."""
        draw = random.Random(self.number).random
        x, y, systems, questions = [], [], [], []
        for question in range(self.questions):
            common, luck = draw(), draw()
            metrics = [draw() + common for _ in range(self.metrics)]
            for system in range(self.systems):
                share = 0.5 + 0.1 * (system % 3 - 1) + 0.3 * (luck - 0.5)
                share += self.effect * sum(value - 1 for value in metrics) / self.metrics
                right, lost = draw() < share, draw() < self.missing
                if not lost:
                    x.append(metrics)
                    y.append(int(right))
                    systems.append(system)
                    questions.append(question)
        return x, y, systems, questions

    def digest(self) -> str:
        return hashlib.sha256(repr(self.rows()).encode()).hexdigest()[:12]


def cases() -> Iterator[Case]:
    sizes = ((120, 1, 1), (371, 1, 7), (371, 5, 7), (150, 12, 3), (60, 4, 2))
    for number, (size, effect, missing) in enumerate(product(sizes, (0, -0.4), (0, 0.1))):
        yield Case(number, *size, effect, missing)


def run_statsmodels() -> dict[tuple[int, int], dict[str, float]]:
    """Let statsmodels fit every case: number of the case and of the metric to `COLUMNS`."""
    import numpy as np
    from statsmodels.discrete.discrete_model import Logit

    values = {}
    for case in cases():
        x, y, systems, questions = case.rows()
        own = np.equal.outer(np.array(systems), np.arange(case.systems)).astype(float)
        fit = Logit(np.array(y), np.hstack([own, np.array(x)])).fit(
            method="newton", tol=1e-12, disp=False, use_t=True,
            cov_type="cluster", cov_kwds={"groups": np.array(questions)},
        )  # fmt: skip
        for metric, (slope, (low, high), p) in enumerate(
            zip(fit.params, fit.conf_int(), fit.pvalues, strict=True), start=-case.systems
        ):
            if metric >= 0:
                values[case.number, metric] = dict(
                    zip(COLUMNS, map(float, (slope, low, high, p)), strict=True)
                )
    return values


def read() -> list[dict[str, str]]:
    with REFERENCE.open(newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    values = run_statsmodels()
    with REFERENCE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "metric", "rows_sha256", *COLUMNS])
        for case in cases():
            for metric in range(case.metrics):
                numbers = [repr(values[case.number, metric][name]) for name in COLUMNS]
                writer.writerow([case.number, metric, case.digest(), *numbers])


if __name__ == "__main__":
    main()
