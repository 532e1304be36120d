"""The code hash of every rule covers the package modules that the rule imports, and no others."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tabbench.codehash import imported_files

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "workflow/scripts"
RULES = "\n".join(path.read_text() for path in sorted((ROOT / "rules").glob("*.smk")))

# Which module imports which, as seen while all of them are really imported.
TRACE = """
import builtins, importlib, json, sys
edges, real = {}, builtins.__import__
def traced(name, globals=None, locals=None, fromlist=(), level=0):
    module = real(name, globals, locals, fromlist, level)
    importer = (globals or {}).get("__name__", "")
    if importer.startswith("tabbench") and name.startswith("tabbench"):
        names = [f"{name}.{one}" for one in fromlist or ()]
        edges.setdefault(importer, set()).update([name, *names])
    return module
builtins.__import__ = traced
for name in json.load(sys.stdin):
    importlib.import_module(name)
known = [name for name in sys.modules if name.startswith("tabbench")]
print(json.dumps({name: sorted(edges.get(name, set()) & set(known)) for name in known}))
"""


def module_name(path):
    parts = path.relative_to(SCRIPTS).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture(scope="module")
def imports():
    names = [module_name(path) for path in (SCRIPTS / "tabbench").rglob("*.py")]
    # Run as files inside the sandbox, not imported as modules of this process.
    names = [name for name in names if name not in ("tabbench.llm_table_driver",)]
    done = subprocess.run(
        [sys.executable, "-c", TRACE],
        input=json.dumps(names),
        env={"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def closure(imports, names):
    found, todo = set(), list(names)
    while todo:
        name = todo.pop()
        if name in imports and name not in found:
            found.add(name)
            parent = name.rpartition(".")[0]
            todo += [*imports[name], *([parent] if parent else [])]
    return found


def hashed():
    """Script and modules loaded by name, of every ``code(...)`` in the rules."""
    for script in re.findall(r'engine_code\("(\w+\.py)"\)', RULES):
        yield script, ("tabbench.engines.transformers",)
    for script, modules in re.findall(r'code\(\s*"(\w+\.py)",\s*"\w+"(?:,\s*\[([^\]]*)\])?', RULES):
        yield script, tuple(re.findall(r'"(tabbench\.[\w.]+)"', modules or ""))


@pytest.mark.parametrize(("script", "modules"), sorted(set(hashed())))
def test_the_hash_covers_what_is_imported(imports, script, modules):
    tree = ast.parse((SCRIPTS / script).read_text())
    first = {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tabbench")
    }
    loaded = closure(imports, {*first, *modules})
    start = [SCRIPTS / script]
    start += [SCRIPTS / f"{name.replace('.', '/')}.py" for name in modules]
    covered = {module_name(path) for path in imported_files(SCRIPTS, start)}
    covered.discard(Path(script).stem)
    assert covered == loaded


def test_every_script_is_hashed():
    scripts = set(re.findall(r"workflow/scripts/(\w+\.py)", RULES))
    assert scripts == {script for script, _ in hashed()}


def test_every_artifact_hashes_the_module_that_makes_it():
    for rule in re.split(r"^rule ", RULES, flags=re.MULTILINE)[1:]:
        made_by = re.search(r'module="(tabbench\.[\w.]+)"', rule)
        if made_by:
            assert f'["{made_by[1]}"]' in rule, rule.partition(":")[0]
