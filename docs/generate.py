"""Pages of the reference, written from what the workflow itself reads.

    python docs/generate.py

Keys come from the JSON schemas, columns from the declared files, tables and figures from the
registries, and the graph of rules from Snakemake. Sphinx calls this before it reads the pages; what
is written here is not in the repository.
"""

import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "reference" / "generated"
THUMBNAILS = ROOT / "docs" / "images" / "thumbnails"
"""Of the figures of a default run; `thumbnails.py` writes them."""
sys.path.insert(0, str(ROOT / "workflow" / "scripts"))

from tabbench.config.user_datasets import own_schema  # noqa: E402
from tabbench.core import schemas as core_schemas  # noqa: E402
from tabbench.core.frames import Schema  # noqa: E402
from tabbench.reporting import registry  # noqa: E402
from tabbench.reporting.artifact import Artifact  # noqa: E402
from tabbench.reporting.page.questions import artifact_title, section  # noqa: E402
from tabbench.scitarc import schemas as scitarc_schemas  # noqa: E402
from tabbench.scitarc.registry import ARTIFACTS as SCITARC  # noqa: E402

Json = Mapping[str, Any]


def read_schemas() -> dict[str, dict[str, Any]]:
    """The schemas of configurations, models and datasets, completed as the workflow does it."""
    found = {}
    for name in ("config", "model", "dataset"):
        text = (ROOT / "config" / "schemas" / f"{name}.schema.yaml").read_text(encoding="utf-8")
        found[name] = yaml.safe_load(text)
    found["config"]["$defs"]["ask"] = found["dataset"]["$defs"]["ask"]
    return found


def schema_page(schema: Json, level: int = 2) -> str:
    """Every key of a JSON schema: a section for each key at the top, nested keys below it."""
    text = "\n".join(_keys(schema, level))
    return text.replace("](../docs/", "](../")  # a schema's links start from config/


def _keys(schema: Json, level: int) -> Iterator[str]:
    for name, part in schema["properties"].items():
        value = _resolved(schema, part)
        needed = "required" if name in schema.get("required", ()) else "optional"
        yield f"{'#' * level} `{name}`\n\n*{_type(schema, value)}; {needed}*\n"
        if "description" in value:
            yield value["description"].strip() + "\n"
        for below, text in _below(schema, value, f"{name}."):
            yield f"`{below}`\n: {text}\n"


def _below(schema: Json, node: Json, prefix: str) -> Iterator[tuple[str, str]]:
    """Path and text of each key under a key, of every alternative and of list items."""
    for part in _alternatives(schema, node):
        for name, value in part.get("properties", {}).items():
            value, path = _resolved(schema, value), f"{prefix}{name}"
            text = value.get("description", "").strip().replace("\n\n", "\n\n  ")
            yield path, f"*{_type(schema, value)}.* {text}".strip()
            yield from _below(schema, value, f"{path}.")
        further = part.get("additionalProperties")
        if isinstance(further, dict) and "properties" in _resolved(schema, further):
            yield from _below(schema, _resolved(schema, further), f"{prefix}<name>.")


def _alternatives(schema: Json, node: Json) -> Iterator[Json]:
    yield node
    for key in ("oneOf", "anyOf"):
        for part in node.get(key, ()):
            yield from _alternatives(schema, _resolved(schema, part))
    if isinstance(node.get("items"), dict):
        yield from _alternatives(schema, _resolved(schema, node["items"]))


