"""`--use-conda`: every rule runs in the environment that it names, and finds there what it imports.

A stand-in for conda (tests/conda) makes the environments: all of them but vLLM's, which is
resolved. Snakemake too has one of its own, so that nothing comes from the tests' environment.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest
from fault_server import MODEL, fault_server
from rerun_expectations import append, closure, edited, jobs
from test_environments import artifacts, environment, normal, rules, third_party
from workflow_copy import ROOT, TINY, WorkflowCopy

pytestmark = pytest.mark.slow

STAND_IN = ROOT / "tests/conda"
MADE = {"core", "complexity", "tabular", "transformers", "openai"}
RULES = [*rules(), *artifacts()]


class CondaCopy(WorkflowCopy):
    """A copy whose runs use conda: the stand-in, with environments in ``environments``."""

    environments: Path

    def command(self, *arguments: str) -> list[str]:
        python = str(self.environments / "snakemake/bin/python")
        conda = ("--use-conda", "--conda-prefix", str(self.environments))
        return [python, *super().command(*arguments, *conda)[1:]]

    def environment(self) -> dict[str, str]:
        return stand_in(self.environments, super().environment())

    def seen(self) -> dict[str, dict[str, set[str]]]:
        """Script to the environments that it ran in, and what came from elsewhere there."""
        found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        names = {(ROOT / f"envs/{name}.yaml").read_bytes(): name for name in (*MADE, "snakemake")}
        for line in (self.environments / "witness.jsonl").read_text().splitlines():
            process = json.loads(line)
            name = Path(process["script"]).name
            if ".snakemake/scripts" in process["script"]:
                file = Path(process["prefix"]).with_suffix(".yaml")
                script = name.split(".", 1)[1]
                found[script][names[file.read_bytes()]] |= set(process["foreign"])
        return found


def stand_in(environments: Path, variables: dict[str, str]) -> dict[str, str]:
    """Environment variables of a shell in which the stand-in is conda."""
    here = Path(sys.executable).parent
    paths = [str(STAND_IN / "bin"), str(environments / "snakemake/bin")]
    paths += [path for path in variables["PATH"].split(os.pathsep) if Path(path) != here]
    return variables | {
        "PATH": os.pathsep.join(paths),
        "STAND_IN_PYTHON": sys.executable,
        "STAND_IN_WITNESS": str(environments / "witness.jsonl"),
    }


@pytest.fixture(scope="module")
def ran(tmp_path_factory, pytestconfig):
    """A finished run with ``--use-conda`` of the tiny configuration and an endpoint."""
    folder = Path(pytestconfig.cache.mkdir("use_conda"))
    (folder / "witness.jsonl").unlink(missing_ok=True)
    begun = time.monotonic()
    file, prefix = ROOT / "envs/snakemake.yaml", folder / "snakemake"
    done = folder / "snakemake.yaml"
    if not done.exists() or done.read_bytes() != file.read_bytes():
        shutil.rmtree(prefix, ignore_errors=True)
        create = ["conda", "env", "create", "--quiet", "--no-default-packages"]
        subprocess.run(
            [*create, "--file", str(file), "--prefix", str(prefix)],
            env=stand_in(folder, dict(os.environ)),
            check=True,
        )
        shutil.copy(file, done)
    copy = CondaCopy.create(tmp_path_factory.mktemp("use_conda") / "copy")
    copy.environments = folder
    with fault_server() as server:
        entry = {
            "title": "Served",
            "family": "served",
            "licence": "none",
            "homepage": "http://127.0.0.1",
            "engine": "openai",
            "weights": {"served": MODEL},
            "style": "completion",
            "dtype": "undisclosed",
            "server": "test",
            "endpoint": {"url": server.url},
            "limits": {"in_flight": 4},
        }
        (copy.folder / "resources/models/served.yaml").write_text(json.dumps(entry))
        copy.configure(models=[*TINY["models"], "served"], datasets=["tae"], shots=[0, 6])
        planned = set(copy.planned())
        copy.run("--conda-create-envs-only")
        made = time.monotonic()
        copy.run()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"environments: {made - begun:.0f} s, {size / 1e9:.1f} GB")
    print(f"run: {time.monotonic() - made:.0f} s")
    return copy, planned


def test_every_rule_runs_in_its_environment(ran):
    copy, planned = ran
    allowed = defaultdict(set)
    for rule in RULES:
        allowed[rule.values[1]].add(rule.values[0])
    seen = copy.seen()
    scripts = {rule.values[1] for rule in RULES if rule.id.split("-")[0] in planned}
    assert set(seen) == scripts
    for script, environments in seen.items():
        assert set(environments) <= allowed[script], script
    assert {name for environments in seen.values() for name in environments} == MADE


def test_nothing_that_a_rule_imports_comes_from_elsewhere(ran):
    """What libraries look for by themselves, and find with Snakemake, is theirs."""
    needed = defaultdict(set)
    for rule in RULES:
        name, script, modules = rule.values
        needed[script, name] |= third_party(script, modules)
    for script, environments in ran[0].seen().items():
        for name, foreign in environments.items():
            assert not foreign & needed[script, name], f"{script} in {name}"


def test_a_finished_run_has_nothing_to_do(ran):
    assert ran[0].planned() == {}


def test_an_edited_environment_reruns_its_rules_and_no_others(ran):
    copy, _ = ran
    path = "envs/complexity.yaml"
    with edited(copy, path):
        append(copy, path, "      - tzdata\n")
        assert jobs(copy.planned()) == closure({"intrinsic", "dimension real"})


def test_a_missing_package_fails_the_rule_that_needs_it(ran):
    """The stand-in hides nothing: an environment without a package breaks its rule."""
    copy, _ = ran
    path = "envs/complexity.yaml"
    with edited(copy, path):
        file = copy.folder / path
        kept = [line for line in file.read_text().splitlines() if "scikit-dimension" not in line]
        file.write_text("\n".join(kept) + "\n")
        output = copy.run("results/rq6/intrinsic.parquet", fails=True)
    assert "No module named 'skdim'" in output


def test_vllms_environment_can_be_resolved():
    """For Linux with glibc 2.34 or newer, from wheels alone, with nothing unpinned."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header", "-"]
    options = ["--no-annotate", "--only-binary=:all:", "--python-version=3.11"]
    options += ["--python-platform=x86_64-manylinux_2_34"]
    wanted = "\n".join(environment("vllm"))
    done = subprocess.run(
        [*command, *options], input=wanted, check=False, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    resolved = {line.split("==")[0] for line in done.stdout.splitlines()}
    brought = resolved - {normal(line.split("==")[0]) for line in environment("vllm")}
    assert all(name.startswith(("nvidia-", "cuda-", "triton")) for name in brought), brought
