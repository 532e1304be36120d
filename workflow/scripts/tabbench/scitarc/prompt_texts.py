"""Texts in which the prompts of the paper's print and of its released code differ.

The paper prints an abridged form (appendices B and D). The released code tells a model more: finer
operations, two more example plans, how COMPUTE is to be read, and more rules for the judge. Those
are in our own words, to the same content.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PromptSet = Literal["paper", "released"]


@dataclass(frozen=True)
class PromptTexts:
    """Parts of prompts.

    Attributes
    ----------
    operations : of the plan language, and rules for plans
    examples : plans that the first stage is shown, with their heading
    compute : how a plan's COMPUTE is to be read
    judge_rules : behind the requirement that no component is missing
    judge_numbers : behind that on numbers
    judge_guidelines : between the requirements and the examples
    judge_examples : pairs and their scores
    """

    operations: str
    examples: str
    compute: str
    judge_rules: str
    judge_numbers: str
    judge_guidelines: str
    judge_examples: str


_PAPER = PromptTexts(
    operations="""Operations:
- SELECT: Extract specific values or subsets from the table
- LOOP: Iterate over items (e.g., LOOP for each model)
- COMPUTE: Numerical operations (average, argmax, difference, etc.)
- IF: Conditional logic
- RETURN: State what to return for the final answer

Rules:
- Use exact syntax: "LOOP for each", "SELECT", "COMPUTE", "IF", "RETURN"
- Indent after LOOP and IF
- Use actual entity names, not generic "row" or "column\"""",
    examples="""Example Plan:
LOOP for each model
    SELECT accuracy on Dataset A
    SELECT accuracy on Dataset B
    COMPUTE average across datasets
COMPUTE best_model = argmax(average)
RETURN model with highest average accuracy""",
    compute="Perform the calculation described",
    judge_rules="",
    judge_numbers="",
    judge_guidelines="",
    judge_examples="""\
- Ground: "Japanese" | Prediction: "None. HTML2Text performs best in Japanese" -> 1.0
- Ground: "Adam" | Prediction: "Adam optimizer with 0.001 learning rate" -> 1.0
- Ground: "ResNet-50" | Prediction: "ResNet-50 and DenseNet-121" -> 0.5
- Ground: "4.2" | Prediction: "approximately 3.8" -> 0.0""",
)
_RELEASED = PromptTexts(
    operations="""Operations:
- SELECT: Take certain values or a part of the table (for instance, SELECT accuracy of RoBERTa)
- LOOP: Go through items one by one (for instance, LOOP for each language)
- COMPUTE: Calculate with numbers, step by step or in one phrase:
    * As a formula: COMPUTE mean = (value_A + value_B) / 2
    * As a phrase: COMPUTE average over all languages
    * With a name for the result: COMPUTE worst_model = argmin(accuracy)
    * To count: COMPUTE increment count
    * To compare: COMPUTE difference between method A and method B
- IF: Only under a condition (for instance, IF accuracy > baseline)
- RETURN: What the final answer is (for instance, RETURN language with the lowest accuracy)

Rules:
- Write the operations exactly so: "LOOP for each", "SELECT", "COMPUTE", "IF", "RETURN"
- Indent what belongs to a LOOP or an IF
- Name what the table is about (such as "model", "dataset" or "F1 score"), never "row" or "column"
- Where a question needs several tables, say which one is meant (for instance, SELECT from Table 1)
- An argmax, argmin or the like is one step and needs no LOOP
- Do not write "END LOOP\"""",
    examples="""Example plans:

Example 1:
LOOP for each model
    SELECT score on Task A
    SELECT score on Task B
    COMPUTE average of both tasks
COMPUTE best_model = argmax(average)
RETURN model with the highest average score

Example 2:
SELECT scores of RoBERTa and XLNet
COMPUTE difference = RoBERTa score - XLNet score
RETURN the difference

Example 3:
LOOP for each task
    SELECT score of method A
    SELECT score of method B
    IF method A > method B
        COMPUTE increment count_A_ahead
RETURN total count of A ahead""",
    compute=(
        "Perform the calculation described (a formula, or an operation in words such as "
        '"average", "argmax" or "difference")'
    ),
    judge_rules="""
- Mind what the QUESTION asks for: what else is mentioned may explain the answer (allowed) or be a \
further part of it (not allowed)""",
    judge_numbers=" (17.25% for 17.26% is fine; 17.25% for 16.75% and 4.2 for 3.8 are wrong)",
    judge_guidelines="""GUIDELINES:
- Spelling mistakes, typing errors and small changes of words do not matter
- Formatting, additional phrases and explanations do not matter as long as the core facts are right
- The order of words and light rephrasing do not matter
- Judge by the key facts alone
- Names of models must be exactly the same

""",
    judge_examples="""\
- Ground: "Japanese" | Prediction: "None. HTML2Text performs best in Japanese" -> 1.0 (it is named)
- Ground: "Humanitarian" | Prediction: "The humanitanian domain" -> 1.0 (a typing error)
- Ground: "Adam" | Prediction: "Adam optimizer with 0.001 learning rate" -> 1.0 (an explanation)
- Ground: "ResNet-50" | Prediction: "ResNet-50 and DenseNet-121" -> 0.5 (a further part)
- Ground: "French, German" | Prediction: "French shows improvement" -> 0.5 (German is missing)
- Ground: "4.2" | Prediction: "approximately 3.8" -> 0.0 (another number)""",
)
PROMPT_TEXTS: Mapping[PromptSet, PromptTexts] = {"paper": _PAPER, "released": _RELEASED}
