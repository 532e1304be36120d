"""Program of Thought: the program in a response, and the answer that it prints."""

import ast
import inspect
import re
import textwrap
from dataclasses import dataclass
from typing import Literal

from tabbench.core.thinking import without_thought
from tabbench.sandbox.model_code import split_fences
from tabbench.sandbox.sandbox import Kind, Limits, run
from tabbench.scitarc import code_driver

CodeStatus = Literal["ok", "exception", "timeout", "empty", "memory", "output", "killed", "no code"]
LIMITS = Limits(seconds=30.0, cpu_seconds=30)
LONGEST = 2000
"""Characters that an answer may have; a longer line, a printed table say, is no short answer and
would fill the judge's prompt."""


@dataclass(frozen=True)
class CodeRun:
    """Result of a program.

    Attributes
    ----------
    status : ok; exception, a syntax error included; timeout; empty, when nothing was printed;
        memory or output, when that limit was reached, `LONGEST` among them; killed; no code
    answer : the last line that it printed; None unless ``status`` is ok
    message : what went wrong; like ``answer``, text that can be written to any file
    printed : all that it printed, up to `LONGEST` characters; None where it was stopped
    """

    status: CodeStatus
    answer: str | None
    message: str = ""
    printed: str | None = None


_PYTHON = {"", "python", "python3", "py"}
_OPENED = re.compile(r"^(?=[^\n`]*\S)([^\n`]+)(`{3,})[ \t]*(python3?|py)?[ \t]*$", re.M | re.I)
_CLOSED = re.compile(r"^([^\n]*[^\s`][^\n`]*)(`{3,})[ \t]*$", re.M)
_INLINE = re.compile(r"`{3}(?:python3?|py)?[ \t]*([^`\n]+)`{3}", re.I)


def first_program(response: str) -> str:
    """The program that a response means: its first block of Python; all of it without a fence.

    A draft in the block of thinking is none. Where the first block cannot be compiled, fences in
    the middle or at the end of a line count too.
    """
    text = without_thought(response) or ""
    code = _first_block(text)
    if not _compiles(code):
        ways = (_OPENED.sub(r"\1\n\2\3", text), _INLINE.sub(r"\n```python\n\1\n```\n", text))
        for way in (ways[0], _CLOSED.sub(r"\1\n\2", ways[0]), ways[1]):
            if _compiles(other := _first_block(way)):
                return other
    return code


def _first_block(text: str) -> str:
    _, blocks = split_fences(text)
    python = [code for language, code in blocks if language in _PYTHON and code.strip()]
    first = next(iter([*python, *(code for _, code in blocks)]), text)
    return textwrap.dedent(first).strip()


def _compiles(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def run_program(response: str, kind: Kind, limits: Limits = LIMITS) -> CodeRun:
    """Run the program of a response in the sandbox; its last printed line is the answer.

    The released code runs programs inside its own process, without a limit, and gives an empty
    answer whenever one fails.

    Parameters
    ----------
    kind : bubblewrap or process, see `tabbench.sandbox.sandbox`

    Raises
    ------
    TabBenchError
        When the sandbox cannot be set up. What the program does never raises.
    """
    code = first_program(response)
    if not code:
        return CodeRun("no code", None, "the response is empty, or its thinking is not closed")
    outcome = run(inspect.getsource(code_driver), code, kind, limits)
    if outcome.status != "ok":
        return CodeRun(outcome.status, None, outcome.message)
    if not isinstance(outcome.value, str):  # the program has put itself in the output's place
        return CodeRun("exception", None, "the program replaced its standard output")
    printed = outcome.value[:LONGEST]
    lines = [line.strip() for line in outcome.value.splitlines() if line.strip()]
    if not lines:
        return CodeRun("empty", None, "the program printed nothing", printed)
    if len(lines[-1]) > LONGEST:
        message = f"the last line has {len(lines[-1]):,} characters, more than {LONGEST:,}"
        return CodeRun("output", None, message, printed)
    return CodeRun("ok", lines[-1], "", printed)
