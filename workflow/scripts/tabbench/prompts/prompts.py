"""Definition of a prompt: system message, task text, examples, query row (paper, section C)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from tabbench.config.dataset_entry import TaskText
from tabbench.core.cells import Variant
from tabbench.core.contexts import RICHEST
from tabbench.core.draws import held_out
from tabbench.core.errors import TabBenchError
from tabbench.prompts.serialize import SERIALIZATIONS

T = TypeVar("T")

SYSTEM = "You classify rows of a table. Reply with a single token, 0 or 1, and no other text."

CONTEXT_FREE = (
    "For the given input features you need to classify rows into two classes: 0 or 1. "
    "Do not predict any other tokens, only 0 or 1."
)
RULES_HEAD = "Here are the decision rules by which the classes were generated:"


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
    return f"{contextual(task)} {RULES_HEAD}\n\n{rules}"


def rules_only(rules: str) -> str:
    """The rules of Prompt 3 after the neutral text, which says nothing of the task."""
    return f"{CONTEXT_FREE} {RULES_HEAD}\n\n{rules}"


def instruction(prompt: str, task: TaskText | None, rules: str | None) -> str:
    """The task text of a prompt regime.

    Parameters
    ----------
    task : None for the MLP grid
    rules : decision rules; None for all but the LLM-synthetic suite, and for its tables that
        came without any

    Raises
    ------
    TabBenchError
        When a dataset lacks the task text or the rules that the prompt shows.
    """
    if prompt == "context_free":
        return CONTEXT_FREE
    if prompt == "rules":
        return rules_only(_given(rules, prompt, "decision rules"))
    text = _given(task, prompt, "a task text")
    if prompt == "contextual":
        return contextual(text)
    return knowledge(text, _given(rules, prompt, "decision rules"))


def _given(part: T | None, prompt: str, name: str) -> T:
    if part is None:
        raise TabBenchError(f"prompt '{prompt}' needs {name}, and this dataset has none")
    return part


@dataclass(frozen=True)
class DatasetFiles:
    """The frames of one dataset (``schemas.TABLE``, ``SPLIT``, ``SERIALIZED``, ``SHOTS``).

    ``shots`` is None at k = 0, ``rules`` (the text block of the knowledge prompt) None for all but
    the LLM-synthetic suite, ``labelled`` (a larger draw) for all but user datasets.
    """

    table: pd.DataFrame
    split: pd.DataFrame
    serialized: pd.DataFrame
    shots: pd.DataFrame | None
    labelled: pd.DataFrame | None = None
    rules: str | None = None

    def examples(self, seed: int) -> list[int]:
        """Row ids of a draw, in the order of the prompt."""
        if self.shots is None:
            return []
        draw = self.shots[self.shots["seed"] == seed]
        return draw.sort_values("position")["row_id"].tolist()

    def held_out(self, seed: int) -> list[int]:
        """Labelled rows outside the prompt; without examples those of the first draw."""
        if self.labelled is None:
            return []
        drawn = self.labelled["seed"].iloc[0] if self.shots is None else seed
        return held_out(self.labelled, drawn, self.examples(seed))


def prefix(
    text: str,
    serialization: str,
    rows: Mapping[int, str],
    labels: Mapping[int, int],
    examples: Sequence[int],
) -> str:
    """Shared part of a cell's prompts: instruction, head of the table, examples.

    Parameters
    ----------
    text : the instruction
    serialization : name of the text format
    rows : row id to serialized row; -1 is the head of the table
    labels : row id to label
    examples : row ids of the k examples, in order
    """
    close = SERIALIZATIONS[serialization].close
    shown = "".join(rows[row] + close(labels[row]) for row in examples)
    return f"{text}\n\n{rows[-1]}{shown}"


def build(
    dataset: str,
    k: int,
    seeds: Sequence[int],
    variants: Iterable[Variant],
    task: TaskText | None,
    files: DatasetFiles,
) -> pd.DataFrame:
    """All prompts of a dataset at k, with the columns of ``schemas.PROMPTS``.

    Prompts with the same prefix stand together. Rows are in the order of the split's positions,
    so that a larger cap on test rows adds prompts at the end of each group; labelled rows outside
    the prompt, where there are some, come after them, in the richest context alone.
    """
    labels = dict(zip(files.table["row_id"], files.table["y"], strict=True))
    test = files.split[files.split["part"] == "test"].sort_values("position")["row_id"].tolist()
    modes: dict[tuple[str, str], list[str]] = {}
    for mode, prompt, serialization in variants:
        modes.setdefault((prompt, serialization), []).append(mode)
    frames = []
    for (prompt, serialization), asked_modes in modes.items():
        chosen = files.serialized[files.serialized["serialization"] == serialization]
        rows = dict(zip(chosen["row_id"], chosen["text"], strict=True))
        text = instruction(prompt, task, files.rules)
        for seed in seeds:
            asked = test + (files.held_out(seed) if (prompt, serialization) == RICHEST.pair else [])
            shared = prefix(text, serialization, rows, labels, files.examples(seed))
            for mode in asked_modes:
                cell = {"mode": mode, "prompt": prompt, "serialization": serialization}
                rest = {"k": k, "seed": seed, "system": SYSTEM, "prefix": shared}
                queries = {"row_id": asked, "query": [rows[row] for row in asked]}
                frames.append(pd.DataFrame({"dataset": dataset, **cell, **rest, **queries}))
    prompts = pd.concat(frames, ignore_index=True)
    prompts["y_true"] = prompts["row_id"].map(labels)
    return prompts
