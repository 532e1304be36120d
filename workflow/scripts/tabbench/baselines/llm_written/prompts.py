"""Prompts of the methods. None contains a test row, or a label other than its examples'."""

import json
from collections.abc import Mapping, Sequence

import pandas as pd

from tabbench.baselines.llm_written.methods import METHODS, RULES_PER_CLASS, Method
from tabbench.baselines.llm_written.queries import Query
from tabbench.config.dataset_entry import TaskText
from tabbench.prompts.serialize import SERIALIZATIONS, format_cell

_RULES = """\
You know this field and extract, from what you know{and_examples}, conditions that tell the two
classes of a task apart.

{task}

Features:
{features}
{examples}
First say in one short sentence for each feature how it bears on the task. Then, from
that{and_examples}, write {count} different conditions for each class that speak for it. Each is
on one feature or a few, with concrete thresholds or categories. Use this form:

Rules for class 0:
1. ...

Rules for class 1:
1. ..."""

_CODE = """\
Write each of these rules as a Python function of its own, named class0_rule1, class0_rule2 and so
on for class 0, class1_rule1 and so on for class 1. Each takes `row` and returns True where its
condition holds, else False.

{row}
Use the standard library only. Give one block of Python and nothing else."""

_TREE = """\
You know this field and build decision trees from that knowledge alone, without data.

{task}

Features:
{features}

Build a decision tree for this task of at most {depth} levels, on the features that matter most.
Write it as one Python function `predict(row)` that returns, at each leaf, the probability of class
1 there as you judge it: a number from 0 to 1 that says how sure you are, not only 0 or 1.

{row}
Every row must reach a leaf. Use the standard library only. Give one block of Python and nothing
else."""

_ROW = """\
`row` is a dict from feature names, spelled as above, to values: numbers are float, categories are
str as in the quotes above, a missing value is None."""


def turns(
    query: Query,
    task: TaskText,
    features: pd.DataFrame,
    labels: Mapping[int, int],
    values: Mapping[str, Sequence[str]],
) -> tuple[str, ...]:
    """Return the prompts of a query, one text for each turn of its method.

    Parameters
    ----------
    features : one row per row id (the index); only those of the examples are read
    labels : of the examples, by row id
    values : categorical column to its values; see `known_values`
    """
    method = METHODS[query.method]
    columns = query.columns(list(features.columns))
    shown = "\n".join(_feature(name, values, method) for name in columns)
    about = _task(task)
    if not method.few_shot:
        return (_TREE.format(task=about, features=shown, depth=method.depth, row=_ROW),)
    examples = _examples(features.loc[query.examples(labels), columns], labels)
    rules = _RULES.format(
        task=about,
        features=shown,
        examples=f"\nExamples:\n{examples}\n" if examples else "",
        and_examples=" and the examples" if examples else "",
        count=RULES_PER_CLASS,
    )
    return rules, _CODE.format(row=_ROW)


def known_values(training: pd.DataFrame) -> dict[str, list[str]]:
    """Return the values of each text column of the training rows, the most frequent first."""
    text = training.select_dtypes(exclude="number")
    return {
        str(name): column.value_counts()
        .sort_index()
        .sort_values(ascending=False, kind="stable")
        .index.tolist()
        for name, column in text.items()
    }


def _task(task: TaskText) -> str:
    entity = f" of {task.entity}" if task.entity else ""
    return (
        f"Task: for the given features{entity} predict {task.task}.\n"
        f"Class 0: {task.negative}. Class 1: {task.positive}."
    )


def _feature(name: str, values: Mapping[str, Sequence[str]], method: Method) -> str:
    """Describe a feature; of many values FeatLLM lists three, trees the most frequent ones."""
    if name not in values:
        return f"- {name}: a number"
    known = values[name]
    shown, more = sorted(known), ""
    if len(known) > method.most_values:
        ordered = shown
        shown = sorted(known[: method.most_values])
        if method.few_shot:
            shown = [*ordered[:2], ordered[-1]]
        more = ", or another value"
    listed = ", ".join(json.dumps(value, ensure_ascii=False) for value in shown)
    return f"- {name}: one of {listed}{more}"


def _examples(rows: pd.DataFrame, labels: Mapping[int, int]) -> str:
    written = SERIALIZATIONS["feat_val"]
    return "".join(
        written.row(list(rows.columns), [format_cell(cell) for cell in cells])
        + written.close(labels[row])
        for row, cells in zip(rows.index, rows.itertuples(index=False), strict=True)
    ).strip()
