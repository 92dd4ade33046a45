"""Change a JSON file as a person would: one place of it, and every other byte stays.

Comments and trailing commas are read, too: some assistants allow them. Where a document has a
member or an item in one line, a new one goes into that line; else it gets lines of its own, in the
document's indentation.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from seasoned.core.errors import BadInput

Key = str | int
BOM = "\ufeff"
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SAME_LINE = re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^\n]*?\*/[ \t]*(?=\r?\n))")
_DEPTH = 100


class BrokenJson(BadInput):
    """The text is no JSON; the message says where."""


@dataclass(slots=True)
class Entry:
    """A member of an object, or an item of an array."""

    key: Key
    start: int  # of its key, or of the item
    value: "Node"
    comma: int | None = None  # position of the comma after it


@dataclass(slots=True)
class Node:
    """A value and where it stands."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int = 0
    entries: list[Entry] = field(default_factory=list[Entry])
    scalar: Any = None

    def at(self, path: Sequence[Key]) -> "Node | None":
        """Find the value at a path."""
        node: Node | None = self
        for key in path:
            found = [one.value for one in node.entries if one.key == key] if node else []
            node = found[-1] if found else None
        return node

    @property
    def value(self) -> Any:
        if self.kind == "object":
            return {one.key: one.value.value for one in self.entries}
        if self.kind == "array":
            return [one.value.value for one in self.entries]
        return self.scalar


