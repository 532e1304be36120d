"""Prompts of a condition, and the rows for which it has none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.dataset import Question, usable
from tabbench.scitarc.prompt_texts import PromptSet
from tabbench.scitarc.prompts import Condition, Demonstration, execution_prompt, planning_prompt


@dataclass(frozen=True)
class QuestionRequest:
    """One prompt of one condition; ``stage`` is plan or execute."""

    row: int
    condition: Condition
    stage: Literal["plan", "execute"]
    prompt: str


@dataclass(frozen=True)
class QuestionRequests:
    """The prompts, and the rows without one, with the reason."""

    asks: tuple[QuestionRequest, ...]
    left_out: tuple[str, ...]


def planning_asks(
    questions: Sequence[Question],
    condition: Condition,
    demonstrations: Sequence[Demonstration] = (),
    prompts: PromptSet = "paper",
) -> QuestionRequests:
    """First-stage prompts of a condition; none unless its plan mode is ``self``.

    The planning prompt has no demonstrations; ``demonstrations`` are only held out.
    """
    if condition.plan_mode != "self":
        return QuestionRequests((), ())
    chosen = usable(questions, with_plan=False, without=_shown(demonstrations))
    asks = tuple(
        QuestionRequest(one.row, condition, "plan", planning_prompt(one, prompts))
        for one in chosen.questions
    )
    return QuestionRequests(asks, chosen.left_out)


def execution_asks(
    questions: Sequence[Question],
    condition: Condition,
    plans: Mapping[int, str] | None = None,
    demonstrations: Sequence[Demonstration] = (),
    prompts: PromptSet = "paper",
) -> QuestionRequests:
    """Prompts of a condition whose responses hold the answers.

    Parameters
    ----------
    plans : plan by row from the first stage, for plan mode ``self`` alone
    demonstrations : as many as the condition has shots; their questions are held out

    Raises
    ------
    TabBenchError
        When plans or demonstrations are missing.
    """
    if condition.shots != len(demonstrations):
        raise TabBenchError(
            f"{condition}: {len(demonstrations)} demonstrations for {condition.shots} shots"
        )
    gold = condition.plan_mode == "gold"
    chosen = usable(questions, with_plan=gold, without=_shown(demonstrations))
    own = plans or {}
    missing = [one.row for one in chosen.questions if one.row not in own]
    if condition.plan_mode == "self" and missing:
        raise TabBenchError(
            f"{condition}: rows {missing} have no plan of the model; ask the first stage first"
        )
    asks = []
    for one in chosen.questions:
        plan = {"none": None, "self": own.get(one.row), "gold": one.plan}[condition.plan_mode]
        prompt = execution_prompt(one, condition.execution, plan, demonstrations, prompts)
        asks.append(QuestionRequest(one.row, condition, "execute", prompt))
    return QuestionRequests(tuple(asks), chosen.left_out)


def _shown(demonstrations: Sequence[Demonstration]) -> list[Question]:
    return [one.question for one in demonstrations]
