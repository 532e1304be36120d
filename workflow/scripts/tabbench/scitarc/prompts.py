"""Prompts of the second paper (section D) or of its released code, and decoding of responses.

A condition is a plan mode times an execution mode. ``self`` has two stages: the model writes a
plan, then executes it in a fresh context, with the prompt that a gold plan has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tabbench.inference.engines.base import Decoding
from tabbench.scitarc.dataset import Question
from tabbench.scitarc.prompt_texts import PROMPT_TEXTS, PromptSet

PlanMode = Literal["none", "self", "gold"]
Execution = Literal["language", "code"]
PLAN_MODES: tuple[PlanMode, ...] = ("none", "self", "gold")
EXECUTIONS: tuple[Execution, ...] = ("language", "code")

PLAN_TITLES: Mapping[PlanMode, str] = {"none": "Direct", "self": "Autonomous", "gold": "Oracle"}
METHODS: Mapping[Execution, str] = {"language": "CoT", "code": "PoT"}


class Condition(NamedTuple):
    """Condition of a question; ``shots`` is the number of demonstrations, 0 or 2 in the paper."""

    plan_mode: PlanMode
    execution: Execution
    shots: int = 0


FAITHFUL = Decoding(max_new_tokens=2048, temperature=0.1, top_p=0.95, repetition_penalty=1.05)
"""Of the released code, which puts its prompts as plain texts to go on from, without a template."""

_ANSWER_CUE = 'Your final response should be "Answer:" followed by the answer.'
_READING_GUIDE = """How to read the plan:
- SELECT: Look up and extract the specified values from the table
- LOOP for each X: Repeat the indented steps for every X
- COMPUTE: {compute}
- IF: Only do the indented steps when the condition is true
- RETURN: This is the final answer to provide"""

_LANGUAGE = """You are a helpful science assistant who answers questions about information in \
tables.

Here is the relevant tabular data:

{tables}

You may think through the question step by step. {cue}

Question: {question}
"""
_LANGUAGE_WITH_PLAN = """You are a helpful science assistant who answers questions about \
information in tables.

Here is the relevant tabular data:

{tables}

Here is a step-by-step plan to follow:

{plan}

{guide}

Follow this plan carefully step by step to answer the question. {cue}

Question: {question}
"""
_CODE = """Write Python code to analyze the table and answer the question.

Table:
{tables}

Question: {question}

Write Python code that prints the final answer.
"""
_CODE_WITH_PLAN = """Write Python code to analyze the table and answer the question.

Table:
{tables}

Here is a step-by-step plan to implement:

{plan}

{guide}

Question: {question}

Write Python code that implements this plan and prints the final answer.
"""
_PLANNING = """You are a helpful assistant that creates step-by-step plans for answering questions \
about tables.

{operations}

{examples}

Table:
{tables}

Question: {question}

Write a concise step-by-step plan using the operations above. Do not solve it, just write the plan:
"""


def serialize_tables(question: Question) -> str:
    """The tables that a question needs, in their LaTeX, with a blank line between them."""
    return "\n\n".join(question.relevant_tables)


@dataclass(frozen=True)
class Demonstration:
    """A solved question for the two-shot ablation (section G).

    Attributes
    ----------
    question : held out from what is scored
    trace : the reasoning in words, or Python code that prints the answer
    plan : shown with the gold plan's prompts
    """

    question: Question
    trace: str
    plan: str


def planning_prompt(question: Question, prompts: PromptSet = "paper") -> str:
    """The first stage of plan mode ``self`` (Table 9)."""
    texts = PROMPT_TEXTS[prompts]
    return _PLANNING.format(
        operations=texts.operations,
        examples=texts.examples,
        tables=serialize_tables(question),
        question=question.question,
    )


def execution_prompt(
    question: Question,
    execution: Execution,
    plan: str | None = None,
    demonstrations: Sequence[Demonstration] = (),
    prompts: PromptSet = "paper",
) -> str:
    """The prompt whose response holds the answer (Tables 8 and 10).

    The paper does not print how demonstrations are joined to it; here each is the same prompt for
    its own question, followed by its trace and answer.

    Parameters
    ----------
    plan : of the model or of the data; None for direct inference
    prompts : of the paper or of the released code; without a plan they are the same
    """
    shown = [_demonstrated(one, execution, plan is not None, prompts) for one in demonstrations]
    return "\n".join([*shown, _execution(question, execution, plan, prompts)])


def _execution(
    question: Question, execution: Execution, plan: str | None, prompts: PromptSet
) -> str:
    templates = {
        "language": (_LANGUAGE, _LANGUAGE_WITH_PLAN),
        "code": (_CODE, _CODE_WITH_PLAN),
    }
    return templates[execution][plan is not None].format(
        tables=serialize_tables(question),
        question=question.question,
        plan=plan,
        guide=_READING_GUIDE.format(compute=PROMPT_TEXTS[prompts].compute),
        cue=_ANSWER_CUE,
    )


def _demonstrated(
    one: Demonstration, execution: Execution, with_plan: bool, prompts: PromptSet
) -> str:
    asked = _execution(one.question, execution, one.plan if with_plan else None, prompts)
    if execution == "code":
        return f"{asked}\n```python\n{one.trace.strip()}\n```\n"
    return f"{asked}\n{one.trace.strip()}\nAnswer: {one.question.answer}\n"
