"""From the three answers of a dialogue to a labelled table and its rules (sections A-D, C-D)."""

import inspect
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from tabbench.config.dataset_entry import TaskText
from tabbench.core.numbers import keeps_integer_part
from tabbench.core.schemas.table import is_reserved
from tabbench.sandbox.model_code import (
    UnusableAnswerError,
    program,
    rule_block,
    rule_functions,
    table_functions,
)
from tabbench.sandbox.sandbox import Kind, Limits, run
from tabbench.synthetic import driver as llm_table_driver

SEED = 42
FEWEST_ROWS = 60
SMALLEST_CLASS = 0.05
"""Share of the rows; of 1,000 rows it leaves enough of each class for 64 examples."""

_LONGEST = 200
"""Characters of a cell; the driver cuts longer ones."""

Scalar = str | bool | int | float | None


class LabelledTable(NamedTuple):
    """``table`` has the columns of ``schemas.TABLE``; ``rules`` is the block of the prompt."""

    table: pd.DataFrame
    rules: str


def make_table(answers: Sequence[str], task: TaskText, rows: int, sandbox: Kind) -> LabelledTable:
    """Run the code of a dialogue in the sandbox and label its rows.

    A row is class 1 when at least one of the three rules fires. Columns that turn 2 draws for the
    label itself are left out: the rules are the label.

    Parameters
    ----------
    answers : texts of the three turns
    rows : rows asked of the data-generating function

    Raises
    ------
    UnusableAnswerError
        When code is missing or fails, or its table is not what turn 1 describes.
    TabBenchError
        When the sandbox cannot be set up.
    """
    schema, second, third = answers
    table_code, rule_code = program(second, "turn 2"), program(third, "turn 3")
    rules = rule_functions(rule_code, list(table_code.functions), "turn 3")
    inputs = {
        "table_code": table_code.text,
        "table_functions": table_functions(table_code),
        "rule_code": rule_code.text,
        "rules": rules,
        "targets": sorted(target_names(schema)),
        "rows": rows,
        "seed": SEED,
    }
    outcome = run(inspect.getsource(llm_table_driver), inputs, sandbox, Limits())
    if outcome.status != "ok":
        raise UnusableAnswerError(f"its code ended with '{outcome.status}': {outcome.message}")
    made = _made(outcome.value)
    return _checked(made, schema, task, rows, partial(rule_block, third, rule_code, rules))


class _Made(NamedTuple):
    """What the driver returns: cells of each column and values of each rule, all of one length."""

    columns: list[tuple[str, list[Scalar]]]
    rules: dict[str, list[Scalar]]
    counted: bool


def _made(value: Any) -> _Made:
    """Check the form of what came back: code that a model wrote ran in the driver's process."""
    match value:
        case {"columns": list(columns), "rules": dict(rules), "counted": bool(counted)}:
            named = all(
                isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)
                for pair in columns
            )
            lists = [pair[1] for pair in columns] + list(rules.values()) if named else []
            if lists and all(map(_is_column, lists)) and len({len(one) for one in lists}) == 1:
                return _Made([(name, cells) for name, cells in columns], rules, counted)
    raise UnusableAnswerError("its code returned a result of an unexpected form")


def _is_column(cells: Any) -> bool:
    return isinstance(cells, list) and all(
        cell is None
        or isinstance(cell, bool | int | float)
        or (isinstance(cell, str) and len(cell) <= _LONGEST)
        for cell in cells
    )


