"""How far label scores in half precision on a CPU are from float32, measured on a run's prompts."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from scipy.special import expit
from scipy.stats import spearmanr

from tabbench.inference.engines.base import LabelScore
from tabbench.inference.engines.packed_model import PackedModel
from tabbench.inference.engines.scoring import Row, label_logps, plan


@dataclass(frozen=True)
class Difference:
    """Label scores of some prompts against those of float32.

    Attributes
    ----------
    largest_difference
        Of the probability of label 1 among both labels.
    rank_correlation
        Spearman's, of these probabilities; nan where they are all equal or there is one.
    """

    dtype: str
    prompts: int
    largest_difference: float
    rank_correlation: float

    def __str__(self) -> str:
        return (
            f"{self.dtype} on this processor against float32, the first {self.prompts} prompts: "
            f"p(1) differs by up to {self.largest_difference:.4f}, rank correlation "
            f"{self.rank_correlation:.3f}. Use 'dtype: float32' where that is too much"
        )

    def append(self, path: Path) -> None:
        """Add a line to a CSV file, with a header if it is new."""
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(self)])
            if new:
                writer.writeheader()
            writer.writerow(asdict(self))


def compare_with_float32(
    load: Callable[[], PackedModel],
    dtype: str,
    prefix: Sequence[int],
    rows: Sequence[Row],
    scores: Sequence[LabelScore],
) -> Difference:
    """Score rows of whole prompts again, with the model in float32 that ``load`` gives."""
    model = load()
    before = model.prefix(prefix)
    runs, readings = plan([{"forward": row} for row in rows], before.length)
    places = sorted({place for one in readings for place in one["forward"].places})
    logps = model.rows(before, runs, places).log_softmax(-1)
    at = {place: index for index, place in enumerate(places)}
    exact = [label_logps(one["forward"], logps, at) for one in readings]
    expected = expit([one - zero for zero, one in exact])
    found = expit([score.logp_1 - score.logp_0 for score in scores])
    several = len(set(expected)) > 1 and len(set(found)) > 1
    correlation = spearmanr(expected, found).statistic if several else float("nan")
    return Difference(dtype, len(rows), float(abs(found - expected).max()), float(correlation))
