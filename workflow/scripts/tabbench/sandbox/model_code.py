"""Find the program in a model's answer. Everything here reads code, nothing runs it."""

import ast
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from tabbench.core.errors import TabBenchError
from tabbench.core.thinking import without_thought

_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]*)")
_PYTHON = {"", "python", "python3", "py", "python3.11", "ipython"}
_NUMBERED_RULE = re.compile(r"(?:^|_)(?:rule|r)_?(?:\d+|one|two|three|first|second|third)(?:_|$)")
RULES = 3


class UnusableAnswerError(TabBenchError):
    """A model's answer does not make a table; another dialogue may."""


@dataclass(frozen=True)
class Program:
    """A model's code without statements that only print or try it.

    Attributes
    ----------
    text : imports, constants, functions and classes, in the answer's order
    functions : source text by name of the functions at the top level; of equal names the last
    """

    text: str
    functions: dict[str, str]


def split_fences(markdown: str) -> tuple[str, list[tuple[str, str]]]:
    """Prose, and (language, text) of each fenced block; an open one ends with the answer.

    Thoughts are passed over; of an answer that is all thought nothing is left.
    """
    outside: list[str] = []
    blocks: list[tuple[str, list[str]]] = []
    mark = ""  # of the block that is open
    for line in (without_thought(markdown) or "").splitlines():
        fence = _FENCE.match(line)
        if not mark and fence:
            mark = fence["mark"]
            blocks.append((fence["language"].lower(), []))
        elif mark and fence and fence["mark"].startswith(mark) and line.strip() == fence["mark"]:
            mark = ""
        else:
            (blocks[-1][1] if mark else outside).append(line)
    return "\n".join(outside), [(language, "\n".join(lines)) for language, lines in blocks]


def _parse(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tree(code: str) -> ast.Module:
    """The code of an answer, read again; it may fail where the stack is deeper than before."""
    tree = _parse(code)
    if tree is None:
        raise UnusableAnswerError("its code is nested too deep")
    return tree


def prose(markdown: str) -> str:
    """The answer without its fenced blocks."""
    return split_fences(markdown)[0]


def code_blocks(markdown: str) -> list[str]:
    """Blocks of Python in an answer; the whole answer when it has no fence and is Python."""
    outside, fenced = split_fences(markdown)
    blocks = [textwrap.dedent(text) for language, text in fenced if language in _PYTHON]
    if not fenced:
        blocks = [outside]
    return [block for block in blocks if block.strip() and _parse(block) is not None]


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test)
    )


def _source(block: str, node: ast.AST) -> str:
    """A node's text as it stands; `ast.unparse` fails at nodes nested deep."""
    return ast.get_source_segment(block, node) or ""


def _function_name(node: ast.stmt) -> str | None:
    if isinstance(node, ast.FunctionDef):
        return node.name
    if (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Lambda)
        and isinstance(node.targets[0], ast.Name)
    ):
        return node.targets[0].id
    return None


def program(markdown: str, what: str) -> Program:
    """Put the blocks of an answer together.

    Statements that only call (``print(df.head())``, ``df.to_csv(...)``) and the part under
    ``if __name__ == "__main__"`` are left out.

    Parameters
    ----------
    what : names the answer in errors

    Raises
    ------
    UnusableAnswerError
        When the answer has no block of Python, or the blocks define no function.
    """
    blocks = code_blocks(markdown)
    if not blocks:
        raise UnusableAnswerError(f"{what}: no block of Python that can be parsed")
    kept: list[str] = []
    functions: dict[str, str] = {}
    for block in blocks:
        for node in _tree(block).body:
            if isinstance(node, ast.Expr) or _is_main_guard(node):
                continue
            decorators = getattr(node, "decorator_list", [])
            text = "".join(f"@{_source(block, one)}\n" for one in decorators)
            text += _source(block, node)
            kept.append(text)
            if name := _function_name(node):
                functions.pop(name, None)
                functions[name] = text
    if not functions:
        raise UnusableAnswerError(f"{what}: its code defines no function")
    return Program("\n\n".join(kept) + "\n", functions)


