"""The conda environments parse, hold what their rules import, and pin what the lock file pins."""

import ast
import os
import re
import subprocess
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
LOCK_FILES = ("requirements.lock", "requirements-cuda.lock")
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "aarch64-apple-darwin")
SOURCE_ONLY = ("connection-pool",)
"""Distributed without a wheel; pure Python, so that it builds everywhere."""
ENVIRONMENTS = sorted(path.stem for path in (ROOT / "envs").glob("*.yaml"))

# Import name to the name in the package index, where they differ.
DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "skdim": "scikit-dimension",
    "yaml": "pyyaml",
    "xgboost": "xgboost-cpu",
    "huggingface_hub": "huggingface-hub",
}

# Imported where they are needed and absent elsewhere: requirements-optional.txt pins them.
OPTIONAL = {"catboost", "datasets", "kagglehub", "openml"}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text):
    """Name to version; what only one system needs is among them."""
    found = re.findall(r"^([A-Za-z0-9_.-]+)==([^\s;]+)(?:$| [;\\])", text, re.MULTILINE)
    return {normal(name): version for name, version in found}


LOCK = pins((ROOT / "requirements.lock").read_text())
CUDA = pins((ROOT / "requirements-cuda.lock").read_text())
NODEPS = pins((ROOT / "requirements-nodeps.lock").read_text())
OPTIONAL_PINS = pins(re.sub(r" +#.*", "", (ROOT / "requirements-optional.txt").read_text()))


def environment(name):
    """The requirements of an environment's pip section; of conda come python and pip alone."""
    content = yaml.safe_load((ROOT / f"envs/{name}.yaml").read_text())
    assert content["channels"] == ["conda-forge"]
    python, pip, section = content["dependencies"]
    assert (python, pip) == ("python=3.11", "pip")
    return section["pip"]


def carried(name):
    """What is installed into an environment without what it needs."""
    script = ROOT / f"envs/{name}.post-deploy.sh"
    return pins("\n".join(script.read_text().split())) if script.exists() else {}


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
def test_every_requirement_is_pinned(name):
    listed = environment(name)
    assert len(pins("\n".join(listed))) == len(listed)


@pytest.mark.parametrize("name", sorted({*ENVIRONMENTS} - {"vllm"}))
def test_pins_agree_with_the_lock_file(name):
    """vLLM decides its own versions: its environment is installed nowhere else."""
    known = {**LOCK, **OPTIONAL_PINS}
    for package, version in pins("\n".join(environment(name))).items():
        # What only an optional package brings is pinned in the environment alone.
        assert known.get(package, version) == version, package
    for package, version in carried(name).items():
        assert NODEPS[package] == version, package


def test_pip_takes_every_line_of_a_requirements_file(tmp_path):
    """Conda hands the section to pip as a file, where options such as --no-deps are refused."""
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import parse_requirements

    for name in ENVIRONMENTS:
        file = tmp_path / name
        file.write_text("\n".join(environment(name)))
        read = list(parse_requirements(str(file), session=PipSession()))
        assert len(read) == len(environment(name)) > 5


def test_imports_are_found_behind_the_package():
    assert third_party("predict.py", []) == {"pandas", "pyarrow"}
    assert "torch" in third_party("infer.py", [ENGINES["transformers"].module])


@pytest.mark.parametrize(("name", "script", "modules"), [*rules(), *artifacts()])
def test_an_environment_holds_what_its_rule_imports(name, script, modules):
    upper = (ROOT / f"envs/{name}.yaml").read_text().partition("# what those need")[0]
    named = pins(re.sub(r"^ +- ", "", upper, flags=re.MULTILINE))
    for module in third_party(script, modules):
        assert DISTRIBUTIONS.get(module, module) in named, f"{script} imports {module}"


def test_optional_packages_are_pinned_apart():
    assert set(OPTIONAL_PINS) == OPTIONAL
    assert not OPTIONAL & set(LOCK)


def test_what_is_installed_is_what_is_locked():
    """requirements.txt pins a subset of the lock file, with the same versions."""
    direct = pins((ROOT / "requirements.txt").read_text())
    assert not set(CUDA) & {*LOCK, *NODEPS}
    assert len(direct) > 15
    for name, version in direct.items():
        assert LOCK[name] == version, name


@pytest.mark.slow
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_every_locked_version_can_be_installed(python, platform, tmp_path):
    """By the index's metadata: one interpreter is at hand, and wheels are not downloaded."""
    options = ["--no-deps", "--only-binary=:all:", f"--no-binary={','.join(SOURCE_ONLY)}"]
    options += [f"--python-version={python}", f"--python-platform={platform}"]
    for lock in ("requirements.lock", "requirements-nodeps.lock"):
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", *options]
        done = subprocess.run(
            [*command, str(ROOT / lock), "--output-file", str(tmp_path / lock)],
            env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"},  # torch's oldest
            check=False,
            capture_output=True,
            text=True,
        )
        assert not done.returncode, done.stderr
    assert len(pins((tmp_path / "requirements.lock").read_text())) > 130


@pytest.mark.slow
def test_the_lock_files_hold_together(tmp_path):
    """Each locked package finds what it needs among the locked ones, on each Python."""
    wanted = tmp_path / "wanted.txt"
    wanted.write_text((ROOT / "requirements.txt").read_text())
    constraints = [f"--constraint={ROOT / name}" for name in LOCK_FILES]
    for python in PYTHONS:
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header"]
        done = subprocess.run(
            [*command, "--no-annotate", f"--python-version={python}", *constraints, str(wanted)],
            check=False,
            capture_output=True,
            text=True,
        )
        assert not done.returncode, done.stderr
        assert pins(done.stdout).items() <= {**LOCK, **CUDA}.items()
