"""Parts of an inference job: whole datasets, so that each response log has one writer."""

from collections.abc import Mapping, Sequence


def expected_tokens(test_rows: int, features: int, k: int, groups: int) -> float:
    """Tokens that the prompts about a dataset are expected to take, known before there is any data.

    What the prompts of a group share, mostly its examples, is computed once for all of them.

    Parameters
    ----------
    groups : draws of examples times modes, texts and formats
    """
    return groups * (SHARED + (k + test_rows) * (PER_ROW + PER_FEATURE * features))


SHARED, PER_ROW, PER_FEATURE = 300.0, 4.0, 5.0
"""Tokens of a task text, of a row and of each of its values: a fit to counted prompts
(benchmarks/shards.py says how well it fits)."""


def cut(tokens: Mapping[str, float], shards: int) -> list[list[str]]:
    """Cut datasets into parts of about equal tokens: the longest first, to the shortest part.

    The longest part takes at most 4/3 of the time of the best cut (Graham, 1969).

    Returns
    -------
    list of list of str
        At most ``shards`` parts; none is empty, and each keeps the order of ``tokens``.

    Examples
    --------
    >>> cut({"tae": 2, "adult": 9, "vote": 4, "credit": 4}, 2)
    [['adult'], ['tae', 'vote', 'credit']]
    """
    parts: list[list[str]] = [[] for _ in range(min(shards, len(tokens)))]
    for name in sorted(tokens, key=lambda name: -tokens[name]):
        shortest = min(parts, key=lambda part: (sum(tokens[one] for one in part), len(part)))
        shortest.append(name)
    order = list(tokens)
    return [sorted(part, key=order.index) for part in parts]


def part_names(parts: Sequence[object]) -> list[str]:
    """Names of parts: ``1of3``, ``2of3``, ``3of3``."""
    return [f"{number}of{len(parts)}" for number in range(1, len(parts) + 1)]
