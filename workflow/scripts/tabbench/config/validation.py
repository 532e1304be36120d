"""Check a YAML mapping against a JSON schema and report errors in terms of its keys."""

import datetime
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tabbench.core.errors import TabBenchError, closest

PLAIN_TITLE = "^[^<]*$"
"""The pattern of titles in the schemas: pages and reports show them."""
LARGEST = 100_000
"""Largest number of keys and values of a YAML file, its aliases written out."""
_EXPONENT = re.compile(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+")
"""A number with an exponent, which YAML 1.1 takes for text where it lacks point or sign."""
_JSON_TYPES = {bool: ("boolean",), int: ("integer", "number"), float: ("number",)}


class _Reader:
    """Builds a YAML file's content as its schema wants it: scalars as text where it wants text."""

    def __init__(self, path: Path, schema: Mapping[str, Any]) -> None:
        self._path = path
        self._schema = schema
        self._count = 0

    def read(self, text: str) -> Any:
        self._loader = yaml.SafeLoader(text)
        try:
            node = self._loader.get_single_node()
            return None if node is None else self._build(node, [self._schema])
        finally:
            self._loader.dispose()

    def _build(self, node: yaml.Node, schemas: Sequence[Mapping[str, Any]]) -> Any:
        self._count += 1
        if self._count > LARGEST:
            raise TabBenchError(
                f"{self._path}: more than {LARGEST:,} keys and values, aliases (*name) written out"
            )
        places = [one for schema in schemas for one in self._alternatives(schema)]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, places)
        if isinstance(node, yaml.SequenceNode):
            items = [one["items"] for one in places if isinstance(one.get("items"), Mapping)]
            return [self._build(child, items) for child in node.value]
        return self._scalar(cast(yaml.ScalarNode, node), places)

    def _mapping(
        self, node: yaml.MappingNode, places: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for key_node, value in node.value:
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag.endswith(":merge"):
                raise TabBenchError(f"{self._path}: keys must be words; << is not read")
            if key in content:
                raise TabBenchError(f"{self._path}: key '{key}' is written twice")
            below = [
                one.get("properties", {}).get(key, one.get("additionalProperties"))
                for one in places
            ]
            content[key] = self._build(value, [one for one in below if isinstance(one, Mapping)])
        return content

    def _scalar(self, node: yaml.ScalarNode, places: Sequence[Mapping[str, Any]]) -> Any:
        try:
            value = self._loader.construct_object(node)
        except (ValueError, AttributeError):  # 2024-99-99 is no date, and no fault
            return str(node.value)
        if any(_allows(one, value) for one in places):
            return value
        if isinstance(value, str):
            number = node.style is None and any(_allows(one, 0.5) for one in places)
            return float(value) if number and _EXPONENT.fullmatch(value) else value
        text = isinstance(value, datetime.date) or any(_allows(one, node.value) for one in places)
        return node.value if text else value

    def _alternatives(self, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The schema, what it refers to and the branches that it may take."""
        yield schema
        if "$ref" in schema:
            *_, name = schema["$ref"].split("/")
            yield from self._alternatives(self._schema["$defs"][name])
        for branches in (schema.get("oneOf", ()), schema.get("anyOf", ()), schema.get("allOf", ())):
            for one in branches:
                yield from self._alternatives(one)
        if "then" in schema:
            yield from self._alternatives(schema["then"])


def _allows(schema: Mapping[str, Any], value: object) -> bool:
    """Whether a schema names the type of a scalar, or as an enumeration one value of its type."""
    if "const" in schema or "enum" in schema:
        named = [schema["const"]] if "const" in schema else schema["enum"]
        return any(type(one) is type(value) for one in named)
    types = schema.get("type", ())
    types = [types] if isinstance(types, str) else types
    fitting = ("string",) if isinstance(value, str) else _JSON_TYPES.get(type(value), ("null",))
    return any(one in types for one in fitting)


def load_yaml(path: Path, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Read a YAML mapping; keys are text as written, and so are scalars where ``schema`` says so.

    YAML reads ``NO`` as false, ``2024-01-01`` as a date, ``12:30`` as 750 and ``0123`` as 83:
    where the schema wants text and no such value, the characters of the file are kept.

    Raises
    ------
    TabBenchError
        When the file cannot be read, is not YAML, holds a key twice, is not a mapping, or has
        more than ``LARGEST`` keys and values.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = unicodedata.normalize("NFC", file.read())
        content = _Reader(path, schema or {}).read(text)
    except FileNotFoundError as error:
        raise TabBenchError(f"{path}: no such file") from error
    except OSError as error:
        raise TabBenchError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TabBenchError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from error
    except yaml.YAMLError as error:
        raise TabBenchError(f"{path}: not valid YAML: {error}") from error
    except RecursionError as error:
        raise TabBenchError(f"{path}: nested too deeply, or an alias contains itself") from error
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
    if error.validator == "pattern" and error.validator_value == PLAIN_TITLE:
        return f"{where}: '{instance}' holds '<', which a page could take for HTML; write it out"
    if error.validator == "not":
        return f"{where}: {instance} does not go with the other keys (see config/schemas)"
    if schema.get("writeOnly"):  # it may hold a secret, so that its value is not repeated
        return f"{where}: not as it should be: {schema['description']}"
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
