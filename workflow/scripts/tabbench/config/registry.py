"""Entries of the dataset and model registries: one YAML file each, read into typed records."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tabbench.config.validation import load_yaml, validate
from tabbench.core.errors import TabBenchError, closest


def load_entries(
    folder: Path, names: Sequence[str], schema: Mapping[str, Any], kind: str
) -> dict[str, dict[str, Any]]:
    """Read and validate the entries ``names`` of a registry folder, as plain mappings.

    Raises
    ------
    TabBenchError
        When a name has no file (with the closest valid name) or a file breaks the schema.
    """
    available = {path.stem: path for path in sorted(folder.glob("*.yaml"))}
    entries = {}
    for name in names:
        if name not in available:
            raise TabBenchError(f"unknown {kind} '{name}': {closest(name, available)}")
        entries[name] = load_yaml(available[name], schema)
        validate(entries[name], schema, str(available[name]))
    return entries
