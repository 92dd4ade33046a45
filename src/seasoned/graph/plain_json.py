"""The graph as JSON: one object, with one node or triple per line."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from seasoned.core.errors import BadInput
from seasoned.graph.snapshot import GraphFormat, Snapshot, Unreadable, check_triple
from seasoned.graph.triple import Triple, check_predicate

T = TypeVar("T")

KINDS: dict[str, type | tuple[type, ...]] = {
    "subject": str,
    "predicate": str,
    "object": str,
    "weight": (int, float),
    "source": str,
    "at": int,
}
NEEDED = ("subject", "predicate", "object")


def write(graph: Snapshot) -> Iterator[str]:
    yield '{"nodes": ['
    yield from _listed({"id": node, "label": label} for node, label in graph.labels.items())
    yield '],\n"triples": ['
    yield from _listed({name: getattr(one, name) for name in KINDS} for one in graph.triples)
    yield "]}\n"


def _listed(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    between = "\n"
    for item in items:
        yield between + json.dumps(item, ensure_ascii=False)
        between = ",\n"


def read(text: str) -> Snapshot:
    try:
        document: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"not valid JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise Unreadable("not valid JSON: nested too deeply") from error
    if not isinstance(document, dict):
        raise Unreadable('the document must be an object with "nodes" and "triples"', 1)
    parts = cast("dict[str, Any]", document)
    return Snapshot(
        _each(text, parts, "triples", _triple), dict(_each(text, parts, "nodes", _label))
    )


def _each(
    text: str, parts: Mapping[str, Any], name: str, read_one: Callable[[Mapping[str, Any]], T]
) -> list[T]:
    found: list[T] = []
    for place, item in _items(parts, name):
        try:
            found.append(read_one(item))
        except Unreadable as error:
            raise Unreadable(error.reason, _line(text, name, place)) from error
    return found


def _line(text: str, name: str, place: int) -> int:
    """Return the line of the item with this number; 0 if unknown."""
    begun = re.search(rf'"{name}"\s*:\s*\[', text)
    at = begun.end() if begun else 0
    start = 0
    for _ in range(place if begun else 0):
        start = at + len(text[at:]) - len(text[at:].lstrip(" \t\r\n,"))
        _, at = json.JSONDecoder().raw_decode(text, start)
    return text.count("\n", 0, start) + 1 if start else 0


def _items(parts: Mapping[str, Any], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    listed: Any = parts.get(name, [])
    if not isinstance(listed, list):
        raise Unreadable(f'"{name}" must be a list')
    for place, item in enumerate(cast("list[Any]", listed), 1):
        if not isinstance(item, dict):
            raise Unreadable(f'number {place} of "{name}" must be an object')
        yield place, cast("dict[str, Any]", item)


def _label(item: Mapping[str, Any]) -> tuple[str, str]:
    node, label = item.get("id"), item.get("label")
    if not isinstance(node, str) or not isinstance(label, str):
        raise Unreadable("a node needs an id and a label, both texts")
    return node, label


def _triple(item: Mapping[str, Any]) -> Triple:
    given = {name: item[name] for name in KINDS if name in item}
    missing = [name for name in NEEDED if name not in given]
    if missing:
        raise Unreadable(f"a triple needs {' and '.join(missing)}")
    for name, value in given.items():
        if not isinstance(value, KINDS[name]) or isinstance(value, bool):
            raise Unreadable(f"{name} is {value!r}")
    try:
        check_predicate(given["predicate"])
    except BadInput as error:
        raise Unreadable(str(error)) from error
    return check_triple(Triple(**given))


JSON = GraphFormat("json", ".json", write, read)
