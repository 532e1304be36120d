"""Programs of responses, really run in the sandbox; what went wrong is told apart."""

from dataclasses import replace

import pytest
from hostile import JSON
from hypothesis import given, settings
from test_sandbox import KINDS

from tabbench.sandbox.sandbox import Kind, Outcome
from tabbench.scitarc import programs
from tabbench.scitarc.programs import LIMITS, first_program, run_program

SHORT = replace(LIMITS, cpu_seconds=4)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


def fenced(code):
    return f"Here is the code:\n```python\n{code}\n```\nIt prints the answer."


def test_the_last_printed_line_is_the_answer(kind):
    code = "print('first')\nprint('GPT-4o, 12.5')\nprint()"
    assert run_program(fenced(code), kind).answer == "GPT-4o, 12.5"


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("frame = pd.DataFrame({'a': [1, 3]})\nprint(frame['a'].mean())", "2.0"),
        ("import re, json\nprint(np.round(math.pi, 2), re.sub('a', 'b', 'a'))", "3.14 b"),
        ("def main():\n    print(7)\nif __name__ == '__main__':\n    main()", "7"),
        ("import sys\nprint(5)\nsys.exit(0)", "5"),
        ("print(3)\nexit()", "3"),
        ("from collections import Counter\nprint(Counter('aab').most_common(1)[0][0])", "a"),
    ],
)
def test_programs_as_models_write_them(code, answer):
    run = run_program(fenced(code), "process")
    assert (run.status, run.answer) == ("ok", answer), run.message


def test_modules_can_be_imported_in_either_sandbox(kind):
    """Python's own folder may be one that the user whom the code runs as cannot enter."""
    names = "argparse, difflib, html, importlib.metadata, sqlite3, tabulate, unittest, xml.etree"
    assert run_program(f"import {names}\nprint(1)", kind).answer == "1"


@pytest.mark.slow
def test_packages_can_be_imported_in_either_sandbox(kind):
    names = "matplotlib.pyplot, scipy.stats, sklearn.linear_model"
    assert run_program(f"import {names}\nprint(1)", kind).answer == "1"


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("print(1)\nraise ValueError('no')", "exception", "ValueError: no"),
        ("print(1", "exception", "SyntaxError"),
        ("import sys\nprint(1)\nsys.exit(3)", "exception", "SystemExit"),
        pytest.param(
            "print(1)\nwhile True: pass", "timeout", "limit on time", marks=pytest.mark.slow
        ),
        ("x = 5", "empty", "printed nothing"),
        ("print('  ')", "empty", "printed nothing"),
        ("print(1)\nx = bytearray(4 * 1024**3)", "memory", "limit on memory"),
        ("import os\nos._exit(0)", "killed", "without a result"),
        ("print(input())", "exception", "EOFError"),
        (
            "import sys\nsys.stdout.getvalue = lambda: 5",
            "exception",
            "replaced its standard output",
        ),
        ("import sys\nsys.stdout = None\nprint(1)", "empty", "printed nothing"),
        ("raise ValueError('no \\ud83d')", "exception", "ValueError: no \N{REPLACEMENT CHARACTER}"),
        ("print('a' * 2001)", "output", "2,001 characters"),
    ],
)
def test_what_goes_wrong_is_told_apart_and_gives_no_answer(code, status, message):
    run = run_program(fenced(code), "process", SHORT)
    assert (run.status, run.answer) == (status, None)
    assert message in run.message


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("print('Score \\ud83d')", "Score \N{REPLACEMENT CHARACTER}"),
        ("print('Score \\U0001f600')", "Score \U0001f600"),
        ("print('a' * 3000)\nprint('b' * 2000)", "b" * 2000),
    ],
)
def test_an_answer_can_be_written_to_a_file_and_shown_to_a_judge(code, answer):
    run = run_program(fenced(code), "process")
    assert (run.status, run.answer) == ("ok", answer)
    assert run.answer.encode()


@given(JSON)
@settings(deadline=None, max_examples=50)
def test_whatever_a_program_returns_has_a_status(value):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "run", lambda *_: Outcome("ok", value, "", ""))
        run = run_program("print(text)", "process")
    assert run.status in ("ok", "empty", "output", "exception")
    assert (run.answer is None) == (run.status != "ok")


def test_no_code_is_a_status_of_its_own():
    assert run_program("  \n", "process").status == "no code"
    assert run_program("```python\n```", "process").status == "no code"


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("```python\na\n```\n```python\nb\n```", "a"),
        ("```\na\n```", "a"),
        ("```python\nif x:\n    a", "if x:\n    a"),  # cut off before the fence was closed
        ("print(1)", "print(1)"),
        ("    ```python\n    a\n    ```", "a"),
        ("Here it is: ```python\nprint(1)\n```\nDone.", "print(1)"),
        ("```python\nprint(1)```\nDone.", "print(1)"),
        ("Code: ```python\nx = 1\nprint(x)```", "x = 1\nprint(x)"),
        ("Run ```print(1)``` to see.", "print(1)"),
        ("<think>\n```python\ndraft\n```\n</think>\n```python\na\n```", "a"),
        ("<think>\n```python\ndraft\n```\n", ""),
        ("```bash\npip install x\n```\n```python\na\n```", "a"),
        ("```python\nprint('```')\n```", "print('```')"),
        ("```json\n[1]\n```", "[1]"),
    ],
)
def test_the_first_fence_or_all_of_the_response(response, code):
    assert first_program(response) == code
