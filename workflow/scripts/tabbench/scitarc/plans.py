"""The plan language (second paper, section 3.3): five operations, blocks by indentation.

    LOOP for each model
        SELECT accuracy
        IF accuracy > best
            COMPUTE best = accuracy
        ELSE
            COMPUTE increment worse_count
    RETURN best

SELECT, COMPUTE and RETURN are steps; LOOP, IF and ELSE hold the block below them, ``ELSE IF`` a
further condition. Keywords may be in any case. One level may be any number of blanks, or of tabs,
as long as it is the same number throughout.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tabbench.core.errors import TabBenchError

Operation = Literal["SELECT", "COMPUTE", "RETURN"]
STEPS: tuple[Operation, ...] = ("SELECT", "COMPUTE", "RETURN")
_KEYWORD = re.compile(r"(SELECT|COMPUTE|RETURN|LOOP|ELSE\s+IF|ELSE|IF)\b:?[ \t]*", re.IGNORECASE)


class PlanError(TabBenchError):
    """A text that is no plan; the message begins with the line's number."""


@dataclass(frozen=True)
class Step:
    """One operation on what came before; lines are counted from 1 and do not make a difference."""

    operation: Operation
    text: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Loop:
    text: str
    body: "Block"
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class If:
    """``otherwise`` is empty without ELSE; an ``ELSE IF`` is a lone If in it."""

    text: str
    body: "Block"
    otherwise: "Block" = ()
    line: int = field(default=0, compare=False)


Node = Step | Loop | If
Block = tuple[Node, ...]


@dataclass(frozen=True)
class _Line:
    number: int
    depth: int
    keyword: str
    text: str


def parse_plan(text: str) -> Block:
    """Read a plan.

    Returns
    -------
    tuple of nodes, in order; the last of all steps need not be RETURN, but one must be

    Raises
    ------
    PlanError
        When a line is no operation, its indentation fits no block, a block is empty, an ELSE has
        no IF, or nothing is returned.

    Examples
    --------
    >>> parse_plan("LOOP for each model\\n  SELECT its score\\nRETURN the best")[0].body
    (Step(operation='SELECT', text='its score', line=2),)
    """
    lines = list(_lines(text))
    if not lines:
        raise PlanError("line 1: the plan is empty")
    block, rest = _block(lines, 0, 0)
    assert rest == len(lines)
    if not any(line.keyword == "RETURN" for line in lines):
        raise PlanError(f"line {lines[-1].number}: the plan ends without RETURN")
    return block


def _lines(text: str) -> Iterator[_Line]:
    unit = ""
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip()
        if not content:
            continue
        indent = line[: len(line) - len(line.lstrip())]
        unit = unit or indent
        depth = len(indent) // len(unit) if unit else 0
        if indent != unit * depth:
            raise PlanError(
                f"line {number}: indented by {indent!r}, which is no multiple of the plan's first "
                f"indentation {unit!r}"
            )
        keyword = _KEYWORD.match(content)
        if keyword is None:
            raise PlanError(
                f"line {number}: {content!r} begins with none of SELECT, COMPUTE, IF, ELSE, LOOP, "
                "RETURN"
            )
        name = " ".join(keyword[1].upper().split())
        yield _Line(number, depth, name, content[keyword.end() :])


def _block(lines: list[_Line], at: int, depth: int) -> tuple[Block, int]:
    """The nodes at ``depth`` from line ``at`` on, and the first line that is not among them."""
    nodes: list[Node] = []
    while at < len(lines) and lines[at].depth >= depth:
        line = lines[at]
        if line.depth > depth:
            raise PlanError(f"line {line.number}: indented, but the line above opens no block")
        if line.keyword.startswith("ELSE"):
            raise PlanError(f"line {line.number}: ELSE without an IF above it at its indentation")
        if line.keyword == "LOOP":
            body, at = _body(lines, at)
            nodes.append(Loop(line.text, body, line.number))
        elif line.keyword == "IF":
            node, at = _if(lines, at)
            nodes.append(node)
        else:
            operation = next(step for step in STEPS if step == line.keyword)
            nodes.append(Step(operation, line.text, line.number))
            at += 1
    return tuple(nodes), at


def _body(lines: list[_Line], at: int) -> tuple[Block, int]:
    """The block below line ``at``, which must have one."""
    opening = lines[at]
    if at + 1 == len(lines) or lines[at + 1].depth <= opening.depth:
        raise PlanError(f"line {opening.number}: {opening.keyword} holds no indented line")
    return _block(lines, at + 1, opening.depth + 1)


def _if(lines: list[_Line], at: int) -> tuple[If, int]:
    line = lines[at]
    body, at = _body(lines, at)
    otherwise: Block = ()
    if at < len(lines) and lines[at].depth == line.depth:
        following = lines[at]
        if following.keyword == "ELSE IF":
            node, at = _if(lines, at)
            otherwise = (node,)
        elif following.keyword == "ELSE":
            if following.text:
                raise PlanError(
                    f"line {following.number}: ELSE stands alone; write {following.text!r} on a "
                    "line of its own below it"
                )
            otherwise, at = _body(lines, at)
    return If(line.text, body, otherwise, line.number), at


def format_plan(block: Block, indent: str = "    ") -> str:
    """Write a plan that `parse_plan` reads back to the same tree."""
    return "\n".join(_written(block, "", indent))


def _written(block: Block, margin: str, indent: str) -> Iterator[str]:
    for node in block:
        if isinstance(node, Step):
            yield f"{margin}{node.operation} {node.text}".rstrip()
        elif isinstance(node, Loop):
            yield f"{margin}LOOP {node.text}".rstrip()
            yield from _written(node.body, margin + indent, indent)
        else:
            yield from _written_if(node, margin, indent)


def _written_if(node: If, margin: str, indent: str, word: str = "IF") -> Iterator[str]:
    yield f"{margin}{word} {node.text}".rstrip()
    yield from _written(node.body, margin + indent, indent)
    if len(node.otherwise) == 1 and isinstance(node.otherwise[0], If):
        yield from _written_if(node.otherwise[0], margin, indent, "ELSE IF")
    elif node.otherwise:
        yield f"{margin}ELSE"
        yield from _written(node.otherwise, margin + indent, indent)
