"""What the repository promises of itself."""

import re
import subprocess
from pathlib import Path

from tabbench.reporting import registry

ROOT = Path(__file__).parents[1]


def rule_names(files="*.smk"):
    text = "\n".join(path.read_text() for path in (ROOT / "rules").glob(files))
    return set(re.findall(r"^rule (\w+):", text, re.MULTILINE))


def test_every_script_belongs_to_a_rule_and_is_thin():
    scripts = {path.name for path in (ROOT / "workflow/scripts").glob("*.py")}
    assert scripts
    text = "\n".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
    of_registry = {f"{artifact.kind}.py" for artifact in registry.RQ1}
    assert scripts == {*re.findall(r"workflow/scripts/(\w+\.py)", text), *of_registry}
    for name in scripts:
        assert len((ROOT / "workflow/scripts" / name).read_text().splitlines()) <= 60, name


def test_no_raw_data_and_no_results_are_committed():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "Snakefile" in listed
    assert not [name for name in listed if name.startswith(("results/", "logs/"))]
    assert not [
        name for name in listed if name.endswith((".arff", ".dat", ".gguf", ".safetensors"))
    ]
