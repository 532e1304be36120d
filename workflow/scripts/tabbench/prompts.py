"""What a prompt is: system message + task text + examples + the query row (paper, section C)."""

from collections.abc import Mapping, Sequence

from tabbench.engines.base import Prompt
from tabbench.errors import TabBenchError
from tabbench.registry import TaskText
from tabbench.serialize import SERIALIZATIONS

SYSTEM = "You classify rows of a table. Reply with a single token, 0 or 1, and no other text."

CONTEXT_FREE = (
    "For the given input features you need to classify rows into two classes: 0 or 1. "
    "Do not predict any other tokens, only 0 or 1."
)


def contextual(task: TaskText) -> str:
    """Prompt 1 (section C-A): the task in words, with the meaning of both labels."""
    entity = f" of {task.entity}" if task.entity else ""
    return (
        f"For the given input features{entity} you need to predict {task.task}. Your output should "
        f"be just a single number representing a binary class prediction: 0 ({task.negative}) or "
        f"1 ({task.positive}). Do not predict any other tokens, only 0 or 1."
    )


def knowledge(task: TaskText, rules: str) -> str:
    """Prompt 3 (section C-C): Prompt 1 and the rules by which the classes were made."""
    return (
        f"{contextual(task)} Here are the decision rules by which the classes were generated:\n\n"
        f"{rules}"
    )


def instruction(prompt: str, task: TaskText | None, rules: str | None) -> str:
    """The task text of a prompt regime.

    Parameters
    ----------
    task : None for the MLP grid
    rules : decision rules; None for all but the LLM-synthetic suite

    Raises
    ------
    TabBenchError
        When a dataset lacks the task text or the rules that the prompt shows.
    """
    if prompt == "context_free":
        return CONTEXT_FREE
    if task is None:
        raise TabBenchError(f"prompt '{prompt}' needs a task text, and this dataset has none")
    if prompt == "contextual":
        return contextual(task)
    if rules is None:
        raise TabBenchError(f"prompt '{prompt}' needs decision rules, and this dataset has none")
    return knowledge(task, rules)


def build(
    text: str,
    serialization: str,
    rows: Mapping[int, str],
    labels: Mapping[int, int],
    shots: Sequence[int],
    queries: Sequence[int],
) -> list[Prompt]:
    """One prompt per query row; all share the same prefix.

    Parameters
    ----------
    text : the instruction
    serialization : name of the text format
    rows : row id to serialized row; -1 is the head of the table
    labels : row id to label, for the examples
    shots : row ids of the k examples, in order
    queries : row ids to classify
    """
    close = SERIALIZATIONS[serialization].close
    examples = "".join(rows[row] + close(labels[row]) for row in shots)
    prefix = f"{text}\n\n{rows[-1]}{examples}"
    return [Prompt(SYSTEM, prefix, rows[row]) for row in queries]
