"""Check an answer against the part of JSON Schema that the questions to models use.

Objects accept only the keys they name, unless `additionalProperties` is true; a type may be a
list, as `["string", "null"]`.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from seasoned.core.text import one_line

Schema = Mapping[str, Any]

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    ),
}
BOUNDS = frozenset(("maxLength", "maxItems", "minimum", "maximum"))
KNOWN = BOUNDS | {
    *("type", "description", "enum", "properties", "required", "additionalProperties", "items")
}


def complaint(value: Any, schema: Schema, where: str = "the answer") -> str:
    """Say what is wrong with a value, in words a model can act on; empty if nothing is.

    >>> asked = {"type": "object", "properties": {"sure": {"type": "number", "maximum": 1}}}
    >>> complaint({"sure": 2}, asked)
    'the answer.sure is 2, above 1'
    >>> complaint({"sure": 1, "more": 1}, asked)
    "the answer has the key 'more', which is not asked for"
    """
    types = _types(schema)
    if not any(TYPES[name](value) for name in types):
        return f"{where} is {_shown(value)}, not of type {' or '.join(types)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} is {_shown(value)}, not one of {_shown(schema['enum'])}"
    for kind, check in CHECKS.items():
        if isinstance(value, kind) and not isinstance(value, bool):
            return check(value, schema, where)
    return ""


def without_bounds(schema: Schema) -> dict[str, Any]:
    """Drop limits on length and size, which some services reject; `complaint` checks them."""
    kept = {name: given for name, given in schema.items() if name not in BOUNDS}
    if "properties" in kept:
        kept["properties"] = {
            name: without_bounds(inner) for name, inner in kept["properties"].items()
        }
    if "items" in kept:
        kept["items"] = without_bounds(kept["items"])
    return kept


def unknown_keywords(schema: Schema) -> set[str]:
    """Return the keywords of a schema that `complaint` does not check."""
    inner = [*schema.get("properties", {}).values()]
    inner += [schema["items"]] if "items" in schema else []
    return (set(schema) - KNOWN).union(*map(unknown_keywords, inner))


def _types(schema: Schema) -> list[str]:
    given = schema["type"]
    return [given] if isinstance(given, str) else list(given)


def _object(value: dict[str, Any], schema: Schema, where: str) -> str:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{where} lacks the key {name!r}"
    for name, inner in value.items():
        if name not in properties:
            if schema.get("additionalProperties") is True:
                continue
            return f"{where} has the key {_shown(name)}, which is not asked for"
        if said := complaint(inner, properties[name], f"{where}.{name}"):
            return said
    return ""


def _array(value: list[Any], schema: Schema, where: str) -> str:
    most = schema.get("maxItems")
    if most is not None and len(value) > most:
        return f"{where} has {len(value)} items, more than {most}"
    for place, inner in enumerate(value):
        if "items" in schema and (said := complaint(inner, schema["items"], f"{where}[{place}]")):
            return said
    return ""


def _string(value: str, schema: Schema, where: str) -> str:
    most = schema.get("maxLength")
    if most is not None and len(value) > most:
        return f"{where} has {len(value)} characters, more than {most}"
    return ""


def _number(value: float, schema: Schema, where: str) -> str:
    if "minimum" in schema and value < schema["minimum"]:
        return f"{where} is {value}, below {schema['minimum']}"
    if "maximum" in schema and value > schema["maximum"]:
        return f"{where} is {value}, above {schema['maximum']}"
    return ""


CHECKS = cast(
    "dict[type, Callable[[Any, Schema, str], str]]",
    {dict: _object, list: _array, str: _string, int: _number, float: _number},
)


def _shown(value: Any) -> str:
    return one_line(repr(value), 120)
