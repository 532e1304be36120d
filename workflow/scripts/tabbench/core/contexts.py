"""The context configurations of a prompt: with or without task text and column names (Table V)."""

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd


class Look(NamedTuple):
    """How a context is drawn: hue for named columns, lightness for a described task."""

    color: str
    marker: str
    linestyle: str | tuple[float, tuple[float, float]]


_DOTTED = (0.0, (1.5, 1.5))


@dataclass(frozen=True)
class Context:
    """What a prompt tells of a row: the name in tables, the prompt, the serialization."""

    name: str
    prompt: str
    serialization: str
    look: Look | None = None

    @property
    def pair(self) -> tuple[str, str]:
        return self.prompt, self.serialization


CONTEXTS = (
    Context("NoCols-NoContext", "context_free", "feat_val_mask", Look("#F5B78A", "o", _DOTTED)),
    Context("Cols-NoContext", "context_free", "feat_val", Look("#8FC3E0", "s", _DOTTED)),
    Context("NoCols-Context", "contextual", "feat_val_mask", Look("#D55E00", "o", "-")),
    Context("Cols-Context", "contextual", "feat_val", Look("#00568A", "s", "-")),
)
"""The four graded configurations (paper, Table V), from the poorest to the richest."""
POOREST, RICHEST = CONTEXTS[0], CONTEXTS[-1]
EXPERT = Context("Expert", "knowledge", "feat_val_mask")
EXPERT_PRIOR = Context("Expert + prior", "knowledge", "feat_val")
"""Decision rules in the prompt, columns masked or named (paper, Table IX)."""
RULES_ONLY = Context("Rules only", "rules", "feat_val")
"""Decision rules and named columns without a task text; not in the paper."""
RULED_PROMPTS = frozenset({EXPERT.prompt, EXPERT_PRIOR.prompt, RULES_ONLY.prompt})
"""Prompts that give decision rules."""
MASKED = POOREST
"""Configuration of the MLP grid, whose columns have no names and whose task has no description."""
CONTEXT_NOTE = (
    f"Cols: real column names ({RICHEST.serialization}), NoCols: masked "
    f"({POOREST.serialization}); Context: task description ({RICHEST.prompt}), NoContext: neutral "
    f"prompt ({POOREST.prompt})"
)


def context_frame(*contexts: Context) -> pd.DataFrame:
    """Return contexts as rows: ``configuration`` (the name), ``prompt``, ``serialization``."""
    rows = [(one.name, *one.pair) for one in contexts]
    return pd.DataFrame(rows, columns=["configuration", "prompt", "serialization"])


@dataclass(frozen=True)
class Regime:
    """One row of Table IX: entities in the prompt, how they are asked, whether the paper has it."""

    name: str
    asked: Context
    few_shot: bool
    entities: int
    paper: bool = True


def regimes(k: int) -> tuple[Regime, ...]:
    """Return the seven combinations in the paper's order, the few-shot ones with ``k`` examples."""
    few = f"Few-shot ({k})"
    return (
        Regime(few, POOREST, True, 1),
        Regime("Expert", EXPERT, False, 1),
        Regime("Prior", RICHEST, False, 1),
        Regime(f"{few} + expert", EXPERT, True, 2),
        Regime(f"{few} + prior", RICHEST, True, 2),
        Regime("Expert + prior", EXPERT_PRIOR, False, 2),
        Regime(f"{few} + expert + prior", EXPERT_PRIOR, True, 3),
    )


def rules_only_regimes(k: int) -> tuple[Regime, ...]:
    """Return the rules alone, without and with ``k`` examples, which the paper does not have."""
    return (
        Regime(RULES_ONLY.name, RULES_ONLY, False, 1, paper=False),
        Regime(f"Few-shot ({k}) + rules only", RULES_ONLY, True, 2, paper=False),
    )


def with_configuration(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the context configuration of each row as ``configuration``; drop rows of none."""
    return frame.merge(context_frame(*CONTEXTS), on=["prompt", "serialization"])
