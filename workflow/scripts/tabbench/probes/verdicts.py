"""Verdicts of the probes (section IV-A1, captions of Tables III and IV)."""

from dataclasses import dataclass

LEAKED = "leaked"
NAME_ONLY = "knows name only"
NOT_RECOGNIZED = "not recognized"
NOT_GRADED = "cannot be graded"
OUTCOMES = (LEAKED, NAME_ONLY, NOT_RECOGNIZED, NOT_GRADED)

LIKELY_LEAKED = "likely leaked"
SUSPICIOUS = "suspicious"
NO_SIGNAL = "no leak signal"
NO_EVIDENCE = "not enough evidence"

FEWEST_NAMES = 2
"""Smallest number of telling names for a grade, and of names found for a leak."""


@dataclass(frozen=True)
class RecognitionThresholds:
    """Smallest shares of telling names at which a dataset is leaked, or known by name."""

    leaked: float = 0.5
    name_only: float = 0.1


@dataclass(frozen=True)
class LiftThresholds:
    """Lifts above which a dataset is suspicious, likely leaked and leaked, as in the paper."""

    suspicious: float = 0.05
    likely_leaked: float = 0.10
    leaked: float = 0.20


def recognition_outcome(found: int, telling: int, thresholds: RecognitionThresholds) -> str:
    """Grade one answer of the recognition test.

    Parameters
    ----------
    found : telling names that the answer lists exactly
    telling : telling names of the dataset

    Examples
    --------
    >>> [recognition_outcome(n, 8, RecognitionThresholds()) for n in (0, 1, 4)]
    ['not recognized', 'knows name only', 'leaked']
    """
    if telling < FEWEST_NAMES:
        return NOT_GRADED
    share = found / telling
    if found >= FEWEST_NAMES and share >= thresholds.leaked:
        return LEAKED
    return NAME_ONLY if found and share >= thresholds.name_only else NOT_RECOGNIZED


def is_flagged(outcome: str) -> bool:
    """Whether the recognition test flags a dataset for the tests of its rows.

    Datasets without enough telling names are flagged as well, as they could not be graded.
    """
    return outcome in (LEAKED, NOT_GRADED)


def lift_verdict(lift: float, low: float, high: float, thresholds: LiftThresholds) -> str:
    """Grade a lift by its size; one whose interval covers zero says nothing.

    Examples
    --------
    >>> lift_verdict(0.13, 0.02, 0.24, LiftThresholds())
    'likely leaked'
    >>> lift_verdict(0.13, -0.02, 0.28, LiftThresholds())
    'not enough evidence'
    """
    if not (low > 0 or high < 0):  # NaN as well
        return NO_EVIDENCE
    if lift > thresholds.leaked:
        return LEAKED
    if lift > thresholds.likely_leaked:
        return LIKELY_LEAKED
    return SUSPICIOUS if lift > thresholds.suspicious else NO_SIGNAL
