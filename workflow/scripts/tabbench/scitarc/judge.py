"""Verdicts on answers, by a language model as judge (second paper, section 3.2 and appendix B).

Scores are 1, 0.5 or 0; only 1 is correct. A verdict that cannot be read is requested once more. If
that fails too, the judge has failed; failures are counted separately and never as 0.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from tabbench.core.files import writable
from tabbench.core.thinking import without_thought
from tabbench.inference.engines.base import Decoding
from tabbench.scitarc.matcher import match
from tabbench.scitarc.prompt_texts import PROMPT_TEXTS, PromptSet

DECODING = Decoding(max_new_tokens=512, stop=("[Evaluation End]",))
"""Of the released judge, Llama-3.3-70B-Instruct."""

_PROMPT = """You are evaluating a table QA system. Compare the predicted answer against the ground \
truth answer.

SCORING RULES (follow exactly):
- 1.0: CORRECT - Prediction contains the same core factual information as ground truth
- 0.5: PARTIALLY CORRECT - Prediction has some correct information but missing key parts
- 0.0: INCORRECT - Prediction is factually wrong or completely unrelated

CRITICAL REQUIREMENTS:
- ALL components in ground truth MUST be mentioned in prediction
- If ground truth has multiple parts, prediction must include ALL parts
- Missing ANY component = maximum score 0.5{rules}
- Adding extra components not in ground truth = maximum score 0.5
- Numbers must be nearly identical - only final digit can differ by ±1{numbers}

{guidelines}EXAMPLES:
{examples}

CRITICAL: Return ONLY this exact JSON format with start/end tags:
[Evaluation Start]
{{"reasoning": "Brief explanation", "score": 1.0}}
[Evaluation End]

Now evaluate:

Question: {question}
Ground Truth: {gold}
Prediction: {prediction}
{reminder}
[Evaluation Start]"""
_EXAMPLE = "Brief explanation"
"""The reasoning of the prompt's own record, which a judge may copy."""
_REMINDER = """
Your last verdict could not be read. Write the JSON alone, with a score of 0.0, 0.5 or 1.0.
"""

Status = Literal[
    "correct", "partly correct", "wrong", "no answer", "judge failed", "too_long", "refused"
]
_BY_SCORE: dict[float, Status] = {1.0: "correct", 0.5: "partly correct", 0.0: "wrong"}


class Item(NamedTuple):
    """What is judged.

    Attributes
    ----------
    prediction : None when no answer was found
    passage : what a model is given in its place; None where the prediction is sure
    """

    question: str
    gold: str
    prediction: str | None
    passage: str | None = None


@dataclass(frozen=True)
class Verdict:
    """``score`` is 1, 0.5, 0, or None when the judge failed.

    Attributes
    ----------
    reasoning : the judge's, or the matcher's; what a failed judge said last
    asked : number of requests to a model; 0 for the matcher's verdicts and for a missing answer,
        which is wrong without a judge
    """

    status: Status
    score: float | None
    reasoning: str = ""
    asked: int = 0

    @property
    def correct(self) -> bool | None:
        """The binarised score; None when the judge failed."""
        return None if self.score is None else self.score == 1.0


NO_ANSWER = Verdict("no answer", 0.0)
UNANSWERED: dict[str, Verdict] = {
    "too_long": Verdict("too_long", None),
    "refused": Verdict("refused", None),
}
"""Where a model gave no response, by the source of its answer: nothing is right or wrong there."""


def judge_prompt(item: Item, again: bool = False, prompts: PromptSet = "paper") -> str:
    """The judge's prompt, with the braces of its JSON that the paper's print has lost.

    Parameters
    ----------
    again : whether a verdict could not be read; adds a sentence, as a judge at temperature 0 would
        only repeat itself
    prompts : of the paper or of the released code
    """
    texts = PROMPT_TEXTS[prompts]
    return _PROMPT.format(
        rules=texts.judge_rules,
        numbers=texts.judge_numbers,
        guidelines=texts.judge_guidelines,
        examples=texts.judge_examples,
        question=item.question,
        gold=item.gold,
        prediction=item.passage or item.prediction,
        reminder=_REMINDER if again else "",
    )


_SCORE = re.compile(
    r"\bscore\b[\"'*`]*\s*(?:[:=]|\bis\b)\s*[\"'*`]*(?P<score>\d+(?:\.\d+)?)(?!\.?\d|\s*[/%])",
    re.IGNORECASE,
)
_KEYED = re.compile(r'"score"\s*:\s*"?(?P<score>\d+(?:\.\d+)?)')
_JSON = json.JSONDecoder(strict=False)


