"""Lay out a call for approval: every line of it behind a gutter, as wide as the screen.

The lines are wrapped here, not by the terminal: a line that the terminal wraps goes on without the
gutter, where a call could draw a question of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import combining, east_asian_width

from seasoned.core.ids import canonical
from seasoned.tools.calls import escape_invisible

GUTTER = "  │ "
LEAST_WIDTH = 20  # columns for the call, however narrow the screen is
WIDE = ("W", "F")
TAB_COLUMNS = 4


def call_lines(params: Mapping[str, Any], width: int = 80) -> Sequence[str]:
    r"""Show the parameters of a call, all of them, with invisible characters as escapes.

    >>> print("\n".join(call_lines({"path": "a.txt", "text": "one\ntwo \x1b[2K"})))
      │ path: a.txt
      │ text: one
      │       two \x1b[2K
    >>> print("\n".join(call_lines({"text": "x" * 30}, 27)))
      │ text: xxxxxxxxxxxxxxxx
      │       xxxxxxxxxxxxxx
    """
    room = max(width - 1 - len(GUTTER), LEAST_WIDTH)
    lines: list[str] = []
    for name, value in params.items():
        text = value if isinstance(value, str) else canonical(value)
        lines += _parameter(escape_invisible(name), escape_invisible(text), room)
    return [f"{GUTTER}{line}".rstrip() for line in lines or ["(no parameters)"]]


def _parameter(name: str, text: str, room: int) -> Sequence[str]:
    """Return a parameter's lines; those after the first are indented where there is room."""
    start = f"{name}: "
    indent = " " * _columns(start) if 2 * _columns(start) <= room else "  "
    first, *rest = text.expandtabs(TAB_COLUMNS).split("\n")
    wrapped = _wrapped(start + first, room, len(indent))
    for line in rest:
        wrapped += _wrapped(indent + line, room, len(indent))
    return wrapped


def _wrapped(line: str, room: int, indent: int) -> list[str]:
    """Cut a line into pieces that fit; all but the first leave room for the indent."""
    pieces, piece, left = list[str](), "", room
    for sign in line:
        wide = _columns(sign)
        if wide > left:
            pieces.append(piece)
            piece, left = " " * indent, room - indent
        piece, left = piece + sign, left - wide
    return [*pieces, piece]


def _columns(text: str) -> int:
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in WIDE else 1 for sign in text
    )


def shortened_lines(lines: Sequence[str], most: int) -> Sequence[str]:
    """Return the beginning and the end of a long call, and how many lines are left out between.

    >>> shortened_lines([f"{GUTTER}{n}" for n in range(9)], 5)
    ['  │ 0', '  │ 1', '  ┆ … 5 of 9 lines are not shown …', '  │ 7', '  │ 8']
    """
    if len(lines) <= most:
        return lines
    first, last = most // 2, (most - 1) // 2
    hidden = f"  ┆ … {len(lines) - first - last:,} of {len(lines):,} lines are not shown …"
    return [*lines[:first], hidden, *lines[-last:]]
