"""Token sequences to run for the probabilities of labels, and positions to read them at."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from tabbench.inference.engines.base import Mode, Prompt
from tabbench.inference.engines.rendering import Renderer, label_tokens


@dataclass(frozen=True)
class Row:
    """A request's tokens.

    Attributes
    ----------
    tokens
        The whole prompt.
    labels
        The further tokens of each label; none when the request is to generate.
    """

    tokens: list[int]
    labels: tuple[list[int], ...] = ()

    @property
    def runs(self) -> list[list[int]]:
        """Token lists that must run: one for each label, of which all tokens but the last."""
        return [self.tokens + label[:-1] for label in self.labels] or [self.tokens]

    @property
    def length(self) -> int:
        """Tokens of the longest run."""
        return max(map(len, self.runs))


@dataclass(frozen=True)
class Reading:
    """Where a row is read in a pass.

    Attributes
    ----------
    sequences
        Numbers of the sequences that hold its runs, each once.
    last
        Place of the prompt's last token in the first of them.
    labels
        For each label its tokens, each with the place after which it is predicted. A label's
        log-probability is the sum over them.
    """

    sequences: list[int]
    last: int
    labels: list[list[tuple[int, int]]]

    @property
    def places(self) -> set[int]:
        """Places after which to predict."""
        return {place for label in self.labels for place, _ in label} or {self.last}


def label_logps(reading: Reading, logps: Tensor, at: Mapping[int, int]) -> tuple[float, float]:
    """Log-probabilities of the labels "0" and "1"; ``logps[at[place]]`` are those at a place."""
    zero, one = (
        sum(float(logps[at[place], token]) for place, token in label) for label in reading.labels
    )
    return zero, one


def prompt_rows(renderer: Renderer, mode: Mode, prompts: Sequence[Prompt]) -> list[Row]:
    """Tokenize prompts, in forward mode with their labels.

    Raises
    ------
    TabBenchError
        When labels are to be scored for a model that thinks first, or whose tokenizer cannot tell
        them apart.
    """
    texts = [renderer.text(prompt) for prompt in prompts]
    if mode == "generation":
        return [Row(tokens) for tokens in renderer.tokens(texts)]
    renderer.refuse_thinking(texts[0])
    found = label_tokens(renderer.tokens, texts)
    return [Row(tokens.context, tokens.labels) for tokens in found]


def sequences(rows: Sequence[Row]) -> list[list[int]]:
    """Token lists to run for the rows of one prompt, each with all of its tokens.

    A run that is the beginning of another is read there, as no token sees what follows it.

    >>> sequences([Row([5, 6, 7], ([0], [1])), Row([5, 6, 7, 9])])
    [[5, 6, 7, 9]]
    """
    kept: list[list[int]] = []
    for run in sorted((run for row in rows for run in row.runs), key=len, reverse=True):
        if not any(_begins(sequence, run) for sequence in kept):
            kept.append(run)
    return kept


def _begins(sequence: list[int], run: list[int]) -> bool:
    return sequence[: len(run)] == run


def plan(
    prompts: Sequence[Mapping[Mode, Row]], shared: int
) -> tuple[list[list[int]], list[dict[Mode, Reading]]]:
    """Plan one pass of prompts, each in the modes asked, behind a prefix of ``shared`` tokens.

    Returns
    -------
    sequences
        Token lists to run, without the prefix.
    readings
        Of each prompt; places count the concatenated sequences' tokens.

    Examples
    --------
    >>> plan([{"forward": Row([5, 6, 7], ([0], [1]))}], 2)
    ([[7]], [{'forward': Reading(sequences=[0], last=0, labels=[[(0, 0)], [(0, 1)]])}])
    """
    to_run: list[list[int]] = []
    readings: list[dict[Mode, Reading]] = []
    start = 0
    for rows in prompts:
        own = sequences(list(rows.values()))
        lengths = [len(sequence) - shared for sequence in own]
        starts = [start + before for before in itertools.accumulate(lengths[:-1], initial=0)]
        readings.append(
            {mode: _reading(row, own, len(to_run), starts, shared) for mode, row in rows.items()}
        )
        to_run += [sequence[shared:] for sequence in own]
        start += sum(lengths)
    return to_run, readings


def _reading(
    row: Row, own: Sequence[list[int]], first: int, starts: Sequence[int], shared: int
) -> Reading:
    """Reading of a row in its prompt's sequences, the first of which has the number ``first``."""
    held = [
        next(number for number, sequence in enumerate(own) if _begins(sequence, run))
        for run in row.runs
    ]
    lasts = [starts[number] + len(row.tokens) - shared - 1 for number in held]
    labels = [list(enumerate(label, last)) for label, last in zip(row.labels, lasts, strict=False)]
    return Reading(sorted({first + number for number in held}), lasts[0], labels)
