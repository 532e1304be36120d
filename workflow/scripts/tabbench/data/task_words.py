"""Words of a task text that are those of columns: Prompt 1 must not give the schema away.

The contexts of the paper's Table V show column names and task text apart; a task text that names
columns holds both.
"""

import re
from collections.abc import Iterable

from tabbench.config.dataset_entry import TaskText

_WORD = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")
_SHORTEST = 3
_FUNCTION_WORDS = {
    "about", "after", "all", "and", "any", "are", "before", "did", "does", "for", "from",
    "had", "has", "have", "her", "him", "his", "how", "its", "last", "not", "off", "one",
    "other", "out", "over", "per", "she", "since", "than", "that", "the", "their", "they",
    "this", "two", "under", "was", "were", "what", "when", "where", "whether", "which", "who",
    "whom", "whose", "will", "with", "within", "you", "your",
}  # fmt: skip


def words(text: str) -> dict[str, str]:
    """Words of a text or of a column's name: the singular to the word as it stands, lower case.

    Names are taken apart at capitals, digits and signs. Function words, and those of fewer than
    three letters, are left out.

    Examples
    --------
    >>> words("PhoneService_1 of months")
    {'phoneservice': 'phoneservice', 'phone': 'phone', 'service': 'service', 'month': 'months'}
    """
    found: dict[str, str] = {}
    for token in _WORD.findall(text):
        for part in (token, *_PART.findall(token)):
            word = part.lower()
            if len(word) >= _SHORTEST and word not in _FUNCTION_WORDS:
                found.setdefault(_singular(word), word)
    return found


def _singular(word: str) -> str:
    is_plural = word.endswith("s") and not word.endswith("ss") and len(word) > _SHORTEST
    return word[:-1] if is_plural else word


def column_words(task: TaskText, columns: Iterable[str]) -> dict[str, list[str]]:
    """Words of a task text that are in the names of columns too, and which columns these are.

    Parameters
    ----------
    task : all four parts are read
    columns : names of the features
    """
    said = words(" ".join((task.entity, task.task, task.negative, task.positive)))
    named: dict[str, list[str]] = {}
    for column in columns:
        for word in words(column):
            if word in said:
                named.setdefault(said[word], []).append(column)
    return named
