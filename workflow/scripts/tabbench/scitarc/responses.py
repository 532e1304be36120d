"""Responses of a model under each condition: plans first, then answers in a fresh context."""

from collections.abc import Mapping, Sequence
from typing import Literal

import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import Decoding, Failure, Message, TextOutcome, TextRequest
from tabbench.inference.texts import AskTexts
from tabbench.sandbox.model_code import split_fences
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.prompt_texts import PromptSet
from tabbench.scitarc.prompts import Condition, Demonstration, Execution
from tabbench.scitarc.requests import QuestionRequest, execution_asks, planning_asks
from tabbench.scitarc.schemas.responses import SCITARC_RESPONSES

PlanStatus = Literal["whole", "cut", "empty"]


def ask_conditions(
    questions: Sequence[Question],
    demonstrations: Mapping[Execution, Sequence[Demonstration]],
    conditions: Sequence[Condition],
    ask: AskTexts,
    decoding: Decoding,
    plain: bool,
    prompts: PromptSet = "paper",
    seeds: Sequence[int] = (0,),
) -> pd.DataFrame:
    """Ask one model all questions under all conditions, once with each seed of the sampling.

    The first stage of plan mode ``self`` is the same under every condition, and is asked once. A
    plan that is cut or empty is carried out as it is, and ``plan_status`` says so.

    Parameters
    ----------
    plain : whether prompts are sent without the model's chat template
    prompts : of the paper or of the released code
    seeds : of the sampling; plans are sampled with the seed of the answers that follow them

    Returns
    -------
    DataFrame with the columns of ``schemas.SCITARC_RESPONSES``, the model left open; one row per
    seed, question and condition, in the order of ``seeds``

    Raises
    ------
    TabBenchError
        When there are fewer demonstrations than a condition needs.
    """
    shown = {one: _shown(demonstrations[one.execution], one) for one in conditions}
    return pd.concat(
        [
            _ask_once(questions, shown, ask, decoding, plain, prompts, seed).assign(seed=seed)
            for seed in seeds
        ],
        ignore_index=True,
    )[[name for name in SCITARC_RESPONSES.names if name != "model"]]


def _ask_once(
    questions: Sequence[Question],
    shown: Mapping[Condition, Sequence[Demonstration]],
    ask: AskTexts,
    decoding: Decoding,
    plain: bool,
    prompts: PromptSet,
    seed: int,
) -> pd.DataFrame:
    """Ask all questions under all conditions with one seed, each stage in one go."""
    conditions = list(shown)
    first = [
        one
        for made in conditions
        for one in planning_asks(questions, made, shown[made], prompts).asks
    ]
    written = ask([_request(one, decoding, plain, seed) for one in first])
    plans: dict[Condition, dict[int, str]] = {one: {} for one in conditions}
    unplanned: list[tuple[QuestionRequest, TextOutcome]] = []
    statuses: dict[tuple[Condition, int], PlanStatus] = {}
    for one, text in zip(first, written, strict=True):
        if isinstance(text, Failure):
            unplanned.append((one, text))
            continue
        plan = plans[one.condition][one.row] = read_plan(text.text)
        statuses[one.condition, one.row] = _status(plan, text.ended)
    second: list[QuestionRequest] = []
    for made in conditions:
        lost = {one.row for one, _ in unplanned if one.condition == made}
        planned = [one for one in questions if one.row not in lost]
        chosen = execution_asks(planned, made, plans[made], shown[made], prompts)
        second += chosen.asks
        print(f"{made}: {len(chosen.asks)} questions", *chosen.left_out, sep="; ")
    texts = ask([_request(one, decoding, plain, seed) for one in second])
    gold = {one.row: one.plan for one in questions}
    rows = [
        {
            **one.condition._asdict(),
            "row": one.row,
            "plan": {"none": None, "gold": gold[one.row]}.get(
                one.condition.plan_mode, plans[one.condition].get(one.row)
            ),
            "plan_status": statuses.get((one.condition, one.row), ""),
            "prompt": one.prompt,
            **_response(text),
        }
        for one, text in [*zip(second, texts, strict=True), *unplanned]
    ]
    unknown = ("model", "seed")
    return pd.DataFrame(
        rows, columns=[name for name in SCITARC_RESPONSES.names if name not in unknown]
    )


def _response(text: TextOutcome) -> dict[str, object]:
    """Columns of what a model wrote, or of why it did not."""
    if isinstance(text, Failure):
        nothing = {"prompt_tokens": 0, "completion_tokens": 0, "seconds": 0.0}
        return {"response": "", "failure": text.outcome, "ended": True, **nothing}
    return {
        "response": text.text,
        "failure": "",
        "ended": text.ended,
        "prompt_tokens": text.prompt_tokens,
        "completion_tokens": text.completion_tokens,
        "seconds": text.seconds,
    }


def read_plan(response: str) -> str:
    """The plan in the response to `prompts.planning_prompt`: its first fenced block, or all of it.

    The thinking block of a reasoning model is no part of it; an unclosed block leaves "".
    """
    outside, blocks = split_fences(response)
    return (blocks[0][1] if blocks else outside).strip("\n").rstrip()


def _status(plan: str, ended: bool) -> PlanStatus:
    if not plan.strip():
        return "empty"
    return "whole" if ended else "cut"


def _shown(there: Sequence[Demonstration], condition: Condition) -> Sequence[Demonstration]:
    if len(there) < condition.shots:
        raise TabBenchError(
            f"SciTaRC: {condition.shots} demonstrations are configured, but there are "
            f"{len(there)}; lower the shots of scitarc.runs, or name a file with more as "
            f"scitarc.demonstrations"
        )
    return there[: condition.shots]


def _request(one: QuestionRequest, decoding: Decoding, plain: bool, seed: int) -> TextRequest:
    plan_mode, execution, shots = one.condition
    part = "plan" if one.stage == "plan" else f"{plan_mode}-{execution}-{shots}"
    name = f"scitarc/{part}/seed{seed}/{one.row}" if seed else f"scitarc/{part}/{one.row}"
    return TextRequest(name, (Message("user", one.prompt),), decoding, seed, plain)
