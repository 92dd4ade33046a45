"""Call every operation of an OpenAPI document: values for its parameters and bodies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

Json = dict[str, Any]
ORDER = ("get", "head", "options", "post", "put", "patch", "delete")  # the destructive ones last
DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a document."""

    method: str
    path: str
    parameters: tuple[Json, ...]
    body: Json | None

    @property
    def name(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def placeholders(self) -> list[str]:
        return [one["name"] for one in self.parameters if one["in"] == "path"]


def operations(document: Json) -> list[Operation]:
    """Return the operations, those that only read first, and those on one thing before the rest."""
    found: list[Operation] = []
    for path, item in document["paths"].items():
        for method in (one for one in ORDER if one in item):
            asked: Json = item[method]
            given = (*item.get("parameters", ()), *asked.get("parameters", ()))
            content: Json = asked.get("requestBody", {}).get("content", {})
            body = content.get("application/json", {}).get("schema")
            found.append(Operation(method, path, tuple(given), body))
    return sorted(found, key=lambda one: (ORDER.index(one.method), not one.placeholders))


class Filler:
    """Values that fit a document's schemas; names in `known` get the values given there."""

    def __init__(self, document: Json, known: Mapping[str, Any], text: str) -> None:
        self._document = document
        self._known = known
        self._text = text

    def query(self, operation: Operation, *, bare: bool) -> dict[str, Any]:
        """Return the parameters of a request: those required, and unless `bare` known ones."""
        return {
            one["name"]: self._value(one["name"], one["schema"])
            for one in operation.parameters
            if one["in"] == "query"
            and (one.get("required") or (one["name"] in self._known and not bare))
        }

    def body(self, operation: Operation) -> Any:
        return None if operation.body is None else self._value("", operation.body)

    def _value(self, name: str, schema: Json, depth: int = 0) -> Any:
        schema = self._resolved(schema)
        if "const" in schema or "enum" in schema:
            return schema.get("const", next(iter(schema.get("enum", ())), None))
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return [self._value(name, schema.get("items", {}), depth + 1)]
        if kind in ("boolean", "integer", "number"):
            least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
            number = max(1, least) if schema.get("maximum", 1) >= 1 else least
            return False if kind == "boolean" else number
        longest = schema.get("maxLength", 10_000)
        return str(self._known.get(name, self._text))[:longest]

    def _object(self, schema: Json, depth: int) -> Json:
        if depth > DEEPEST:
            return {}
        required = set(schema.get("required", ()))
        properties: dict[str, Json] = schema.get("properties", {})
        wanted = [name for name in properties if name in required or name in self._known]
        if not wanted and properties:  # an edit of nothing is refused
            wanted = [next(iter(properties))]
        return {name: self._value(name, properties[name], depth + 1) for name in wanted}

    def _resolved(self, schema: Json) -> Json:
        while True:
            if "$ref" in schema:
                found: Any = self._document
                for part in schema["$ref"].removeprefix("#/").split("/"):
                    found = found[part]
                schema = cast("Json", found)
                continue
            for joined in ("anyOf", "oneOf", "allOf"):
                if joined in schema:
                    options = [one for one in schema[joined] if one.get("type") != "null"]
                    schema = options[0] if options else {"type": "null"}
                    break
            else:
                return schema


def filled(path: str, names: list[str], value: str) -> str:
    """Put a value into every placeholder of a path."""
    for name in names:
        path = path.replace(f"{{{name}}}", quote(value, safe="")).replace(
            f"{{{name}:path}}", quote(value)
        )
    return path


def texts_of(value: Any) -> Iterator[str]:
    """Return all texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in cast("Json", value).values():
            yield from texts_of(one)
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from texts_of(one)
