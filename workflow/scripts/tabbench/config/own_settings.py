"""What is asked about a user dataset: defaults, the configuration's `own`, the entry's `ask`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tabbench.core.baseline_names import PRETRAINED

TEST_ROWS = 120
"""Test rows that are asked: the page of the example took 1 min 30 s on two cores."""
BASELINE_SHOTS = (4, 16, 64, 256)
"""Labels that baselines are fitted on besides the models' numbers of examples: they cost little."""
LABELLED = 32
"""Labels that recalibration and thresholds may use, those in the prompt included."""
CONTEXTS_AT = (0,)
"""Numbers of examples at which names and task text are left out in turn."""

DRAWS = 4
"""Draws of examples: an interval over two of them says next to nothing."""
_SEEDS = (864, 460, 142, 629, 761)
"""Seeds of further draws: the paper's, then 1, 2, ..."""


@dataclass(frozen=True)
class OwnSettings:
    """What is asked about one user dataset.

    Attributes
    ----------
    models, baselines : ids
    shots : numbers of examples that language models are given, ascending
    baseline_shots : numbers of labels that baselines are fitted on, ascending; the models' are
        among them
    labelled : size of the draw whose rows outside the prompt are asked too, to recalibrate on them
    contexts_at : the k at which all four contexts are asked; at the others the richest alone
    formats : further text formats that the richest context is asked in at these k
    test_rows : largest number of test rows; None for all
    seeds : of the draws of examples
    """

    models: tuple[str, ...]
    baselines: tuple[str, ...]
    shots: tuple[int, ...]
    baseline_shots: tuple[int, ...]
    labelled: int
    contexts_at: tuple[int, ...]
    formats: tuple[str, ...]
    test_rows: int | None
    seeds: tuple[int, ...]

    @property
    def classical(self) -> list[str]:
        """Baselines without weights."""
        return [name for name in self.baselines if name not in PRETRAINED]

    @property
    def pretrained(self) -> list[str]:
        """Baselines that need weights."""
        return [name for name in self.baselines if name in PRETRAINED]


def _ascending(shots: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(set(shots)))


def _seeds(first: Sequence[int], draws: int) -> tuple[int, ...]:
    """The configuration's seeds, and others where more draws are asked for."""
    return tuple(dict.fromkeys([*first, *_SEEDS, *range(1, draws + 1)]))[:draws]


def own_settings(
    config: Mapping[str, Any], asked: Mapping[str, Any], limit: int | None
) -> OwnSettings:
    """Settings of one user dataset: its ``ask``, else the configuration's ``own``, else defaults.

    Parameters
    ----------
    config : validated configuration
    asked : the entry's ``ask``; empty where it has none
    limit : the entry's ``max_shots``. Without it nobody has said that the training rows allow more
        labels than the models' examples, and by default baselines are fitted on no more.
    """
    given = {**(config.get("own") or {}), **asked}
    shots = _ascending(given.get("shots", config["shots"]))
    more = given.get("baseline_shots", () if limit is None else BASELINE_SHOTS)
    return OwnSettings(
        models=tuple(given.get("models", config["models"])),
        baselines=tuple(given.get("baselines", config["baselines"])),
        shots=tuple(k for k in shots if limit is None or k <= limit),
        baseline_shots=tuple(
            k for k in _ascending([*shots, *more]) if k and (limit is None or k <= limit)
        ),
        labelled=min(LABELLED, (max(shots) if limit is None else limit) // 2 * 2),
        contexts_at=_ascending(given.get("contexts_at", CONTEXTS_AT)),
        formats=tuple(given.get("formats", ())),
        test_rows=given.get("test_rows", TEST_ROWS),
        seeds=_seeds(config["seeds"], given.get("draws", DRAWS)),
    )