def parse(text: str) -> Node:
    """Read a text into values with their places.

    >>> parse('{"a": [1, {"b": "x"}], // why\\n}').value
    {'a': [1, {'b': 'x'}]}
    """
    node, end = _Reader(text).value(_skip(text, len(BOM) if text.startswith(BOM) else 0), 0)
    end = _skip(text, end)
    if end != len(text):
        raise _broken(text, end, "there is more after the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, place: int, depth: int) -> tuple[Node, int]:
        sign = self.text[place : place + 1]
        if depth > _DEPTH:
            raise _broken(self.text, place, "it is nested too deep")
        if sign in ("{", "["):
            return self._container("object" if sign == "{" else "array", place, depth)
        found = _STRING.match(self.text, place) or _SCALAR.match(self.text, place)
        if found is None:
            raise _broken(self.text, place, "a value is missing")
        return Node("scalar", place, found.end(), scalar=_scalar(self.text, found)), found.end()

    def _container(
        self, kind: Literal["object", "array"], start: int, depth: int
    ) -> tuple[Node, int]:
        node, closing = Node(kind, start), "}" if kind == "object" else "]"
        place = _skip(self.text, start + 1)
        while self.text[place : place + 1] != closing:
            if node.entries and node.entries[-1].comma is None:
                raise _broken(self.text, place, f"a comma or {closing} is missing")
            begin, key = place, cast("Key", len(node.entries))
            if kind == "object":
                key, place = self._key(place)
            value, place = self.value(place, depth + 1)
            node.entries.append(Entry(key, begin, value))
            place = _skip(self.text, place)
            if self.text[place : place + 1] == ",":
                node.entries[-1].comma = place
                place = _skip(self.text, place + 1)
        node.end = place + 1
        return node, node.end

    def _key(self, place: int) -> tuple[str, int]:
        found = _STRING.match(self.text, place)
        if found is None:
            raise _broken(self.text, place, "a name in double quotes is missing")
        colon = _skip(self.text, found.end())
        if self.text[colon : colon + 1] != ":":
            raise _broken(self.text, colon, "a colon is missing")
        return str(_scalar(self.text, found)), _skip(self.text, colon + 1)


def _scalar(text: str, found: re.Match[str]) -> Any:
    try:
        return json.loads(found[0], strict=False)
    except ValueError as error:
        raise _broken(text, found.start(), str(error)) from error


def _skip(text: str, place: int) -> int:
    """Return the next place that is no space and no comment."""
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _broken(text: str, place: int, why: str) -> BrokenJson:
    line = text.count("\n", 0, place) + 1
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    return BrokenJson(f"line {line}, column {column}: {why}")


def added(text: str, path: Sequence[str], key: str | None, value: Any) -> str:
    """Add a member (`key`) to the object at a path, or an item (None) to the array there.

    Objects on the way that are missing are made; a member that exists is replaced.

    >>> added('{"a": 1}', ["hooks"], "x", True)
    '{"a": 1, "hooks": {"x": true}}'
    """
    if not text.strip().lstrip(BOM):
        text = "{}\n"
    root = parse(text)
    node, done = root, 0
    while done < len(path) and (inner := node.at([path[done]])) is not None:
        node, done = inner, done + 1
    missing = path[done:]
    if missing:
        whole: Any = [value] if key is None else {key: value}
        for name in reversed(missing[1:]):
            whole = {name: whole}
        key, value = missing[0], whole
    wanted = "array" if key is None else "object"
    if node.kind != wanted:
        shown = ".".join(path[:done]) or "the document"
        raise BadInput(f"{shown} is no {wanted}; correct the file, then try again")
    known = node.at([key]) if key is not None else None
    if known is not None:
        written = _written(value, _indent_at(text, known.start), text)
        return text[: known.start] + written + text[known.end :]
    return _inserted(text, node, key, value)


def _inserted(text: str, node: Node, key: str | None, value: Any) -> str:
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    newline = "\r\n" if "\r\n" in text else "\n"
    base = _indent_at(text, node.start)
    if not node.entries:
        inside = text[node.start + 1 : node.end - 1].rstrip()
        indent = base + _unit(text)
        entry = f"{newline}{indent}{name}{_written(value, indent, text)}{newline}{base}"
        return text[: node.start + 1] + inside + entry + text[node.end - 1 :]
    last = node.entries[-1]
    first = node.entries[0]
    if "\n" not in text[node.start : first.start]:  # it stands in one line
        short = name + json.dumps(value, ensure_ascii=False)
        if last.comma is not None:
            return f"{text[: last.comma + 1]} {short},{text[last.comma + 1 :]}"
        return f"{text[: last.value.end]}, {short}{text[last.value.end :]}"
    indent = _indent_at(text, first.start)
    entry = f"{newline}{indent}{name}{_written(value, indent, text)}"
    if last.comma is not None:
        place = _after_remark(text, last.comma + 1)
        return f"{text[:place]}{entry},{text[place:]}"
    place = _after_remark(text, last.value.end)
    between = text[last.value.end : place]
    return f"{text[: last.value.end]},{between}{entry}{text[place:]}"


def removed(text: str, path: Sequence[Key]) -> str:
    """Remove the member or item at a path, with its comma and its line.

    >>> removed('{"a": 1, "b": [2, 3]}', ["b", 0]), removed('{"a": 1, "b": 2}', ["b"])
    ('{"a": 1, "b": [3]}', '{"a": 1}')
    """
    node = parse(text).at(path[:-1])
    assert node is not None, f"nothing at {path}"
    number = max(n for n, one in enumerate(node.entries) if one.key == path[-1])
    entry = node.entries[number]
    if len(node.entries) == 1:
        inside = text[node.start + 1 : entry.start] + text[_end_of(entry) : node.end - 1]
        kept = inside.rstrip() if inside.strip() else ""
        tail = text[node.end - 1 :]
        if kept:
            ending = "\r\n" if "\r\n" in text else "\n"
            return f"{text[: node.start + 1]}{kept}{ending}{_indent_at(text, node.start)}{tail}"
        return text[: node.start + 1] + tail
    begin, end = _line_start(text, entry.start), _end_of(entry)
    if number < len(node.entries) - 1:
        if begin == entry.start:  # more stands before it in its line
            return text[:begin] + text[end:].lstrip(" \t")
        return text[:begin] + text[end:]
    before = node.entries[number - 1]
    if entry.comma is None and before.comma is not None:  # the one before is the last now
        middle = text[before.comma + 1 : begin]
        return (
            text[: before.comma]
            + (middle.rstrip(" \t") if begin == entry.start else middle)
            + text[end:]
        )
    return text[:begin] + text[end:]


def _line_start(text: str, place: int) -> int:
    """Return where the line before a place ends, if only spaces stand between; else the place."""
    found = re.search(r"\r?\n[ \t]*$", text[:place])
    return found.start() if found else place


def _end_of(entry: Entry) -> int:
    return entry.value.end if entry.comma is None else entry.comma + 1


def _after_remark(text: str, place: int) -> int:
    """Skip a comment that stands in the same line: it belongs to what it follows."""
    found = _SAME_LINE.match(text, place)
    return found.end() if found else place


def _indent_at(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))].lstrip(BOM)


def _unit(text: str) -> str:
    """Return one step of the document's indentation; two spaces if it shows none."""
    found = re.search(r"\n([ \t]+)\"", text)
    return found[1] if found else "  "


def _written(value: Any, indent: str, text: str) -> str:
    unit = _unit(text)
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return ("\r\n" if "\r\n" in text else "\n").join(
        [lines[0], *(indent + one for one in lines[1:])]
    )