def _names_used(function: str) -> set[str]:
    return {node.id for node in ast.walk(_tree(function)) if isinstance(node, ast.Name)}


def _calls(functions: dict[str, str]) -> dict[str, set[str]]:
    """Which of ``functions`` each of them uses."""
    return {name: (_names_used(text) & set(functions)) - {name} for name, text in functions.items()}


def table_functions(code: Program) -> list[str]:
    """Functions that may make the table, the likeliest first: what no other function uses."""
    calls = _calls(code.functions)
    used = set().union(*calls.values())

    def likeliness(name: str) -> tuple[bool, bool, int]:
        named = re.search(r"generat|creat|make|build|simulat|synth|sampl", name, re.IGNORECASE)
        about = re.search(r"data|df|frame|table|records", name, re.IGNORECASE)
        return name not in used, bool(named) + bool(about) > 1, bool(named) + len(calls[name])

    order = list(code.functions)
    return sorted(order, key=lambda name: (likeliness(name), order.index(name)), reverse=True)


def rule_functions(code: Program, known: Sequence[str], what: str) -> list[str]:
    """The three functions that hold the rules, or the one function that holds all of them.

    Parameters
    ----------
    known : functions of the turn before, which an answer may repeat
    what : names the answer in errors

    Raises
    ------
    UnusableAnswerError
        When neither three functions nor one can be told from the rest.
    """
    functions = {name: text for name, text in code.functions.items() if name not in known}
    calls = _calls(functions)
    joins = [name for name, used in calls.items() if len(used) > 1]
    helpers = set().union(*(used for name, used in calls.items() if name not in joins), set())
    single = [name for name in functions if name not in joins and name not in helpers]
    choices = (
        [name for name in functions if _NUMBERED_RULE.search(name.lower()) and name not in joins],
        [name for name in single if "rule" in name.lower()],
        single,
        *([one for one in functions if one in calls[name]] for name in joins),
    )
    for chosen in choices:
        if len(chosen) == RULES:
            return chosen
    alone = [name for name in functions if name not in set().union(*calls.values(), set())]
    if len(functions) == 1 or (len(alone) == 1 and len(single) == 1):
        return alone
    raise UnusableAnswerError(
        f"{what}: expected {RULES} functions with a rule each, or one with all of them; found "
        f"{', '.join(functions) or 'none'}"
    )


_IF_THEN = re.compile(r"\bif\b.+?(?:\bthen\b|→|⇒|->|=>|,).+", re.IGNORECASE | re.DOTALL)


def _plain(line: str) -> str:
    """A line of Markdown without emphasis, code marks and list marks."""
    line = re.sub(r"^\s*(?:[-*+•]|#+|>|\d+[.)])\s+", "", line)
    line = re.sub(r"(\*\*|__|`)(.+?)\1", r"\2", line)
    return re.sub(r"^\*(.+)\*$", r"\1", line).strip()


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _if_then(lines: Sequence[str], features: Sequence[str]) -> list[str]:
    """Lines with a sentence "if ... then ..." that names a feature."""
    names = [_normal(name) for name in features]
    return [
        line
        for line in map(_plain, lines)
        if _IF_THEN.search(line) and any(name in _normal(line) for name in names)
    ]


def _docstring(function: str) -> str:
    node = _tree(function).body[0]
    return (ast.get_docstring(node) or "") if isinstance(node, ast.FunctionDef) else ""


def rule_block(answer: str, code: Program, rules: Sequence[str], features: Sequence[str]) -> str:
    """The rules as the knowledge prompt shows them (section C-C), one after the other.

    Three sentences "If ..., then ..." that name features, from the answer's prose or else from the
    functions' docstrings; where the model wrote none, the code of the rules as it stands.
    """
    docstrings = [" ".join(_docstring(code.functions[name]).split()) for name in rules]
    for lines in (prose(answer).splitlines(), docstrings):
        sentences = _if_then(lines, features)
        if len(sentences) == RULES:
            return "\n".join(
                line if re.match(r"(?i)rule\b", line) else f"Rule {number}: {line}"
                for number, line in enumerate(sentences, start=1)
            )
    return "\n\n".join(code.functions[name].strip() for name in rules)
