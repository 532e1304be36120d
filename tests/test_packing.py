"""The planning of packs: prefixes, cuts, places, what a token may see, where labels are read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.inference.engines.packing import (
    Layout,
    common_prefix_length,
    cut,
    shared_length,
    visible,
)
from tabbench.inference.engines.scoring import Reading, Row, plan

token_lists = st.lists(st.lists(st.integers(0, 2), max_size=8), min_size=1, max_size=6)
lengths = st.lists(st.integers(1, 6), min_size=1, max_size=6)


@given(token_lists)
def test_common_prefix_is_common_and_longest(sequences: list[list[int]]) -> None:
    length = common_prefix_length(sequences)
    assert len({tuple(sequence[:length]) for sequence in sequences}) == 1
    longer = {tuple(sequence[: length + 1]) for sequence in sequences}
    assert len(longer) > 1 or min(map(len, sequences)) == length


def test_common_prefix_of_nothing() -> None:
    assert common_prefix_length([]) == 0


def test_every_row_keeps_a_token_of_its_own() -> None:
    assert shared_length([[1, 2, 3], [1, 2, 3]]) == 2
    assert shared_length([[1, 2, 3]]) == 2
    assert shared_length([[1, 2], [1, 2, 3]]) == 1
    assert shared_length([[4], [5]]) == 0


@given(st.lists(st.integers(1, 50), max_size=40), st.integers(1, 120))
def test_cut_covers_all_rows_within_the_budget(sizes: list[int], budget: int) -> None:
    packs = cut(sizes, budget)
    assert [row for pack in packs for row in pack] == list(range(len(sizes)))
    for pack in packs:
        assert len(pack) == 1 or sum(sizes[row] for row in pack) <= budget


def test_cut_makes_equal_packs() -> None:
    assert [len(pack) for pack in cut([10] * 12, 100)] == [6, 6]
    assert cut([10] * 10, 100) == [range(10)]


@given(lengths, st.integers(0, 5))
def test_layout_restarts_after_the_prefix(sizes: list[int], prefix: int) -> None:
    layout = Layout.of(prefix, sizes)
    assert layout.positions.tolist() == [prefix + i for size in sizes for i in range(size)]
    assert layout.row.tolist() == [row for row, size in enumerate(sizes) for _ in range(size)]
    assert layout.last.tolist() == (np.cumsum(sizes) - 1).tolist()
    assert (layout.rows, layout.width) == (len(sizes), max(sizes))


@given(lengths)
def test_cells_and_tokens_are_inverse(sizes: list[int]) -> None:
    layout = Layout.of(0, sizes)
    assert layout.tokens[layout.cells].tolist() == list(range(sum(sizes)))
    assert len(layout.tokens) == len(sizes) * max(sizes)


def test_layout_of_a_decoding_step() -> None:
    layout = Layout.at(10, [4, 2])
    assert layout.positions.tolist() == [14, 12]
    assert layout.row.tolist() == [0, 1]


@given(lengths, st.integers(0, 5), st.none() | st.integers(1, 8))
def test_a_token_sees_the_prefix_and_its_own_row(
    sizes: list[int], prefix: int, window: int | None
) -> None:
    layout = Layout.of(prefix, sizes)
    seen = visible(prefix, layout.row, layout.column, layout.rows, layout.width, window)
    assert seen.shape == (sum(sizes), prefix + layout.rows * layout.width)
    for token, (row, column) in enumerate(zip(layout.row, layout.column, strict=True)):
        reach = prefix + column - (window if window is not None else prefix + column + 1)
        in_prefix = [key > reach for key in range(prefix)]
        in_rows = [
            other == row and place <= column and prefix + place > reach
            for other in range(layout.rows)
            for place in range(layout.width)
        ]
        assert seen[token].tolist() == in_prefix + in_rows


def test_labels_of_one_token_share_a_run() -> None:
    rows = [Row([5, 6, 7], ([0], [1])), Row([5, 6, 8, 9], ([0], [1]))]
    runs, readings = plan([{"forward": row} for row in rows], 2)
    assert runs == [[7], [8, 9]]
    assert [one["forward"].labels for one in readings] == [
        [[(0, 0)], [(0, 1)]],
        [[(2, 0)], [(2, 1)]],
    ]


def test_longer_labels_run_one_by_one() -> None:
    row = Row([5, 6, 7], ([0, 4], [1, 2, 3]))
    runs, readings = plan([{"forward": row}] * 2, 2)
    assert runs == [[7, 1, 2], [7, 0]] * 2
    assert [one["forward"] for one in readings] == [
        Reading([0, 1], 3, [[(3, 0), (4, 4)], [(0, 1), (1, 2), (2, 3)]]),
        Reading([2, 3], 8, [[(8, 0), (9, 4)], [(5, 1), (6, 2), (7, 3)]]),
    ]
    assert row.length == 5


def test_generation_goes_on_from_the_pass_that_scores() -> None:
    scored, written = Row([5, 6], ([0], [7, 1])), Row([5, 6, 7])
    runs, readings = plan([{"forward": scored, "generation": written}], 1)
    assert runs == [[6, 7]]
    assert readings[0]["forward"].labels == [[(0, 0)], [(0, 7), (1, 1)]]
    assert (readings[0]["generation"].sequences, readings[0]["generation"].last) == ([0], 1)


@given(
    st.lists(st.integers(0, 1), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=3), min_size=2, max_size=2),
    st.lists(st.integers(0, 1), min_size=1, max_size=4),
    st.integers(1, 3),
)
def test_every_label_is_read_behind_its_prompt(
    tokens: list[int], labels: list[list[int]], written: list[int], prompts: int
) -> None:
    """Whatever runs share: before each place read stand the prompt and the label's tokens."""
    modes = {"forward": Row([9, *tokens], tuple(labels)), "generation": Row([9, *written])}
    runs, readings = plan([modes] * prompts, 1)
    places = [(run, place) for run in runs for place in range(len(run))]
    for reading in readings:
        for label, read in zip(labels, reading["forward"].labels, strict=True):
            assert [token for _, token in read] == label
            for done, (at, _) in enumerate(read):
                run, place = places[at]
                assert run[: place + 1] == tokens + label[:done]
        (held,) = reading["generation"].sequences
        run, place = places[reading["generation"].last]
        assert run is runs[held] and run[: place + 1] == written


def test_a_row_to_generate_is_one_run() -> None:
    assert plan([{"generation": Row([5, 6, 7])}], 1) == (
        [[6, 7]],
        [{"generation": Reading([0], 1, [])}],
    )


def test_no_rows_no_packs() -> None:
    assert cut([], 10) == []
    with pytest.raises(ValueError):
        shared_length([])
