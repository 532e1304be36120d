"""A question with its plan, its computed answer and the tables that it is about."""

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent
from typing import Any, Literal

Table = Callable[[], list[str]]


@dataclass(frozen=True)
class Question:
    """``plan`` may be indented as the code around it; ``tables`` typeset one table each."""

    paper: Literal["llmtabbench", "scitarc"]
    question: str
    plan: str
    answer: str
    tables: tuple[Table, ...]

    @property
    def plan_lines(self) -> list[str]:
        return dedent(self.plan).strip().split("\n")

    def record(self) -> dict[str, Any]:
        """The question in the published format."""
        return {
            "paper": self.paper,
            "question": " ".join(self.question.split()),
            "answer": self.answer,
            "plan": "\n".join(self.plan_lines),
            "relevant_tables": [typeset() for typeset in self.tables],
            "tables": [],
            "fulltext": "",
        }