def _resolved(schema: Json, node: Json) -> dict[str, Any]:
    """A node with what it refers to; its own description comes first."""
    if "$ref" not in node:
        return dict(node)
    target: Any = schema
    for part in node["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return dict(target) | {key: value for key, value in node.items() if key != "$ref"}


_TYPES = {
    "object": "mapping",
    "array": "list",
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
}


def _type(schema: Json, node: Json) -> str:
    if "enum" in node:
        return " or ".join(f"`{value}`" for value in node["enum"])
    if "const" in node:
        return f"`{node['const']}`"
    kinds = node.get("type")
    if kinds is None:
        parts = [part for key in ("oneOf", "anyOf") for part in node.get(key, ())]
        found = [_type(schema, _resolved(schema, part)) for part in parts]
        return " or ".join(dict.fromkeys(found)) or "any value"
    names = [_TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    if kinds == "array" and isinstance(node.get("items"), dict):
        names = [f"list of {_type(schema, _resolved(schema, node['items']))}"]
    return " or ".join(names) + _bounds(node)


def _bounds(node: Json) -> str:
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "multipleOf": "a multiple of",
    }
    found = [f"{word} {node[key]}" for key, word in words.items() if key in node]
    return f", {' and '.join(found)}" if found else ""


def columns_page() -> str:
    """Every declared file with its columns."""
    parts = []
    for schema in sorted(_declared(), key=lambda schema: schema.name):
        rows = [
            f"| `{c.name}` | {_cell(str(c.type))} | {_cell(c.meaning)} |" for c in schema.columns
        ]
        more = "\nFurther columns are a dataset's features.\n" if schema.open else ""
        table = "\n".join(["| column | type | meaning |", "| --- | --- | --- |", *rows])
        parts.append(f"## {schema.name}\n\n{table}\n{more}")
    return "\n".join(parts)


def _declared() -> Iterator[Schema]:
    found = {}
    for package in (core_schemas, scitarc_schemas):
        for module in _modules(package):
            found |= {id(v): v for v in vars(module).values() if isinstance(v, Schema)}
    yield from found.values()


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(module.name)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def artifacts_page() -> str:
    """Every table and figure of the registries, by the folder that it lies in."""
    parts = []
    folders: dict[str, list[Artifact]] = {}
    for artifact in [*_registered(), *SCITARC]:
        folders.setdefault(artifact.folder, []).append(artifact)
    for folder, artifacts in folders.items():
        rows = [
            f"| {_title(a)} | {_picture(a) or a.kind} | `results/{folder}/{a.name}.*` |"
            for a in artifacts
        ]
        table = "\n".join(["| what | kind | files |", "| --- | --- | --- |", *rows])
        parts.append(f"## {section(folder).title}: `results/{folder}/`\n\n{table}\n")
    return "\n".join(parts)


def figures() -> list[Artifact]:
    return [one for one in [*_registered(), *SCITARC] if one.kind == "figure"]


def _picture(artifact: Artifact) -> str:
    """The thumbnail of a figure; nothing where there is none."""
    place = Path(artifact.folder) / f"{artifact.name}.png"
    if artifact.kind != "figure" or not (THUMBNAILS / place).exists():
        return ""
    # Half of its pixels, in the page that includes this one.
    return f"![{_title(artifact)}](../images/thumbnails/{place})"


def _title(artifact: Artifact) -> str:
    return _cell(artifact.title or artifact_title(artifact.name, artifact.folder))


def _registered() -> Iterator[Artifact]:
    for artifacts in registry.QUESTIONS.values():
        yield from artifacts
    for name in ("COMPLEXITY", "PROBES", "BASELINES", "DATASETS", "PAPER", "REPLICATION"):
        yield from getattr(registry, name)


def rules_page(dot: str) -> str:
    """The graph of rules that Snakemake prints; rules of tables and figures are one node."""
    names = dict(re.findall(r'(\d+)\[label = "([^"\\]+)', dot))
    drawn = {artifact.rule for artifact in [*_registered(), *SCITARC]}
    shown = {number: "tables and figures" if n in drawn else n for number, n in names.items()}
    edges = {(shown[a], shown[b]) for a, b in re.findall(r"(\d+) -> (\d+)", dot)}
    lines = [f'  "{a}" -> "{b}"' for a, b in sorted(_reduced(edges)) if a != b]
    look = 'rankdir=LR; node [shape=box, style=rounded, fontname="sans-serif", fontsize=11];'
    head = ["```{graphviz}", ":alt: Rules and what they wait for", "", "digraph rules {"]
    return "\n".join([*head, f"  {look}", *lines, "}", "```", ""])


def _reduced(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Edges without those that a longer way between the same two rules already says."""
    after: dict[str, set[str]] = {}
    for a, b in edges:
        if a != b and b != "all":
            after.setdefault(a, set()).add(b)

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        waiting = list(after.get(start, ()))
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += after.get(one, ())
        return found

    return {
        (a, b)
        for a, below in after.items()
        for b in below
        if not any(b in reached(other) for other in below - {b})
    }


def rule_graph() -> str:
    """What ``snakemake --rulegraph`` prints for the default configuration."""
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "dot", "--quiet"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"snakemake --rulegraph failed:\n{done.stderr}")
    return done.stdout


def write_all() -> None:
    """Write every page of the reference."""
    OUT.mkdir(parents=True, exist_ok=True)
    pages = {
        "columns": columns_page(),
        "artifacts": artifacts_page(),
        "rules": rules_page(rule_graph()),
    }
    schemas = read_schemas()
    for name, schema in schemas.items():
        pages[name] = schema_page(schema, level=3 if name == "config" else 2)
    pages["own_dataset"] = schema_page(own_schema(schemas["dataset"]))
    for name, page in pages.items():
        (OUT / f"{name}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write_all()
