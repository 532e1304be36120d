"""From answers to scores: every answer is judged by one judge, without a model or with one."""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd

from tabbench.inference.engines.base import Failure, Message, TextRequest
from tabbench.inference.texts import AskTexts
from tabbench.scitarc.answer_ids import answer_id
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.exact_match import exact_match, exact_match_normalised
from tabbench.scitarc.judge import (
    DECODING,
    UNANSWERED,
    Item,
    Verdict,
    is_combined,
    judge,
    judge_by_matcher,
    judge_unsure_by,
)
from tabbench.scitarc.prompt_texts import PromptSet
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.schemas.scores import SCITARC_SCORES

JudgeAll = Callable[[Sequence[Item]], list[Verdict]]


def judge_by_model(ask: AskTexts, plain: bool, prompts: PromptSet = "paper") -> JudgeAll:
    """A judge that is a language model.

    Parameters
    ----------
    plain : whether prompts are sent without the model's chat template
    prompts : of the paper or of the released code
    """

    def responses(prompts: list[str]) -> list[str]:
        requests = [
            TextRequest(request_name(one), (Message("user", one),), DECODING, plain=plain)
            for one in prompts
        ]
        # A verdict that is refused is one that cannot be read.
        return ["" if isinstance(one, Failure) else one.text for one in ask(requests)]

    return lambda items: judge(items, responses, prompts)


def judge_named(name: str, by_model: JudgeAll | None) -> JudgeAll:
    """The judge of a name, see `judge.judge_name`.

    Parameters
    ----------
    by_model : the judge that is a model; None for the matcher alone
    """
    if by_model is None:
        return judge_by_matcher
    return partial(judge_unsure_by, by_model) if is_combined(name) else by_model


def request_name(prompt: str) -> str:
    """Name of a request for a verdict, by which a recorded verdict is found."""
    return f"judge/{hashlib.sha256(prompt.encode()).hexdigest()[:12]}"


def score_answers(
    answers: pd.DataFrame, questions: Sequence[Question], judge_all: JudgeAll, name: str
) -> pd.DataFrame:
    """Judge answers.

    Parameters
    ----------
    answers : DataFrame with the columns of ``schemas.SCITARC_ANSWERS``
    questions : those of the answers, each with a gold answer
    name : of the judge

    Returns
    -------
    DataFrame with the columns of ``schemas.SCITARC_SCORES``, in the order of ``answers``
    """
    by_row = {one.row: one for one in questions}
    given = answers.to_dict("records")
    items = [
        Item(
            by_row[one["row"]].question,
            by_row[one["row"]].answer or "",
            _text(one["prediction"]),
            _text(one["passage"]),
        )
        for one in given
    ]
    rows = [
        scored_row(
            one["model"],
            Condition(one["plan_mode"], one["execution"], one["shots"]),
            one["row"],
            item.gold,
            item.prediction,
            _text(one["released"]),
            one["source"],
            UNANSWERED.get(one["source"], verdict),
            name,
            one["seed"],
            answer_id(one, item.gold),
        )
        for one, item, verdict in zip(given, items, judge_all(items), strict=True)
    ]
    return pd.DataFrame(rows, columns=SCITARC_SCORES.names)


def _text(value: Any) -> str | None:
    return None if pd.isna(value) else str(value)


def scored_row(
    model: str,
    condition: Condition,
    row: int,
    gold: str,
    prediction: str | None,
    released: str | None,
    source: str,
    verdict: Verdict,
    judge: str,
    seed: int = 0,
    id: str = "",
) -> dict[str, Any]:
    """One row of ``schemas.SCITARC_SCORES``.

    Parameters
    ----------
    released : what the released code takes as the answer, for its exact match
    source : form of the extracted answer, or status of the program that printed it
    judge : name of the judge
    seed : of the sampling
    id : of the answer, see `answer_ids.answer_id`
    """
    return {
        "model": model,
        **condition._asdict(),
        "seed": seed,
        "row": row,
        "id": id,
        "gold": gold,
        "prediction": prediction,
        "source": source,
        "judge": judge,
        "status": verdict.status,
        "score": verdict.score,
        "correct": verdict.correct,
        "reasoning": verdict.reasoning,
        "asked": verdict.asked,
        "exact_match": exact_match(released, gold),
        "exact_match_normalised": exact_match_normalised(prediction, gold),
    }
