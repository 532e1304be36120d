"""What writing a table as text costs, against pandas row by row; measured side by side.

    PYTHONPATH=workflow/scripts python benchmarks/serialize.py [table.parquet of a dataset]

Writes 1,000 rows x 13 columns in all five formats, after the imports. Without a table it makes one
with the columns of adult. Exits 1 when a limit is missed.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from tabbench.data.description import features
from tabbench.prompts.serialize import SERIALIZATIONS, serialize_frame

SECONDS, RATIO = 0.2, 20.0
ROWS = 1000


def made_up() -> pd.DataFrame:
    """A table like adult: 5 columns of whole numbers, 8 of words, some cells missing."""
    rng = np.random.default_rng(0)
    words = {
        "workclass": ("Private", "Self-emp-not-inc", "Local-gov"),
        "education": ("HS-grad", "Some-college", "Bachelors"),
        "marital-status": ("Married-civ-spouse", "Never-married", "Divorced"),
        "occupation": ("Prof-specialty", "Craft-repair", "Sales"),
        "relationship": ("Husband", "Not-in-family", "Own-child"),
        "race": ("White", "Black", "Asian-Pac-Islander"),
        "sex": ("Male", "Female"),
        "native-country": ("United-States", "Mexico", "Philippines"),
    }
    numbers = {
        "age": rng.integers(17, 90, ROWS),
        "education-num": rng.integers(1, 16, ROWS),
        "capital-gain": rng.integers(0, 99999, ROWS),
        "capital-loss": rng.integers(0, 4356, ROWS),
        "hours-per-week": rng.integers(1, 99, ROWS),
    }
    frame = pd.DataFrame({name: column.astype(float) for name, column in numbers.items()})
    for name, values in words.items():
        frame[name] = pd.Series(rng.choice(values, ROWS)).mask(rng.random(ROWS) < 0.02)
    return frame


def by_rows(frame: pd.DataFrame) -> list[str]:
    """The plain way: one row after the other out of the frame, cell by cell, in five formats."""
    texts = []
    for masked in (False, True):
        names = [f"x_{i}" if masked else str(name) for i, name in enumerate(frame.columns, 1)]
        for _, row in frame.iterrows():
            cells = ["missing" if pd.isna(row[name]) else str(row[name]) for name in frame.columns]
            texts.append(", ".join(f"{n} = {c}" for n, c in zip(names, cells, strict=True)))
        for _, row in frame.iterrows():
            cells = ["missing" if pd.isna(row[name]) else str(row[name]) for name in frame.columns]
            texts.append(f"| {' | '.join(cells)} |")
    texts += [frame.iloc[[at]].to_html(index=False, na_rep="missing") for at in range(len(frame))]
    return texts


def by_package(frame: pd.DataFrame) -> list[str]:
    return [row for form in SERIALIZATIONS.values() for row in serialize_frame(frame, form)[1]]


def seconds(call: Callable[[pd.DataFrame], list[str]], frame: pd.DataFrame, runs: int) -> float:
    """Least processor seconds of several runs, so that other work on the machine counts little."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        texts = call(frame)
        found.append(time.process_time() - start)
        assert len(texts) == len(SERIALIZATIONS) * len(frame)
    return min(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", nargs="?", type=Path)
    options = parser.parse_args()
    frame = features(pd.read_parquet(options.table)) if options.table else made_up()
    package, plain = seconds(by_package, frame, 5), seconds(by_rows, frame, 2)
    good = package <= SECONDS and plain / package >= RATIO
    print(
        f"{len(frame):,} rows x {frame.shape[1]}, five formats: {package:.3f} s (<= {SECONDS}); "
        f"row by row {plain:.2f} s; ratio {plain / package:.1f} (>= {RATIO:g}): "
        f"{'PASS' if good else 'FAIL'}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
