"""The code hash of every rule covers the package modules that the rule imports, and no others."""

import ast
import json
import re
import subprocess
import sys

import pytest
from module_reach import SCRIPTS, hashed_modules, hashed_rules, module_name, rule_texts

pytestmark = pytest.mark.slow

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


@pytest.fixture(scope="module")
def imports():
    names = [module_name(path) for path in (SCRIPTS / "tabbench").rglob("*.py")]
    # Run as files inside the sandbox, not imported as modules of this process.
    names = [name for name in names if name not in ("tabbench.synthetic.driver",)]
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


HASHED = sorted({(one.script, one.modules) for one in hashed_rules()})


@pytest.mark.parametrize(("script", "modules"), HASHED)
def test_the_hash_covers_what_is_imported(imports, script, modules):
    tree = ast.parse((SCRIPTS / script).read_text())
    first = {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tabbench")
    }
    assert hashed_modules(script, modules) == closure(imports, {*first, *modules})


def test_every_rule_with_a_script_is_hashed():
    scripted = {name for name, text in rule_texts().items() if "\n    script:" in text}
    assert len(scripted) > 40
    hashed = {one.rule for one in hashed_rules()}
    assert scripted <= hashed
    # The others are made from the registry, whose loop names a script and a hash for all of them.
    assert len(hashed - scripted) > 60


def test_every_rule_hashes_its_own_script():
    called = r"(?:code|model_params)\(\s*\"(\w+\.py)\""
    named = {name: re.findall(called, text) for name, text in rule_texts().items()}
    own = {one.rule: one.script for one in hashed_rules()}
    assert sum(map(len, named.values())) > 40
    assert not {name for name, scripts in named.items() if set(scripts) - {own.get(name)}}
