"""Plan how prompts that share a prefix run together: pure arithmetic on token lists.

Rows of a *pack* lie one after the other in one forward pass, behind one copy of the prefix.
Position ids restart after the prefix for every row, and a token sees the prefix and its own
row only, so that each row is computed as if it stood alone.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def common_prefix_length(sequences: Sequence[list[int]]) -> int:
    """Return the length of the longest common prefix of token lists (0 for no lists).

    >>> common_prefix_length([[1, 2, 3], [1, 2, 4, 5]])
    2
    """
    if not sequences:
        return 0
    # Whatever separates any two lists also separates the lexicographic extremes.
    low, high = min(sequences), max(sequences)
    for index, (left, right) in enumerate(zip(low, high, strict=False)):
        if left != right:
            return index
    return min(len(low), len(high))


def shared_length(sequences: Sequence[list[int]]) -> int:
    """Return how many leading tokens to compute once, leaving every row at least one of its own.

    The last token of a row must be in the pack: the answer is read there.
    """
    return max(0, min(common_prefix_length(sequences), min(map(len, sequences)) - 1))


def cut(sizes: Sequence[int], budget: int) -> list[range]:
    """Cut consecutive rows into packs of about equal size, each of at most ``budget`` tokens.

    Parameters
    ----------
    sizes
        Tokens of each row.
    budget
        Most tokens in a pack; a single row that is longer gets a pack of its own.

    Returns
    -------
    list of range
        Row numbers of each pack; together they are ``range(len(sizes))``.
    """
    if not sizes:
        return []
    # Equal packs: a small last one would use the matrix products badly.
    target = math.ceil(sum(sizes) / math.ceil(sum(sizes) / budget))
    starts, used = [0], 0
    for index, size in enumerate(sizes):
        overfull = used + size > budget
        # The row that crosses the target goes where it lies nearer.
        passed = used + size / 2 > target
        if used and (overfull or passed):
            starts.append(index)
            used = 0
        used += size
    return [range(a, b) for a, b in itertools.pairwise([*starts, len(sizes)])]


@dataclass(frozen=True)
class Layout:
    """Where the tokens of a pack are: token ``t`` of the pass is ``column[t]`` of row ``row[t]``.

    Attributes
    ----------
    prefix
        Tokens before every row.
    row, column
        Shape (tokens,).
    """

    prefix: int
    row: IntArray
    column: IntArray

    @classmethod
    def of(cls, prefix: int, lengths: Sequence[int]) -> "Layout":
        """Lay rows of the given lengths (all at least 1) one after the other."""
        sizes = np.asarray(lengths, dtype=np.int64)
        row = np.repeat(np.arange(len(sizes)), sizes)
        column = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return cls(prefix, row, column)

    @classmethod
    def at(cls, prefix: int, columns: Sequence[int]) -> "Layout":
        """Lay one token of each row, which has ``columns`` tokens before it."""
        return cls(prefix, np.arange(len(columns)), np.asarray(columns, dtype=np.int64))

    @property
    def rows(self) -> int:
        return int(self.row[-1]) + 1

    @property
    def width(self) -> int:
        """Tokens of the longest row."""
        return int(self.column.max()) + 1

    @property
    def positions(self) -> IntArray:
        """Position ids, restarting after the prefix: shape (tokens,)."""
        return self.prefix + self.column

    @property
    def cells(self) -> IntArray:
        """Index of each token in the padded (rows x width) grid, flattened: shape (tokens,)."""
        return self.row * self.width + self.column

    @property
    def tokens(self) -> IntArray:
        """The inverse of `cells`: shape (rows * width,); cells of padding point to token 0."""
        tokens = np.zeros(self.rows * self.width, dtype=np.int64)
        tokens[self.cells] = np.arange(len(self.row))
        return tokens

    @property
    def last(self) -> IntArray:
        """Index of each row's last token in the pass: shape (rows,)."""
        return np.flatnonzero(np.append(self.row[1:] != self.row[:-1], True))


def visible(
    prefix: int,
    row: IntArray,
    column: IntArray,
    rows: int,
    width: int,
    window: int | None = None,
) -> BoolArray:
    """Return which keys each query may see.

    Keys are the prefix, then a padded grid of ``rows`` x ``width`` own keys, flattened.

    Parameters
    ----------
    prefix
        Tokens of the prefix.
    row, column
        Place of each query in the grid, shape (queries,).
    window
        Sliding window: a query at position p sees positions above ``p - window`` only.

    Returns
    -------
    array of bool
        Shape (queries, prefix + rows * width).
    """
    key_row = np.concatenate([np.full(prefix, -1), np.repeat(np.arange(rows), width)])
    key_position = np.concatenate([np.arange(prefix), prefix + np.tile(np.arange(width), rows)])
    position = (prefix + column)[:, None]
    seen: BoolArray = ((key_row == -1) | (key_row == row[:, None])) & (key_position <= position)
    if window is not None:
        seen &= key_position > position - window
    return seen
