"""Split a Markdown text into messages that a platform takes, without breaking its code blocks.

A cut falls between paragraphs, else between lines, sentences or words. A code block that is cut is
closed in one piece and opened again, with its language, in the next.
"""

import re
from collections.abc import Callable, Sequence

Measure = Callable[[str], int]

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^\n]*)")
BOUNDARIES = ("\n\n", "\n", ". ", "! ", "? ", " ")
LEAST_FILLED = 3  # a cut in the first third of what fits is too early
LONGEST_LANGUAGE = 20


def split(text: str, limit: int, measure: Measure = len) -> Sequence[str]:
    """Return the pieces in order, each at most `limit` long by `measure`.

    >>> split("One two. Three four.", 12)
    ['One two.', 'Three four.']
    """
    pieces: list[str] = []
    opening, rest = "", text.strip("\n")
    while rest.strip():
        start = f"{opening}\n" if opening else ""
        end = _end(start, rest, limit, measure)
        piece = start + rest[:end]
        pieces.append(closed(piece).strip("\n") if opening else closed(piece).strip())
        opening = open_fence(piece)
        rest = rest[end:] if opening else rest[end:].lstrip("\n").lstrip(" ")
        if opening:
            rest = rest.removeprefix("\n")
    return pieces


def open_fence(text: str) -> str:
    """Return the line that opens the code block in which a text ends; empty if it ends in none.

    >>> open_fence("Look:\\n```python\\nx = 1")
    '```python'
    """
    fence = language = ""
    for line in text.split("\n"):
        found = FENCE.fullmatch(line)
        if found is None:
            continue
        marker, info = found[1], found[2].strip()
        if not fence:
            if not (marker[0] == "`" and "`" in info):
                fence, language = marker, (info.split() or [""])[0][:LONGEST_LANGUAGE]
        elif marker[0] == fence[0] and len(marker) >= len(fence) and not info:
            fence = ""
    return f"{fence}{language}" if fence else ""


def closed(text: str) -> str:
    """Close the code block in which a text ends."""
    opening = open_fence(text)
    if not opening:
        return text
    marker = opening[: len(opening) - len(opening.lstrip(opening[0]))]
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{marker}"


def _end(start: str, rest: str, limit: int, measure: Measure) -> int:
    """Return how much of the rest goes into the next piece."""

    def fits(end: int) -> bool:
        return measure(closed(start + rest[:end])) <= limit

    if fits(len(rest)):
        return len(rest)
    low, high = 1, len(rest)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    end = _boundary(start, rest, low)
    while end > 1 and not fits(end):  # what is visible need not grow evenly
        end = _boundary(start, rest, end - 1)
    return end


def _boundary(start: str, rest: str, most: int) -> int:
    """Return the best place for a cut among the first `most` characters."""
    for mark in BOUNDARIES[:2] if open_fence(start + rest[:most]) else BOUNDARIES:
        found = rest.rfind(mark, most // LEAST_FILLED, most)
        if found > 0:
            return _outside_marker(rest, found + len(mark.rstrip()) if mark.strip() else found)
    return _outside_marker(rest, most)


def _outside_marker(rest: str, end: int) -> int:
    """Move a cut that falls into or right behind a line of fence to the start of that line."""
    line = rest.rfind("\n", 0, end) + 1
    following = rest.find("\n", end)
    whole = rest[line : following if following >= 0 else len(rest)]
    is_closing = end == line + len(whole) and not open_fence(rest[:end])
    if line > 0 and FENCE.fullmatch(whole) and not is_closing:
        return line
    return max(end, 1)
