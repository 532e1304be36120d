"""Notes of tables, each said once on the page: what several tables share is numbered."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Notes:
    """What stands under one table: its own notes, and the numbers of those that it shares."""

    own: tuple[str, ...]
    shared: tuple[int, ...]


def share(
    tables: Mapping[str, Sequence[str]], general: Collection[str]
) -> tuple[tuple[str, ...], dict[str, Notes]]:
    """Split the notes of all tables of a page.

    Parameters
    ----------
    tables : notes by table
    general : notes that the page explains for all tables; they are left out

    Returns
    -------
    tuple of str
        Notes that more than one table carries, in the order of the page; the first is number 1.
    dict
        The remaining notes by table.

    Examples
    --------
    >>> share({"a": ["x", "y"], "b": ["y", "z"]}, general=["z"])[0]
    ('y',)
    """
    counts = Counter(note for notes in tables.values() for note in set(notes))
    order = dict.fromkeys(note for notes in tables.values() for note in notes)
    shared = tuple(note for note in order if counts[note] > 1 and note not in general)
    numbers = {note: number for number, note in enumerate(shared, 1)}
    return shared, {
        name: Notes(
            tuple(
                note for note in dict.fromkeys(notes) if note not in numbers and note not in general
            ),
            tuple(sorted({numbers[note] for note in notes if note in numbers})),
        )
        for name, notes in tables.items()
    }
