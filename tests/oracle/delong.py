"""Reference values of DeLong's test by R's pROC, and the cases that they belong to.

    python tests/oracle/delong.py     # runs R, writes delong.csv beside this file

It needs R with pROC (Debian: r-base-core, r-cran-proc). The rows of a case follow from its
parameters: Python's ``random()``, whose sequence is the same in every version, and products,
sums and floors of doubles. Scores are whole numbers, so R reads exactly what Python made. A
digest of each case's rows stands in the file, so that other rows cannot pass for the same.

What pROC means, found by trying: ``roc.test(first, second)`` has Z = (AUC(first) -
AUC(second)) / se, and ``alternative = "greater"`` is "AUC(first) is greater". ``delong.R`` gives
it the second curve first, so that Z, greater and less are those of second - first, as in
``tabbench.statistics.delong``. ``direction`` must be given, or pROC turns curves below 0.5 round.
"""

import csv
import hashlib
import math
import random
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
REFERENCE = HERE / "delong.csv"

SIZES = (6, 8, 12, 20, 37, 75, 150, 400, 1000, 2000)
SHARES = (0.1, 0.3, 0.5)
KINDS = {
    "fine": 1_000_000,  # hardly a tie
    "ties": 7,
    "heavy_ties": 2,
    "near": 50,  # the second curve changes one row in ten of the first
    "same": 20,  # one curve twice
    "constant": 10,  # the first curve does not vary
    "perfect": 30,  # the second curve is perfect
    "opposed": 5,  # the second curve ranks the wrong way round
}
"""Number of different scores of a kind of case."""

R_COLUMNS = ["auc_first", "auc_second", "z", "p_two_sided", "p_greater", "p_less"]


@dataclass(frozen=True)
class Case:
    number: int
    kind: str
    n: int
    positives: int

    def rows(self) -> tuple[list[int], list[int], list[int]]:
        """Return labels, scores of the first curve and scores of the second."""
        draw = random.Random(self.number).random
        order = sorted((draw(), row) for row in range(self.n))
        chosen = {row for _, row in order[: self.positives]}
        y = [int(row in chosen) for row in range(self.n)]
        levels = KINDS[self.kind]
        common = [draw() for _ in y]

        def curve(signal: float) -> list[int]:
            return [
                math.floor(levels * (0.5 * u + 0.5 * draw() + signal * label))
                for u, label in zip(common, y, strict=True)
            ]

        first, second = curve(0.125), curve(0.25)
        if self.kind == "near":
            second = [b if draw() < 0.1 else a for a, b in zip(first, second, strict=True)]
        elif self.kind == "same":
            second = list(first)
        elif self.kind == "constant":
            first = [3] * self.n
        elif self.kind == "perfect":
            second = [score + 2 * levels * label for score, label in zip(second, y, strict=True)]
        elif self.kind == "opposed":
            second = [-score for score in second]
        return y, first, second

    def digest(self) -> str:
        return hashlib.sha256(repr(self.rows()).encode()).hexdigest()[:12]


def cases() -> Iterator[Case]:
    for number, (kind, n, share) in enumerate(product(KINDS, SIZES, SHARES)):
        yield Case(number, kind, n, max(2, round(share * n)))


def run_r() -> dict[int, dict[str, float]]:
    """Let R test every case: number of the case to `R_COLUMNS`."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "rows.csv", Path(folder) / "values.csv"
        with given.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["case", "y", "first", "second"])
            for case in cases():
                for row in zip(*case.rows(), strict=True):
                    writer.writerow([case.number, *row])
        subprocess.run(["Rscript", "--vanilla", HERE / "delong.R", given, made], check=True)
        return {
            int(row["case"]): {name: float(row[name]) for name in R_COLUMNS} for row in read(made)
        }


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    values = run_r()
    with REFERENCE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "kind", "n", "positives", "rows_sha256", *R_COLUMNS])
        for case in cases():
            numbers = [repr(values[case.number][name]) for name in R_COLUMNS]
            writer.writerow(
                [case.number, case.kind, case.n, case.positives, case.digest(), *numbers]
            )


if __name__ == "__main__":
    main()
