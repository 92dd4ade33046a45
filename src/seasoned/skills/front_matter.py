"""Reads and writes the head of a SKILL.md: the part of YAML that such heads are made of.

Names with texts, lists of texts, and tables of these, nested by indentation. Every value is a
text; what goes beyond this is an error that names the line, not a guess.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from seasoned.core.errors import BadInput

FENCE = "---"
KEY = re.compile(r"(?P<key>[A-Za-z_][\w.-]*)\s*:(?:\s+(?P<value>.*))?$")
# What means something else in YAML when it stands at the beginning of a text, or inside it.
SPECIAL = re.compile(
    r"^[\s\-?:,\[\]{}#&*!|>'\"%@`]|^$|\s$|: |:$| #|[\n\r\t\x00-\x1f\x7f-\x9f\u2028\u2029]"
)
DEEPEST = 8

Value = str | list[Any] | dict[str, Any]
Line = tuple[int, int, str]  # its number, how far it is indented, what it says


def split(text: str) -> tuple[dict[str, Any], str]:
    """The head of a file and its body; an empty head where it has none.

    >>> split("---\\nname: greet\\ntags: [a, b]\\n---\\nSay hello.\\n")
    ({'name': 'greet', 'tags': ['a', 'b']}, 'Say hello.\\n')
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != FENCE:
        return {}, text
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in (FENCE, "...")), None)
    if end is None:
        raise BadInput("the head begins with --- and never ends; close it with a line of ---")
    return parsed(lines[1:end]), "\n".join(lines[end + 1 :]).lstrip("\n")


def joined(head: Mapping[str, Any], body: str) -> str:
    """The same as a file."""
    return "\n".join([FENCE, *written(head), FENCE, "", body.strip("\n"), ""])


def parsed(lines: Sequence[str]) -> dict[str, Any]:
    """The lines between the fences."""
    told: list[Line] = []
    for number, line in enumerate(lines, 2):
        if "\t" in line[: len(line) - len(line.lstrip())]:
            raise BadInput(f"line {number} is indented with a tab; YAML takes spaces only")
        told.append((number, len(line) - len(line.lstrip()), line.strip()))
    table, rest = _table(told, 0, 0)
    if rest < len(told):
        raise BadInput(f"line {told[rest][0]}: {told[rest][2]!r} is indented like nothing above it")
    return table


def _table(lines: Sequence[Line], place: int, depth: int) -> tuple[dict[str, Any], int]:
    """The names and values of one indentation, and where it ends."""
    if depth > DEEPEST:
        raise BadInput(f"line {lines[place][0]} is nested more than {DEEPEST} deep")
    table: dict[str, Any] = {}
    place = _skipped(lines, place)
    indent = lines[place][1] if place < len(lines) else 0
    while place < len(lines) and lines[place][1] == indent:
        number, _, text = lines[place]
        found = KEY.match(text)
        if found is None:
            raise BadInput(f"line {number}: {text!r} is no `name: value`")
        key = found["key"]
        if key in table:
            raise BadInput(f"line {number}: {key} is given twice; keep one")
        given = (found["value"] or "").strip()
        table[key], place = _value(lines, place, given, depth)
        place = _skipped(lines, place)
    return table, place


def _value(lines: Sequence[Line], place: int, given: str, depth: int) -> tuple[Value, int]:
    number, indent, _ = lines[place]
    after = _skipped(lines, place + 1)
    deeper = after < len(lines) and lines[after][1] > indent
    listed = after < len(lines) and lines[after][1] >= indent and _is_item(lines[after][2])
    if given[:1] in ("|", ">"):
        return _block(lines, place + 1, indent, given)
    if not given and listed:
        return _list(lines, after)
    if not given and deeper:
        return _table(lines, after, depth + 1)
    if given.startswith("["):
        return _inline(given, number), place + 1
    if given.startswith(("{", "&", "*", "!", "%", "@", "`")):
        raise BadInput(f"line {number}: {given!r} is more than a plain text; put it in quotes")
    if given.startswith(("'", '"')):
        return _scalar(given, number), place + 1
    return _folded(lines, place, given)


