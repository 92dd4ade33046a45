"""Walk JSON text and note where each value stands, so that texts go in and nothing else changes.

A request is never decoded and written anew: what a provider sees differs from what the client sent
by the inserted texts alone, to the byte.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

_DECODER = json.JSONDecoder(strict=False)
_BLANK = " \t\n\r"


class NotJson(ValueError):
    """The text is not one JSON value."""


@dataclass(frozen=True, slots=True)
class Span:
    """A value, and the part of the text that holds it.

    `parts` has the spans of the members or elements, if the value was opened.
    """

    value: Any
    start: int
    end: int
    parts: Any = None


def read_object(text: str, lists: Collection[str] = ()) -> dict[str, Span]:
    """Return the members of the object that a text consists of; the named lists are opened.

    >>> read_object('{"a": [1, 2]}', ["a"])["a"].parts[1]
    Span(value=2, start=10, end=11, parts=None)
    """
    start = _skip(text, 0)
    members, end = _members(text, start, lists)
    if _skip(text, end) != len(text):
        raise NotJson(f"more text after the value, at character {end}")
    return members


def members(text: str, span: Span) -> dict[str, Span]:
    """Open a value that is an object; empty for any other."""
    return _members(text, span.start, ())[0] if isinstance(span.value, dict) else {}


def elements(text: str, span: Span) -> list[Span]:
    """Open a value that is a list; empty for any other."""
    if span.parts is not None:
        return cast("list[Span]", span.parts)
    return _elements(text, span.start)[0] if isinstance(span.value, list) else []


def _members(text: str, start: int, lists: Collection[str]) -> tuple[dict[str, Span], int]:
    found: dict[str, Span] = {}
    place = _expect(text, start, "{")
    while _at(text, place) != "}":
        if found or _at(text, place) == ",":
            place = _expect(text, place, ",")
        name = _value(text, place)
        if not isinstance(name.value, str):
            raise NotJson(f"no name at character {place}")
        place = _expect(text, _skip(text, name.end), ":")
        if name.value in lists and _at(text, place) == "[":
            parts, end = _elements(text, place)
            found[name.value] = Span([part.value for part in parts], place, end, parts)
        else:
            found[name.value] = _value(text, place)
        place = _skip(text, found[name.value].end)
    return found, place + 1


def _elements(text: str, start: int) -> tuple[list[Span], int]:
    found: list[Span] = []
    place = _expect(text, start, "[")
    while _at(text, place) != "]":
        if found:
            place = _expect(text, place, ",")
        found.append(_value(text, place))
        place = _skip(text, found[-1].end)
    return found, place + 1


def _value(text: str, place: int) -> Span:
    try:
        value, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError) as error:
        raise NotJson(f"no JSON value at character {place}") from error
    return Span(value, place, end)


def _expect(text: str, place: int, character: str) -> int:
    if _at(text, place) != character:
        raise NotJson(f"expected {character!r} at character {place}")
    return _skip(text, place + 1)


def _at(text: str, place: int) -> str:
    return text[place : place + 1]


def _skip(text: str, place: int) -> int:
    while text[place : place + 1] in _BLANK and place < len(text):
        place += 1
    return place


class Insertion(NamedTuple):
    """A piece of JSON, and where it goes."""

    at: int
    piece: str
    instead: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text goes into a request, and the JSON that it needs around it."""

    at: int
    before: str = ""
    after: str = ""
    lead: str = ""  # goes before the text, and is part of the value
    inside: bool = False  # of a string that is there
    instead: int = 0  # characters that the text stands for: those of a null

    def insertion(self, said: str) -> "Insertion":
        quoted = json.dumps(self.lead + said)
        written = quoted[1:-1] if self.inside else f"{self.before}{quoted}{self.after}"
        return Insertion(self.at, written, self.instead)


def at_end_of_text(span: Span) -> Place:
    """Append to a string, after a blank line."""
    return Place(span.end - 1, lead="\n\n" if span.value else "", inside=True)


def at_end_of_list(span: Span, before: str, after: str) -> Place:
    """Append an element; `before` and `after` are its JSON around the text."""
    return Place(span.end - 1, f",{before}" if span.value else before, after)


def as_member(span: Span, name: str, before: str = "", after: str = "") -> Place:
    """Add a member at the end of an object."""
    comma = "," if span.value else ""
    return Place(span.end - 1, f'{comma}"{name}":{before}', after)


def as_first_member(body: str, name: str, before: str = "", after: str = "") -> Place:
    """Add a member at the start of the object that a body consists of, which has others."""
    start = _skip(body, 0) + 1
    return Place(start, f'"{name}":{before}', f"{after},")


def in_place_of(null: Span) -> Place:
    """Give a value to a member that is null."""
    return Place(null.start, instead=null.end - null.start)


def inserted(text: str, insertions: Iterable[Insertion]) -> str:
    """Return the text with all insertions; those at one place stay in their order.

    >>> inserted('{"a":"b"}', [at_end_of_text(Span("b", 5, 8)).insertion('"c"')])
    '{"a":"b\\\\n\\\\n\\\\"c\\\\""}'
    """
    pieces: list[str] = []
    done = 0
    for place, piece, instead in sorted(insertions, key=lambda one: one.at):
        pieces += (text[done:place], piece)
        done = place + instead
    return "".join((*pieces, text[done:]))


def text_member(found: Mapping[str, Span], name: str) -> str:
    """Return a member if it is a string, else an empty one."""
    span = found.get(name)
    return span.value if span is not None and isinstance(span.value, str) else ""
