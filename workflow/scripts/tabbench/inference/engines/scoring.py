"""Token sequences to run for the probabilities of labels, and positions to read them at."""

from collections.abc import Sequence
from dataclasses import dataclass

from tabbench.inference.engines.base import Mode, Prompt
from tabbench.inference.engines.rendering import Renderer, label_tokens

# One label's tokens, each with the place in the pass after which it is predicted.
Reading = list[tuple[int, int]]


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
    def runs(self) -> list[tuple[list[int], tuple[list[int], ...]]]:
        """Token lists to run, each with the labels that it serves.

        Labels of one token are all read at the end of the prompt. Of longer labels all tokens
        but the last must be run too, each label by itself.
        """
        if all(len(label) == 1 for label in self.labels):
            return [(self.tokens, self.labels)]
        return [(self.tokens + label[:-1], (label,)) for label in self.labels]

    @property
    def length(self) -> int:
        """Tokens of the longest run."""
        return max(len(tokens) for tokens, _ in self.runs)

    def own(self, shared: int) -> int:
        """Tokens to run behind a prefix of ``shared`` tokens."""
        return sum(len(tokens) - shared for tokens, _ in self.runs)


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


def plan(rows: Sequence[Row], shared: int) -> tuple[list[list[int]], list[list[Reading]]]:
    """Plan one pass of rows behind a prefix of ``shared`` tokens.

    Returns
    -------
    sequences
        Token lists to run, without the prefix.
    readings
        For each row and label what to read; places count the concatenated sequences' tokens.
        A label's log-probability is the sum over its tokens.

    Examples
    --------
    >>> plan([Row([5, 6, 7], ([0], [1]))], 2)
    ([[7]], [[[(0, 0)], [(0, 1)]]])
    """
    sequences: list[list[int]] = []
    readings: list[list[Reading]] = []
    start = 0
    for row in rows:
        of_row: list[Reading] = []
        for tokens, labels in row.runs:
            end = start + len(row.tokens) - shared - 1
            of_row += [list(enumerate(label, start=end)) for label in labels]
            sequences.append(tokens[shared:])
            start += len(tokens) - shared
        readings.append(of_row)
    return sequences, readings
