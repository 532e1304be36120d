"""Program of Thought: the program in a response, and the answer that it prints."""

import inspect
import textwrap
from dataclasses import dataclass
from typing import Literal

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
    """

    status: CodeStatus
    answer: str | None
    message: str = ""


def first_program(response: str) -> str:
    """The first fenced block, whatever its language; all of a response without a fence.

    Thoughts are passed over, and a response whose thought is not closed holds no program.
    """
    outside, blocks = split_fences(response)
    return textwrap.dedent(blocks[0][1] if blocks else outside).strip()


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
        return CodeRun("no code", None, "the response is empty")
    outcome = run(inspect.getsource(code_driver), code, kind, limits)
    if outcome.status != "ok":
        return CodeRun(outcome.status, None, outcome.message)
    if not isinstance(outcome.value, str):  # the program has put itself in the output's place
        return CodeRun("exception", None, "the program replaced its standard output")
    lines = [line.strip() for line in outcome.value.splitlines() if line.strip()]
    if not lines:
        return CodeRun("empty", None, "the program printed nothing")
    if len(lines[-1]) > LONGEST:
        message = f"the last line has {len(lines[-1]):,} characters, more than {LONGEST:,}"
        return CodeRun("output", None, message)
    return CodeRun("ok", lines[-1])
