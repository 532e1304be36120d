"""The recognition test (section IV-A1): the columns that a model lists, given only a title.

Graded is the share of *telling* column names (see `columns`) that the answer lists exactly, up to
signs and case, in any order. The description is reported but not graded: a model describes a
nonexistent dataset as fluently as a real one.
"""

import math
import re
from collections.abc import Iterable, Sequence

import pandas as pd

from tabbench.core.schemas.probe_recognition import PROBE_RECOGNITION
from tabbench.core.thinking import without_thought
from tabbench.inference.engines.base import Decoding, Failure, Message, TextOutcome, TextRequest
from tabbench.inference.texts import AskTexts, read_text
from tabbench.probes.columns import normalised, telling_names
from tabbench.probes.dataset import Probed
from tabbench.probes.verdicts import (
    FEWEST_NAMES,
    NOT_GRADED,
    RecognitionThresholds,
    recognition_outcome,
)

PROMPT = (
    "Say from memory what you know of a public dataset: describe it in one sentence, list the "
    "exact names of all its columns as they are spelled in its file, separated by commas, and give "
    "the exact name of its target column. Begin three lines with the words Description, Columns "
    "and Target. If you do not know the dataset, say so and list nothing.\n\n"
    "Dataset: {title}\nDescription:"
)
_NEXT = "\nDataset:"
"""Stop strings: how a model without a chat template continues after its answer."""

_MARKER = (
    r"(?im)^[ \t*_#>-]*(?:exact )?(?:feature )?{word}s?(?: names?| column| variable)?[ \t*_]*:"
)
_COLUMNS = re.compile(_MARKER.format(word="(?:column|feature)"))
_TARGET = re.compile(_MARKER.format(word="target"))
_BULLET = re.compile(r"\s*(?:[-*•+]|\d+[.)])\s+")
_AFTER_NAME = re.compile(r"\s+[(–—-]|:\s|:$|\s+=\s")
_MARKS = " \t*_`\"'“”‘’[]{}.<>"


def request(dataset: Probed, plain: bool) -> TextRequest:
    """Return the request for a dataset's columns; ``plain``: without a chat template."""
    message = Message("user", PROMPT.format(title=dataset.title))
    decoding = Decoding(_room(dataset), stop=(_NEXT,) if plain else ())
    return TextRequest(f"recognition/{dataset.id}", (message,), decoding, plain=plain)


def _room(dataset: Probed) -> int:
    """Return the most tokens: a sentence, and one for each letter of the right answer.

    Names take about one for three letters, so that there is room for some explanation. In steps of
    64, as texts of one length are decoded together.
    """
    letters = sum(len(name) + 2 for name in dataset.namings[0])
    return 64 * (1 + math.ceil(letters / 64))


def listed_names(answer: str) -> list[str]:
    """Return the names that an answer lists, in order, each once, as they are spelled.

    They stand after ``Columns:`` and ``Target:``, or anywhere where neither is written: separated
    by commas or semicolons, or one a line, with or without bullets, marks and explanations.

    Examples
    --------
    >>> listed_names("A census.\\nColumns: age, `fnlwgt`\\nTarget: **income** (two classes)")
    ['age', 'fnlwgt', 'income']
    """
    text = without_thought(answer) or ""
    starts = [found for found in (_COLUMNS.search(text), _TARGET.search(text)) if found]
    text = text[min(found.start() for found in starts) :] if starts else text
    names: dict[str, str] = {}
    for line in text.split("\n"):
        for name in _names_of(_COLUMNS.sub("", _TARGET.sub("", line))):
            names.setdefault(normalised(name), name)
    return list(names.values())


def _names_of(line: str) -> Iterable[str]:
    bullet = _BULLET.match(line)
    # A bullet holds one name and what it means; else an explanation may follow each name.
    parts = [line[bullet.end() :]] if bullet else re.split(r"[,;|\t]", line)
    for part in parts:
        inner = _BULLET.sub("", part, count=1) if _BULLET.match(part) else part
        name = _AFTER_NAME.split(inner.strip(), maxsplit=1)[0].strip(_MARKS)
        name = re.sub(r"^and\s+", "", name)
        if bullet:
            name = name.split(",")[0].strip(_MARKS)
        if normalised(name):
            yield name


def grade(answer: str, dataset: Probed, thresholds: RecognitionThresholds) -> dict[str, object]:
    """Grade one answer against the names of the source that it fits best.

    Returns
    -------
    dict
        ``listed`` (names listed), ``telling`` (names that tell), ``found`` (those among the
        listed), ``share`` (NaN without telling names), ``found_names`` and ``outcome``.
    """
    listed = {normalised(name) for name in listed_names(answer)}
    graded = []
    for naming in dataset.namings:
        telling = telling_names(naming, dataset.title)
        found = [name for key, name in telling.items() if key in listed]
        graded.append((telling, found))
    telling, found = max(graded, key=_fit)
    return {
        "listed": len(listed),
        "telling": len(telling),
        "found": len(found),
        "share": len(found) / len(telling) if telling else float("nan"),
        "found_names": ", ".join(found),
        "outcome": recognition_outcome(len(found), len(telling), thresholds),
    }


def _graded(
    text: TextOutcome, dataset: Probed, thresholds: RecognitionThresholds
) -> dict[str, object]:
    """Grade an answer; without one nothing can be graded."""
    graded = grade(read_text(text).text, dataset, thresholds)
    if isinstance(text, Failure):
        graded |= {"share": math.nan, "outcome": NOT_GRADED}
    return graded


def _fit(graded: tuple[dict[str, str], list[str]]) -> tuple[float, ...]:
    """Sort key of namings: gradable ones first, then by names found, then by telling names."""
    telling, found = map(len, graded)
    return telling >= FEWEST_NAMES, found, found / max(1, telling), telling


def recognize(
    datasets: Sequence[Probed], ask: AskTexts, plain: bool, thresholds: RecognitionThresholds
) -> pd.DataFrame:
    """Run the test on each dataset.

    Returns
    -------
    DataFrame with the columns of ``schemas.PROBE_RECOGNITION``, the model left open
    """
    outcomes = ask([request(dataset, plain) for dataset in datasets])
    rows = [
        {
            "dataset": dataset.id,
            "title": dataset.title,
            **_graded(text, dataset, thresholds),
            "answer": read_text(text).text,
            "ended": read_text(text).ended,
        }
        for dataset, text in zip(datasets, outcomes, strict=True)
    ]
    return pd.DataFrame(rows, columns=PROBE_RECOGNITION.names)
