"""A hash of a script and of every package module that it imports, closed over imports.

Snakemake watches a rule's script but not the modules behind it; rules carry this hash as a
parameter, so that editing a module reruns exactly the rules that use it. It is a hash of
syntax trees without docstrings, comments and positions: an edit of documentation reruns nothing.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = "tabbench"


@cache
def _module_files(root: Path, module: str) -> list[Path]:
    """Files that importing ``module`` runs: the packages on the way and the module itself."""
    files = []
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:depth])
        if (place / "__init__.py").is_file():
            files.append(place / "__init__.py")
        elif place.with_suffix(".py").is_file():
            files.append(place.with_suffix(".py"))
    return files


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


class _Code(NamedTuple):
    """What a file does: the package modules that it imports, and a hash of its syntax tree."""

    imports: frozenset[str]
    hash: str


@cache
def _read(file: Path) -> _Code:
    tree = ast.parse(file.read_bytes(), str(file))
    modules = _imported(tree)
    imports = frozenset(name for name in modules if name.partition(".")[0] == PACKAGE)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            # A string that stands alone is a docstring, of an attribute too: it does nothing.
            node.body = [one for one in body if not _is_string(one)]  # type: ignore[attr-defined]
    text = ast.dump(tree).encode("utf-8", "surrogatepass")
    return _Code(imports, hashlib.sha256(text).hexdigest())


def _is_string(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _direct_imports(root: Path, file: Path) -> Iterator[Path]:
    for module in _read(file).imports:
        yield from _module_files(root, module)


def imported_files(root: Path, start: Iterable[Path]) -> set[Path]:
    """``start`` and all package files that they import, directly or not.

    ``root`` is the folder that holds the package. Imports inside functions count; relative
    imports are not used in this package.
    """
    found: set[Path] = set()
    todo = list(start)
    while todo:
        file = todo.pop()
        if file not in found:
            found.add(file)
            todo += _direct_imports(root, file)
    return found


def hashed_files(root: Path, script: Path, modules: Iterable[str] = ()) -> set[Path]:
    """The files that `code_hash` covers."""
    named = (path for module in modules for path in _module_files(root, module))
    return imported_files(root, [script, *named])


def code_hash(
    root: Path, script: Path, modules: Iterable[str] = (), environment: bytes = b""
) -> str:
    """First 12 hex digits of a hash over the script's code and the package code behind it.

    Parameters
    ----------
    root : folder that holds the script's package
    script : path of the script
    modules : further modules that the script loads by name
    environment : content of the environment file whose library versions the script runs with
    """
    files = hashed_files(root, script, modules)
    lines = sorted(f"{file.relative_to(root)} {_read(file).hash}" for file in files)
    text = "\n".join(lines).encode()
    return hashlib.sha256(text + b"\0" + environment).hexdigest()[:12]
