"""Check a YAML mapping against a JSON schema and report errors in terms of its keys."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tabbench.core.errors import TabBenchError, closest


class _UniqueKeyLoader(yaml.SafeLoader):
    """A key written twice is an error, not a silent replacement."""


def _construct_unique_mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise TabBenchError(f"{node.start_mark.name}: key '{key}' is written twice")
    return loader.construct_mapping(node, deep=True)


_UniqueKeyLoader.add_constructor("tag:yaml.org,2002:map", _construct_unique_mapping)


def load_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML mapping.

    Raises
    ------
    TabBenchError
        When the file is missing, is not YAML, holds a key twice or is not a mapping.
    """
    try:
        with path.open(encoding="utf-8") as file:
            content = yaml.load(file, _UniqueKeyLoader)
    except FileNotFoundError as error:
        raise TabBenchError(f"{path}: no such file") from error
    except yaml.YAMLError as error:
        raise TabBenchError(f"{path}: not valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise TabBenchError(f"{path}: expected a mapping of keys to values")
    return content


def _explain(error: ValidationError) -> str:
    if error.context:
        deepest = max(error.context, key=lambda e: (len(e.absolute_path), e.validator != "type"))
        return _explain(deepest)
    place = ".".join(str(part) for part in error.absolute_path)
    where = f"'{place}'" if place else "top level"
    instance, schema = error.instance, cast(Mapping[str, Any], error.schema)
    if error.validator == "additionalProperties" and isinstance(instance, Mapping):
        known = schema.get("properties", {})
        unknown = [key for key in instance if key not in known]
        return "; ".join(
            f"unknown key '{f'{place}.' if place else ''}{key}': {closest(str(key), known)}"
            for key in unknown
        )
    if error.validator == "enum":
        valid = map(str, cast(list[object], error.validator_value))
        return f"{where}: unknown value '{instance}': {closest(str(instance), valid)}"
    if error.validator == "not":
        return f"{where}: {instance} does not go with the other keys (see config/README.md)"
    return f"{where}: {error.message}"


def validate(content: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> None:
    """Raise a TabBenchError that lists every fault of ``content`` (``name`` says what it is)."""
    errors = sorted(
        Draft202012Validator(schema).iter_errors(content),
        key=lambda e: list(map(str, e.absolute_path)),
    )
    if errors:
        lines = "\n".join(f"  - {_explain(error)}" for error in errors)
        raise TabBenchError(f"{name}: {len(errors)} problem(s):\n{lines}")
