"""Print answers: tables for people, one JSON document for programs, notes on stderr.

rich is imported where it is used: it is slow, and `--json` and `--help` do without it.
"""

import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

# Characters that move the cursor or change the writing direction in a terminal.
CONTROL_CHARS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Replace control characters, so that a text cannot control the terminal.

    >>> visible("red \\x1b[31m text")
    'red \ufffd[31m text'
    """
    return CONTROL_CHARS.sub("\ufffd", text)


def console(*, stderr: bool = False) -> "Console":
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def say(*parts: "RenderableType") -> None:
    """Print for people, on stdout."""
    screen = console()
    if screen.is_terminal:
        _print(screen, parts)
        return
    with screen.capture() as captured:
        _print(screen, parts)
    # Tables pad their last column with spaces, which are no use in a file or a pipe.
    typer.echo("\n".join(line.rstrip() for line in captured.get().split("\n")), nl=False)


def _print(screen: "Console", parts: Sequence["RenderableType"]) -> None:
    from rich.text import Text

    for part in parts:
        shown = words(part) if isinstance(part, str) else part
        # In a pipe, sentences and paths are not wrapped, so that they can be searched and copied.
        whole = isinstance(shown, Text) and not screen.is_terminal
        screen.print(shown, soft_wrap=whole)


def note(text: str) -> None:
    """Print progress, problems and errors on stderr."""
    typer.echo(visible(text), err=True)


def emit(document: Any) -> None:
    """Print the answer as one JSON document."""
    wide = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    typer.echo(json.dumps(document, indent=2, ensure_ascii=not wide, default=str))


def words(text: str, style: str = "") -> "Text":
    """Return a text without interpreting brackets as markup."""
    from rich.text import Text

    return Text(visible(text), style=style)


def heading(text: str) -> "Text":
    return words(f"\n{text}", "bold")


def indented(text: str, style: str = "", by: int = 2) -> "Padding":
    from rich.padding import Padding

    return Padding(words(text, style), (0, 0, 0, by))


def framed(text: str, title: str, style: str = "") -> "Padding":
    """Put a text into a frame."""
    from rich.padding import Padding
    from rich.panel import Panel

    frame = Panel(words(text), title=words(title), title_align="left", border_style=style)
    return Padding(frame, (0, 0, 0, 2))


def table(columns: Sequence[str], rows: Sequence[Sequence["str | Text"]]) -> "Table":
    """Return a table that wraps only its last column; `>` before a heading aligns right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    grid = Table(
        box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold"
    )
    for place, column in enumerate(columns):
        grid.add_column(
            column.lstrip(">"),
            justify="right" if column.startswith(">") else "left",
            no_wrap=place < len(columns) - 1,
            overflow="fold",
        )
    for row in rows:
        grid.add_row(*(words(cell) if isinstance(cell, str) else cell for cell in row))
    return grid


def pairs(rows: Sequence[tuple[str, str]]) -> "Table | Text":
    """Lay out names and values, one pair per line."""
    from rich.table import Table

    if not console().is_terminal:
        wide = max((len(name) for name, _ in rows), default=0)
        return words("\n".join(f"  {name:<{wide}}  {value}" for name, value in rows))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(f"  {name}", words(value))
    return grid


def many(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> many(1, "file"), many(1200, "call"), many(0, "entry", "entries")
    ('1 file', '1,200 calls', '0 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
