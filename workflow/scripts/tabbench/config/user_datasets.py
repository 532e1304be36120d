"""User datasets: a CSV and a short YAML next to it become a registry entry."""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tabbench.config.validation import load_yaml, validate
from tabbench.core.errors import TabBenchError
from tabbench.core.files import sha256

WORDS = (
    "title", "licence", "homepage", "rows", "derive", "target", "features", "drop", "missing",
    "decimal", "thousands", "max_shots", "task", "notes",
)  # fmt: skip
"""Keys of a registry entry that a user dataset's YAML may have; the others are filled in."""
NAME = "[A-Za-z0-9_]+"
FILE = {
    "description": "The csv, in this folder or below it; left out: the file of the YAML's name.",
    "type": "string",
}
READING = ("separator", "encoding", "header", "columns", "rename", "replace")
"""Keys that say how the file is read; in a registry entry they belong to the source."""


def own_schema(dataset_schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a user dataset's YAML, with the definitions of ``dataset.schema.yaml``."""
    source = dataset_schema["$defs"]["source"]["properties"]
    alone = dataset_schema["$defs"]["own"]["properties"]
    words = {key: dataset_schema["properties"][key] for key in WORDS}
    reading = {key: source[key] for key in READING}
    return {
        **dataset_schema,
        "properties": {"file": FILE, **reading, **words, **alone},
        "required": ["target", "task"],
    }


def own_entry(path: Path, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Read ``<name>.yaml`` and complete it to a registry entry.

    The csv's sha256 becomes part of the entry, so that another file is another dataset.

    Parameters
    ----------
    schema : what `own_schema` gives

    Raises
    ------
    TabBenchError
        When the YAML breaks the schema, or its csv is not there or not below the YAML's folder.
    """
    content = load_yaml(path, schema)
    validate(content, schema, str(path))
    file = Path(os.path.normpath(path.parent / content.get("file", f"{path.stem}.csv")))
    if not file.is_relative_to(os.path.normpath(path.parent)):
        raise TabBenchError(
            f"{path}: file '{content['file']}' is outside the folder {path.parent}; put the csv "
            f"there, or a link to it"
        )
    if not file.is_file():
        raise TabBenchError(f"{path}: no file {file}; put the csv there or name it as 'file'")
    source = {
        "kind": "local",
        "format": "csv",
        "files": [{"path": str(file), "sha256": sha256(file)}],
        **{key: content[key] for key in READING if key in content},
    }
    kept = {key: value for key, value in content.items() if key not in ("file", *READING)}
    return {
        "title": path.stem,
        "suite": "own",
        "domain": "other",
        "licence": "not stated",
        "features": {"*": "detect"},
        "sources": [source],
        **kept,
    }


def user_entries(
    folder: Path, dataset_schema: Mapping[str, Any], taken: Collection[str]
) -> dict[str, dict[str, Any]]:
    """All user datasets of a folder by name; none when it does not exist.

    Raises
    ------
    TabBenchError
        When a name cannot be part of a path or is that of a registry entry, or a YAML is faulty.
    """
    schema = own_schema(dataset_schema)
    entries = {}
    for path in sorted(folder.glob("*.yaml")):
        if not re.fullmatch(NAME, path.stem):
            raise TabBenchError(
                f"{path}: a name may contain only letters, digits and _; rename the file"
            )
        if path.stem in taken:
            raise TabBenchError(f"{path}: the registry has a dataset '{path.stem}'; rename yours")
        entries[path.stem] = own_entry(path, schema)
    return entries
