"""What midranks are worth in DeLong's test: against the definition, pair by pair of rows.

    PYTHONPATH=workflow/scripts python benchmarks/delong.py

Both ways test the same pairs of curves, taking turns, in one process; ratios are of processor
time, so that other work on the machine does not count. The pairwise way is numpy's, in blocks
that stay in the cache: what one would write without midranks, not a straw man. Exits 1 when the
required ratio is missed or results differ by more than 1e-9.
"""

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from tabbench.statistics.delong import two_curve_test

REQUIRED = 20.0
TOLERANCE = 1e-9
BLOCK = 64
"""Positive rows compared with all negative rows at once."""

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def pairwise_placements(y: Labels, scores: Floats) -> tuple[Floats, Floats]:
    """Placement values by comparing every positive row with every negative one: O(n^2)."""
    positives, negatives = scores[y == 1], scores[y == 0]
    positive, negative = np.empty(len(positives)), np.zeros(len(negatives))
    for start in range(0, len(positives), BLOCK):
        block = positives[start : start + BLOCK, None]
        # Twice the kernel, 0, 1 or 2, in bytes: 1 + (above) - (below).
        twice = np.greater(block, negatives).view(np.int8) - np.less(block, negatives).view(np.int8)
        positive[start : start + BLOCK] = twice.sum(axis=1, dtype=np.int64)
        negative += twice.sum(axis=0, dtype=np.int16)
    return (1 + positive / len(negatives)) / 2, (1 + negative / len(positives)) / 2


def pairwise_test(y: Labels, first: Floats, second: Floats) -> tuple[float, float]:
    """Return z and the two-sided p-value."""
    (a, c), (b, d) = pairwise_placements(y, first), pairwise_placements(y, second)
    by_positive, by_negative = b - a, d - c
    variance = sum(part.var(ddof=1) / part.size for part in (by_positive, by_negative))
    z = float(by_positive.mean() / np.sqrt(variance))
    return z, float(2 * norm.sf(abs(z)))


def midrank_test(y: Labels, first: Floats, second: Floats) -> tuple[float, float]:
    test = two_curve_test(y, first, second)
    return test.z, test.p_two_sided


def made_up(rows: int, pair: int) -> tuple[Labels, Floats, Floats]:
    """Two correlated curves; every second pair is rounded to two digits, and so full of ties."""
    random = np.random.default_rng(pair)
    y = random.integers(0, 2, rows)
    scores = random.normal(size=rows) + random.normal(size=(2, rows)) + 0.3 * y
    if pair % 2:
        scores = scores.round(2)
    return y, scores[0], scores[1]


def seconds(call: Callable[[], tuple[float, float]]) -> tuple[float, tuple[float, float]]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=100)
    arguments = parser.parse_args()
    spent = {"pairwise": 0.0, "midranks": 0.0}
    largest = 0.0
    for pair in range(arguments.pairs):
        case = made_up(arguments.rows, pair)
        results = []
        for name, way in (("pairwise", pairwise_test), ("midranks", midrank_test)):
            took, result = seconds(lambda way=way, case=case: way(*case))
            spent[name] += took
            results.append(result)
        largest = max(largest, *np.abs(np.subtract(*results)))
    ratio = spent["pairwise"] / spent["midranks"]
    print(f"{arguments.pairs} pairs of curves, {arguments.rows:,} rows each, processor seconds:")
    for name, total in spent.items():
        print(f"  {name}: {total:.2f} ({1000 * total / arguments.pairs:.1f} ms a pair)")
    print(f"  pairwise / midranks: {ratio:.1f} (required: {REQUIRED:.0f})")
    print(f"  largest difference of z and p: {largest:.1e} (allowed: {TOLERANCE:.0e})")
    sys.exit(int(ratio < REQUIRED or largest > TOLERANCE))


if __name__ == "__main__":
    main()