def parse_verdict(response: str) -> tuple[float, str] | None:
    """Score and reasoning of a judge's response; None when they cannot be read.

    A block of thinking is passed over, and so is a copy of the prompt's own example in front of a
    verdict; alone, its words are those of a verdict without a reason. The JSON counts; without one
    that can be read, the only score that is named. A thought that is not closed cannot be read, nor
    a score other than 0, 0.5 and 1, nor two that differ.

    Examples
    --------
    >>> parse_verdict('{"reasoning": "same name", "score": 1.0}')
    (1.0, 'same name')
    """
    text = without_thought(response)
    if text is None:
        return None
    records, rest = _records(text.split("[Evaluation End]")[0])
    own = [one for one in records if str(one.get("reasoning")).strip(" .") != _EXAMPLE] or records
    named = (_KEYED if own else _SCORE).finditer(rest)  # a broken record may still name its score
    scores = {_on_scale(one["score"]) for one in (*own, *(found.groupdict() for found in named))}
    if len(scores) != 1 or (score := scores.pop()) is None:
        return None
    reasoning = str(own[0].get("reasoning") or "") if own else rest.strip()
    return score, writable(reasoning)


def _records(text: str) -> tuple[list[dict[str, Any]], str]:
    """The JSON records with a score, and the text around them."""
    found, rest, at = [], "", 0
    while (start := text.find("{", at)) >= 0:
        rest += text[at:start]
        try:
            record, at = _JSON.raw_decode(text, start)
        except (ValueError, RecursionError):
            record, at = {}, start + 1
        if "score" in record:
            found.append(record)
        else:
            rest += text[start:at]
    return found, rest + text[at:]


def _on_scale(score: Any) -> float | None:
    try:
        value = float(score)
    except (ValueError, TypeError, OverflowError):
        return None
    return value if value in _BY_SCORE else None


def judge(
    items: Sequence[Item],
    ask: Callable[[list[str]], list[str]],
    prompts: PromptSet = "paper",
) -> list[Verdict]:
    """Judge all items, those with an unreadable verdict twice.

    A response in which no answer was found is judged as a whole; only an empty one has none.

    Parameters
    ----------
    ask : from prompts to responses, in their order; called once or twice
    prompts : of the paper or of the released code

    Returns
    -------
    list of verdicts, in the order of the items
    """
    verdicts: list[Verdict] = [NO_ANSWER] * len(items)
    open_items = [
        at for at, item in enumerate(items) if (item.passage or item.prediction or "").strip()
    ]
    for again in (False, True):
        if not open_items:
            break
        responses = ask([judge_prompt(items[at], again, prompts) for at in open_items])
        for at, response in zip(open_items, responses, strict=True):
            verdicts[at] = _verdict(response, verdicts[at].asked + 1)
        open_items = [at for at in open_items if verdicts[at].score is None]
    return verdicts


MATCHER = "matcher"
"""Name of the judge without a language model."""
_THEN = f"{MATCHER}+"


def judge_name(setting: str | Mapping[str, str]) -> str:
    """Name of a configured judge: the matcher, a model, or the matcher and then a model.

    Examples
    --------
    >>> judge_name("llama3_3_70b"), judge_name({"matcher_then": "llama3_3_70b"})
    ('llama3_3_70b', 'matcher+llama3_3_70b')
    """
    return setting if isinstance(setting, str) else _THEN + setting["matcher_then"]


def judging_model(name: str) -> str | None:
    """The model that a judge of this name asks; None for the matcher alone."""
    return None if name == MATCHER else name.removeprefix(_THEN)


def is_combined(name: str) -> bool:
    """Whether the matcher judges first and a model what it is not sure of."""
    return name.startswith(_THEN)


def judge_by_matcher(items: Sequence[Item]) -> list[Verdict]:
    """Judge all predictions by `matcher.match`, which never fails and sends no request."""
    return [_matched(item)[0] for item in items]


def judge_unsure_by(
    judge_rest: Callable[[Sequence[Item]], list[Verdict]], items: Sequence[Item]
) -> list[Verdict]:
    """Judge by the matcher where it is sure, and the others by another judge.

    It is not sure where it is unsure which text is the answer (`Item.passage`), nor where
    `matcher.Match.sure` says so.
    """
    matched = [_matched(item) for item in items]
    unsure = [item for item, (_, sure) in zip(items, matched, strict=True) if not sure]
    others = iter(judge_rest(unsure) if unsure else ())
    return [verdict if sure else next(others) for verdict, sure in matched]


def _matched(item: Item) -> tuple[Verdict, bool]:
    """The matcher's verdict, and whether it is sure."""
    if not (item.prediction or "").strip():
        return NO_ANSWER, item.passage is None
    found = match(item.gold, item.prediction)
    verdict = Verdict(_BY_SCORE[found.score], found.score, found.reason)
    return verdict, found.sure and item.passage is None


def _verdict(response: str, asked: int) -> Verdict:
    parsed = parse_verdict(response)
    if parsed is None:
        return Verdict("judge failed", None, writable(response), asked)
    score, reasoning = parsed
    return Verdict(_BY_SCORE[score], score, reasoning, asked)
