"""Programs and rules are found in answers as awkward as models write them."""

import ast
import contextlib
from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.sandbox.model_code import (
    UnusableAnswerError,
    code_blocks,
    program,
    prose,
    rule_block,
    rule_functions,
    table_functions,
)


def fenced(code: str, language: str = "python", mark: str = "```") -> str:
    return f"{mark}{language}\n{code}\n{mark}"


F = "def f():\n    return 1"
G = "def g():\n    return 2"

DOC = 'DOC = """\n```\n"""'
OUTPUT = "   Age  BMI\n0   31   22"

BLOCKS = {
    "one block": (f"Here:\n\n{fenced(F)}\n\nDone.", [F]),
    "several, with prose between": (f"A\n{fenced(F)}\nB\n{fenced(G)}\nC", [F, G]),
    "no language": (fenced(F, ""), [F]),
    "other spellings": (f"{fenced(F, 'py')}\n{fenced(G, 'Python3')}", [F, G]),
    "tildes": (fenced(F, mark="~~~"), [F]),
    "longer fence around backticks": (fenced(DOC, mark="````"), [DOC]),
    "inside a list": ("1. First:\n\n   ```python\n   def f():\n       return 1\n   ```\n", [F]),
    "other languages": (f"{fenced('pip install x', 'bash')}\n{fenced(F)}", [F]),
    "output that is no Python": (f"{fenced(F)}\n{fenced(OUTPUT, '')}", [F]),
    "data that is Python": (fenced("{'a': 1}", "json") + "\n" + fenced(F), [F]),
    "never closed": (f"```python\n{F}", [F]),
    "broken by a limit of tokens": (f"{fenced(F)}\n```python\ndef h(:\n", [F]),
    "no fence at all": (F, [F]),
    "prose alone": ("I cannot do that, sorry.", []),
    "empty block": ("```python\n```", []),
    "null byte": (fenced("x = '\0'"), []),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks(name: str) -> None:
    answer, blocks = BLOCKS[name]
    assert code_blocks(answer) == blocks


def test_prose_is_what_stands_outside() -> None:
    answer = f"Before\n{fenced(F)}\nbetween\n~~~\n```\n~~~\nafter"
    assert prose(answer) == "Before\nbetween\nafter"


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    for block in code_blocks(text):
        ast.parse(block)
    prose(text)


def test_deep_nesting_is_no_code() -> None:
    assert code_blocks(fenced("(" * 20_000)) == []


def test_a_program_is_definitions_without_trials() -> None:
    code = program(
        fenced(
            "import numpy as np\nLIMIT = 3\nnp.random.seed(1)\n\n"
            "@staticmethod\ndef f(n):\n    return n\n\nshort = lambda row: 1\n"
            "print(f(2))\n\nif __name__ == '__main__':\n    f(10**9)\n"
        )
        + "\n"
        + fenced("df.to_csv('x.csv')\ndef f(n):\n    return 2 * n"),
        "turn 2",
    )
    assert list(code.functions) == ["short", "f"]
    assert "2 * n" in code.functions["f"]
    names = [type(node).__name__ for node in ast.parse(code.text).body]
    assert names == ["Import", "Assign", "FunctionDef", "Assign", "FunctionDef"], code.text
    assert "@staticmethod" in code.text


@pytest.mark.parametrize(
    ("answer", "fault"),
    [("No code.", "no block of Python"), (fenced("x = 1"), "defines no function")],
)
def test_answers_without_a_program_say_so(answer: str, fault: str) -> None:
    with pytest.raises(UnusableAnswerError, match=f"turn 2.*{fault}"):
        program(answer, "turn 2")


def functions(*texts: str) -> str:
    return fenced("\n\n".join(texts))


def test_the_function_that_nobody_uses_makes_the_table() -> None:
    answer = functions(
        "def draw_age(n):\n    return n",
        "def generate_dataset(n):\n    return draw_age(n)",
        "def save(df, path):\n    return df",
        "def describe(df):\n    return df",
    )
    assert table_functions(program(answer, ""))[0] == "generate_dataset"


ROW = "(row):\n    return row['a'] > 1"
RULES = {
    "numbered": ([f"def rule_{n}{ROW}" for n in (1, 2, 3)], "rule_1 rule_2 rule_3"),
    "numbered, in words": (
        [f"def rule_{n}{ROW}" for n in ("one", "two", "three")],
        "rule_one rule_two rule_three",
    ),
    "joined by calls": (
        [
            *(f"def rule{n}{ROW}" for n in (1, 2, 3)),
            "def rules_all(row):\n    return rule1(row) or rule2(row) or rule3(row)",
        ],
        "rule1 rule2 rule3",
    ),
    "joined in a list": (
        [
            *(f"def {n}{ROW}" for n in ("old", "rich", "tall")),
            "def label(df):\n    return any(one(df) for one in [old, rich, tall])",
        ],
        "old rich tall",
    ),
    "with helpers": (
        [
            "def high(x):\n    return x > 1",
            *(f"def {n}_rule(row):\n    return high(row['a'])" for n in ("a", "b", "c")),
        ],
        "a_rule b_rule c_rule",
    ),
    "named and joined by a module's list": (
        [
            *(f"def rule_{n}{ROW}" for n in (1, 2, 3)),
            "RULES = [rule_1, rule_2, rule_3]",
            "def apply_rules(df):\n    return [any(r(row) for r in RULES) for row in df]",
        ],
        "rule_1 rule_2 rule_3",
    ),
    "lambdas": (
        [f"rule_{n} = lambda row: row['a'] > {n}" for n in (1, 2, 3)],
        "rule_1 rule_2 rule_3",
    ),
    "beside a repeated table function": (
        ["def make(n):\n    return n", *(f"def {n}{ROW}" for n in ("x1", "x2", "x3"))],
        "x1 x2 x3",
    ),
    "all in one function": ([f"def label{ROW}"], "label"),
}


@pytest.mark.parametrize("name", RULES)
def test_rules(name: str) -> None:
    texts, expected = RULES[name]
    assert rule_functions(program(functions(*texts), ""), ["make"], "") == expected.split()


@pytest.mark.parametrize("count", [2, 4])
def test_any_other_number_of_rules_is_refused(count: int) -> None:
    answer = functions(*(f"def check_{chr(97 + n)}{ROW}" for n in range(count)))
    with pytest.raises(
        UnusableAnswerError, match=r"turn 3: expected 3 functions.*check_a, check_b"
    ):
        rule_functions(program(answer, ""), [], "turn 3")


def block(prose_text: str, *texts: str) -> str:
    answer = f"{prose_text}\n{functions(*texts)}"
    code = program(answer, "")
    return rule_block(answer, code, list(code.functions), ["Age", "Body Mass"])


def test_the_rules_are_the_models_sentences() -> None:
    plain = [f"def rule_{n}{ROW}" for n in (1, 2, 3)]
    sentences = (
        "Note: if you need more, then ask.\n\n"
        "1. **Rule 1 (age).** If `Age` > 50, then y = 1.\n"
        "- If Age < 20 and BodyMass > 30, then y = 1.\n"
        "* *If body_mass > 40 → y = 1.*\n"
    )
    assert block(sentences, *plain).splitlines() == [
        "Rule 1 (age). If Age > 50, then y = 1.",
        "Rule 2: If Age < 20 and BodyMass > 30, then y = 1.",
        "Rule 3: If body_mass > 40 → y = 1.",
    ]


def test_or_their_docstrings_or_their_code() -> None:
    told = [
        f'def rule_{n}(row):\n    """If Age > {n},\n    then y = 1."""\n    return row["a"]'
        for n in (1, 2, 3)
    ]
    assert block("No words.", *told).splitlines()[1] == "Rule 2: If Age > 2, then y = 1."
    plain = [f"def rule_{n}{ROW}" for n in (1, 2, 3)]
    assert block("If Age > 3, then y = 1.", *plain) == "\n\n".join(plain)


NESTED = {
    "a condition of 350 terms": "if " + " and ".join(["x"] * 350) + ":\n    y = 1\n" + F,
    "a sum of 350 terms in a decorator": "@g(" + " + ".join(["1"] * 350) + ")\n" + F,
    "a condition nested 350 times": "if "
    + "".join("x or (" for _ in range(90))
    + "x"
    + ")" * 90
    + ":\n    y = 1\n"
    + F,
}


@pytest.mark.parametrize("name", NESTED)
def test_what_is_nested_deep_is_read(name: str) -> None:
    code = program(fenced(NESTED[name]), "turn 2")
    assert list(code.functions) == ["f"]
    assert ast.parse(code.text).body
    assert table_functions(code) == ["f"]


def test_at_any_depth_code_is_read_or_unusable() -> None:
    def nested(depth: int) -> str:
        return fenced(f"def rule(x):\n    return {'-' * depth}x")

    deepest = bisect_left(range(10_000), True, key=lambda depth: not code_blocks(nested(depth)))
    assert 100 < deepest < 10_000
    for depth in range(deepest - 20, deepest + 1):  # each reading starts at a depth of its own
        with contextlib.suppress(UnusableAnswerError):
            read = program(nested(depth), "turn 3")
            rule_block("", read, rule_functions(read, [], "turn 3"), ["x"])