def _folded(lines: Sequence[Line], place: int, given: str) -> tuple[str, int]:
    """A text that may go on in lines which are indented further."""
    indent, parts = lines[place][1], [_scalar(given, lines[place][0])]
    place += 1
    while place < len(lines) and lines[place][2] and lines[place][1] > indent:
        parts.append(_scalar(lines[place][2], lines[place][0]))
        place += 1
    return " ".join(part for part in parts if part), place


def _block(lines: Sequence[Line], place: int, indent: int, style: str) -> tuple[str, int]:
    """A text whose lines are kept (|) or folded (>)."""
    if style[1:].strip("+-") or len(style) > 2:
        raise BadInput(
            f"line {lines[place - 1][0]}: {style!r} is no way to begin a text; use | or >"
        )
    taken: list[Line] = []
    while place < len(lines) and (not lines[place][2] or lines[place][1] > indent):
        taken.append(lines[place])
        place += 1
    while taken and not taken[-1][2]:
        taken.pop()
    least = min((line[1] for line in taken if line[2]), default=0)
    kept = [" " * (line[1] - least) + line[2] if line[2] else "" for line in taken]
    if style[0] == "|":
        return "\n".join(kept), place
    return re.sub(r"(?<!\n)\n(?!\n)", " ", "\n".join(kept)).replace("\n\n", "\n"), place


def _list(lines: Sequence[Line], place: int) -> tuple[list[str], int]:
    items: list[str] = []
    indent = lines[place][1]
    while place < len(lines) and lines[place][1] == indent and _is_item(lines[place][2]):
        items.append(_scalar(lines[place][2][1:].strip(), lines[place][0]))
        place = _skipped(lines, place + 1)
    return items, place


def _inline(given: str, number: int) -> list[str]:
    """A list in brackets."""
    inner = re.sub(r"\s+#.*$", "", given)
    if not inner.endswith("]"):
        raise BadInput(f"line {number}: the list {given!r} is not closed with ]")
    pieces = re.findall(r"\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^,]*)\s*(?:,|$)", inner[1:-1])
    return [_scalar(piece.strip(), number) for piece in pieces if piece.strip()]


def _scalar(given: str, number: int) -> str:
    if given.startswith('"'):
        ended = re.match(r"\"(?:[^\"\\]|\\.)*\"", given)
        try:
            if ended is None:
                raise ValueError("it is not closed")
            return str(json.loads(ended[0], strict=False))
        except ValueError as error:
            raise BadInput(f"line {number}: {given!r} is no text in quotes: {error}") from error
    if given.startswith("'"):
        quoted = re.match(r"'((?:[^']|'')*)'", given)
        if quoted is None:
            raise BadInput(f"line {number}: {given!r} is not closed with a quote")
        return quoted[1].replace("''", "'")
    return "" if given.startswith("#") else re.sub(r"\s+#.*$", "", given)


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _skipped(lines: Sequence[Line], place: int) -> int:
    """The next line that says something."""
    while place < len(lines) and (not lines[place][2] or lines[place][2].startswith("#")):
        place += 1
    return place


def written(table: Mapping[str, Any], indent: int = 0) -> list[str]:
    """A table as lines that are read as the same again.

    >>> written({"name": "greet", "metadata": {"by": "me: #1"}, "tags": ["a"]})
    ['name: greet', 'metadata:', '  by: "me: #1"', 'tags: [a]']
    """
    lines: list[str] = []
    space = " " * indent
    for key, value in table.items():
        if not KEY.fullmatch(f"{key}:"):
            raise BadInput(f"{key!r} cannot be a name in the head; use letters, digits, - and _")
        if isinstance(value, Mapping):
            inner = cast("Mapping[str, Any]", value)
            lines += [f"{space}{key}:", *written(inner, indent + 2)] if inner else []
        elif isinstance(value, str):
            lines.append(f"{space}{key}: {_told(value)}")
        else:
            items = ", ".join(_told(str(one), listed=True) for one in value)
            lines.append(f"{space}{key}: [{items}]")
    return lines


def _told(text: str, *, listed: bool = False) -> str:
    quoted = SPECIAL.search(text) or (listed and re.search(r"[,\[\]'\"]", text))
    return json.dumps(text, ensure_ascii=False) if quoted else text
