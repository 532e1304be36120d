"""The conda environments parse, hold what their rules import, and pin what the lock file pins."""

import ast
import re
import sys
from itertools import chain
from pathlib import Path

import pytest
import yaml

from tabbench.core.code_hash import imported_files
from tabbench.inference.engines import ENGINES
from tabbench.reporting import registry
from tabbench.scitarc.registry import ARTIFACTS as SCITARC

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "workflow/scripts"
ENVIRONMENTS = sorted(path.stem for path in (ROOT / "envs").glob("*.yaml"))

# Import name to the name in the package index, and from there to conda's, where they differ.
DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "skdim": "scikit-dimension",
    "yaml": "pyyaml",
    "xgboost": "xgboost-cpu",
    "huggingface_hub": "huggingface-hub",
}
CONDA = {"matplotlib": "matplotlib-base", "xgboost-cpu": "py-xgboost", "torch": "pytorch"}

# Imported where they are needed and absent elsewhere: requirements-optional.txt pins them.
OPTIONAL = {"catboost", "datasets", "kagglehub", "openml"}

# In versions that vLLM decides: its environment is installed nowhere else.
VLLM = {"vllm", "transformers", "numpy"}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text):
    found = re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)$", text, re.MULTILINE)
    return {normal(name): version for name, version in found}


LOCK = pins((ROOT / "requirements.lock").read_text())
NODEPS = pins((ROOT / "requirements-nodeps.lock").read_text())
OPTIONAL_PINS = pins(
    re.sub(r"\s+#.*", "", (ROOT / "requirements-optional.txt").read_text(), flags=re.MULTILINE)
)


def environment(name):
    """Conda pins and pip pins of an environment."""
    content = yaml.safe_load((ROOT / f"envs/{name}.yaml").read_text())
    assert content["channels"] == ["conda-forge"]
    conda, pip = {}, {}
    for item in content["dependencies"]:
        if isinstance(item, dict):
            pip.update(pins("\n".join(item["pip"])))
        elif item != "pip":
            package, version = item.split("=")
            conda[package] = version
    return conda, pip


def rules():
    """Environment, script and modules loaded by name, of every rule."""
    for path in sorted((ROOT / "rules").glob("*.smk")):
        for block in re.split(r"^(?=rule )", path.read_text(), flags=re.MULTILINE)[1:]:
            name = re.match(r"rule (\w+):", block)[1]
            used = re.search(r"\.\./envs/(\w+)\.yaml", block)
            script = re.search(r"\.\./workflow/scripts/(\w+\.py)", block)
            if used:
                yield pytest.param(used[1], script[1], [], id=name)
                continue
            for engine, entry in ENGINES.items():  # the environment is the engine's
                yield pytest.param(
                    entry.environment, script[1], [entry.module], id=f"{name}-{engine}"
                )


def artifacts():
    """The same of the rules that the registry of tables and figures makes."""
    for artifact in [*chain(*registry.QUESTIONS.values()), *registry.PAPER, *SCITARC]:
        if artifact.function:
            script, modules = f"{artifact.kind}.py", artifact.modules
            yield pytest.param("core", script, modules, id=artifact.rule)


def third_party(script, modules):
    """Top-level names, outside the standard library, that a script's code imports."""
    start = [SCRIPTS / script]
    start += [SCRIPTS / (module.replace(".", "/") + ".py") for module in modules]
    names = set()
    for file in imported_files(SCRIPTS, start):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - {"tabbench"} - OPTIONAL


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_pins_agree_with_the_lock_file(name):
    conda, pip = environment(name)
    to_index = {value: key for key, value in CONDA.items()}
    for package, version in conda.items():
        if package != "python":
            assert LOCK[normal(to_index.get(package, package))] == version, package
    known = {**LOCK, **NODEPS, **OPTIONAL_PINS}
    for package, version in pip.items():
        if name != "vllm" or package not in VLLM:
            assert known[package] == version, package


def test_imports_are_found_behind_the_package():
    assert third_party("predict.py", []) == {"pandas", "pyarrow"}
    assert "torch" in third_party("infer.py", [ENGINES["transformers"].module])


@pytest.mark.parametrize(("name", "script", "modules"), [*rules(), *artifacts()])
def test_an_environment_holds_what_its_rule_imports(name, script, modules):
    conda, pip = environment(name)
    for module in third_party(script, modules):
        distribution = DISTRIBUTIONS.get(module, module)
        held = CONDA.get(distribution, distribution) in conda or distribution in pip
        assert held, f"{script} imports {module}"


def test_optional_packages_are_pinned_apart():
    assert set(OPTIONAL_PINS) == OPTIONAL
    assert not OPTIONAL & set(LOCK)


def test_what_is_installed_is_what_is_locked():
    """requirements.txt pins a subset of the lock file, with the same versions."""
    direct = pins((ROOT / "requirements.txt").read_text())
    assert len(direct) > 15
    for name, version in direct.items():
        assert LOCK[name] == version, name