def _checked(
    made: _Made,
    schema: str,
    task: TaskText,
    rows: int,
    block: Callable[[Sequence[str]], str],
) -> LabelledTable:
    """Validate what came out of the sandbox; ``block`` gives the rules for the features' names."""
    features = {name: _feature(name, cells) for name, cells in made.columns}
    count = len(next(iter(features.values()), []))
    wanted = rows if made.counted else min(rows, FEWEST_ROWS)
    if count < wanted or count > rows:
        raise UnusableAnswerError(f"the table has {count} row(s), expected {rows}")
    if len(features) < 2 or len(features) < len(made.columns):
        raise UnusableAnswerError(f"the table's columns are {[one for one, _ in made.columns]}")
    named = _normal(schema)
    strange = [name for name in features if not _normal(name) or _normal(name) not in named]
    reserved = [name for name in features if is_reserved(name)]
    if reserved:
        raise UnusableAnswerError(f"its feature(s) {reserved} are called as labels or rows are")
    if strange:
        raise UnusableAnswerError(f"turn 1 names no feature(s) {strange}, and turn 2 makes them")
    fired = [fires(values, task) for values in made.rules.values()]
    y = [int(any(row)) for row in zip(*fired, strict=True)]
    smallest = min(sum(y), count - sum(y))
    if smallest < SMALLEST_CLASS * count:
        raise UnusableAnswerError(
            f"the rules give {sum(y)} of {count} rows class 1; a class needs "
            f"{SMALLEST_CLASS:.0%} of the rows"
        )
    table = pd.DataFrame({"row_id": range(count), "y": y, **features})
    return LabelledTable(table, block(list(features)))


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _feature(name: str, cells: Sequence[Scalar]) -> pd.Series:
    present = [cell for cell in cells if cell is not None]
    if not present:
        raise UnusableAnswerError(f"feature '{name}' is missing in every row")
    if all(
        isinstance(cell, int | float)
        and not isinstance(cell, bool)
        and keeps_integer_part(repr(cell))
        for cell in present
    ):
        return pd.Series(cells, dtype="float64")
    return pd.Series([None if cell is None else str(cell) for cell in cells], dtype="str")


_TARGET = re.compile(r"\b(target|label|outcome|dependent variable|to predict)\b", re.IGNORECASE)
_MARKED = re.compile(r"[`*]+\s*([A-Za-z_][\w ()/-]*?)\s*:?\s*[`*]+")
_FIRST = re.compile(rf"\s*(?:[-*+|]\s+|\d+[.)]\s+)?(?:{_MARKED.pattern}|([\w ]+?)\s*\|)")


def target_names(schema: str) -> set[str]:
    """Names under which turn 1 may have put the label, in lower case, letters and digits only.

    In a line that speaks of the target: the name that it begins with, and the next one after.
    """
    found = {"target", "label", "class", "outcome", "y"}
    for line in schema.splitlines():
        if spoken := _TARGET.search(line):
            after = _MARKED.search(line, spoken.end())
            first = _FIRST.match(line)
            found |= {
                _normal(name) for match in (after, first) if match for name in match.groups("")
            }
    return found - {""}


_POSITIVE = {"1", "true", "yes", "y", "positive", "pos", "high"}
_NEGATIVE = {"0", "false", "no", "n", "negative", "neg", "none", "nan", "low", "normal", ""}
_NEGATION = {"no", "not", "non", "without", "never"}


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _meaning(words: Sequence[str], task: TaskText) -> bool | None:
    """Class that a value stands for, None where neither its words nor the task tell."""
    plain = " ".join(words)
    positive, negative = _words(task.positive), _words(task.negative)
    if list(words) in (positive, negative) and positive != negative:
        return list(words) == positive
    if plain in _POSITIVE or plain in _NEGATIVE:
        return plain in _POSITIVE
    if words[0] in _NEGATION:
        rest = _meaning(words[1:], task)
        return False if rest is None else not rest
    difference = len(set(positive).intersection(words)) - len(set(negative).intersection(words))
    if difference:
        return difference > 0
    return words[0] in _POSITIVE if words[0] in _POSITIVE | _NEGATIVE else None


def fires(values: Sequence[Scalar], task: TaskText) -> list[bool]:
    """Whether a rule fires, row by row: truth values, 0 and 1, or words for the two classes.

    A missing value does not fire. Words are those of yes and no, of the task's two classes, or any
    one word in addition to words for the negative class.

    Raises
    ------
    UnusableAnswerError
        When the values do not tell two classes apart.
    """
    words = {value for value in values if isinstance(value, str)}
    meanings: dict[str, bool | None] = {word: _meaning(_words(word), task) for word in words}
    unknown = sorted(word for word, meaning in meanings.items() if meaning is None)
    if len(unknown) == 1 and True not in meanings.values():
        meanings[unknown[0]] = True
        unknown = []
    numbers = {value for value in values if isinstance(value, int | float)} - {0, 1}
    if unknown or numbers:
        shown = [*unknown, *sorted(numbers)][:5]
        raise UnusableAnswerError(f"a rule returns {shown}: the class is ambiguous")
    return [
        bool(meanings[value]) if isinstance(value, str) else bool(value) and value is not None
        for value in values
    ]
