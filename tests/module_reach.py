"""Which rules' code hash each module of the package is in: what an edit of it runs again.

module_reach.csv says it in words, to be reviewed with the change that made it so:

    PYTHONPATH=workflow/scripts python tests/module_reach.py
"""

import csv
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from tabbench.core.code_hash import hashed_files
from tabbench.inference.engines import ENGINES
from tabbench.reporting import registry
from tabbench.scitarc.registry import ARTIFACTS as SCITARC

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "workflow/scripts"
TABLE = Path(__file__).with_suffix(".csv")
NO_MODEL = "no model"
OTHERS = [
    *registry.COMPLEXITY,
    *registry.PROBES,
    *registry.BASELINES,
    *registry.PAPER,
    *registry.REPLICATION,
    *SCITARC,
]
KINDS = {"table.py": "tables", "figure.py": "figures"}


class Hashed(NamedTuple):
    """What a rule's code hash starts from.

    Attributes
    ----------
    modules : those that the script loads by name
    engine : of the model that the rule asks; such a rule is listed with each engine
    folder : of the table or figure, if it is always the same one
    """

    rule: str
    script: str
    modules: tuple[str, ...]
    engine: str = ""
    folder: str = ""


def rule_texts() -> dict[str, str]:
    """The text of every rule, by its name."""
    text = "\n".join(path.read_text() for path in sorted((ROOT / "rules").glob("*.smk")))
    return dict(re.findall(r"^rule (\w+):\n((?:[ \t].*\n|\n)+)", text, re.MULTILINE))


def hashed_rules() -> Iterator[Hashed]:
    """Every rule whose parameters hold a code hash."""
    for name, text in rule_texts().items():
        script = re.search(r"workflow/scripts/(\w+\.py)", text)
        asked = re.search(r"\*\*model_params\(\s*\"\w+\.py\", (\w+)", text)
        if asked:
            for engine, entry in ENGINES.items():
                yield Hashed(name, script[1], (entry.module,), engine)
            if asked[1] != "named_model":  # a dialogue may be replayed, a matcher may judge
                yield Hashed(name, script[1], (), NO_MODEL)
        elif "code=code(" in text:
            by_name = registry.COMPLEXITY[0].modules if "PLACEMENT_TABLE" in text else ()
            yield Hashed(name, script[1], tuple(by_name))
    for artifact in [*chain(*registry.QUESTIONS.values()), *OTHERS]:
        if artifact.function:
            script_name = f"{artifact.kind}.py"
            modules = tuple(artifact.modules)
            yield Hashed(artifact.rule, script_name, modules, folder=artifact.folder)


def module_name(path: Path) -> str:
    parts = path.relative_to(SCRIPTS).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def hashed_modules(script: str, modules: tuple[str, ...]) -> set[str]:
    """The modules that are in the hash of a script that loads some by name."""
    own = SCRIPTS / script
    return {module_name(path) for path in hashed_files(SCRIPTS, own, modules) - {own}}


def reach() -> dict[str, set[Hashed]]:
    """The hashes that each module is in."""
    files = (SCRIPTS / "tabbench").rglob("*.py")
    found: dict[str, set[Hashed]] = {module: set() for module in sorted(map(module_name, files))}
    for one in hashed_rules():
        for module in hashed_modules(one.script, one.modules):
            found[module].add(one)
    return found


def _groups(rules: set[Hashed]) -> list[tuple[str, set[Hashed]]]:
    """Hashes under a common name, the larger groups first."""
    groups = {"everything": rules}
    for one in rules:
        names = [one.rule]
        if one.script in KINDS:
            names += [f"all {KINDS[one.script]}"]
        if one.script in KINDS and one.folder:
            names += [f"{one.folder} {KINDS[one.script]}"]
        if one.engine:
            names += [f"{one.rule} ({one.engine})", f"model jobs ({one.engine})", "model jobs"]
        for name in names:
            groups.setdefault(name, set()).add(one)
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def described_reach() -> dict[str, str]:
    """For each module, without the package's name, what it reaches in words."""
    groups = _groups(set(hashed_rules()))
    described = {}
    for module, reached in reach().items():
        words, left = [], set(reached)
        for name, group in groups:
            if group <= left:
                words.append(name)
                left -= group
        described[module.removeprefix("tabbench.")] = ", ".join(sorted(words)) or "nothing"
    return described


def expected_reach() -> dict[str, str]:
    with TABLE.open(newline="", encoding="utf-8") as file:
        return {row["module"]: row["in the hash of"] for row in csv.DictReader(file)}


if __name__ == "__main__":
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("module", "in the hash of"))
        rows.writerows(described_reach().items())
