"""Print answers: tables for people, one JSON document for programs, notes on stderr.

rich is imported where it is used: it is slow, and `--json` and `--help` do without it.
"""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from seasoned.core.text import without_hidden

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text


def visible(text: str) -> str:
    """Replace hidden characters, so that a text cannot control the terminal or show another one.

    >>> visible("red \\x1b[31m text")
    'red \ufffd text'
    """
    return without_hidden(text, "\ufffd")


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


def table(columns: Sequence[str], rows: Sequence[Sequence["str | Text"]]) -> "RenderableType":
    """Return a table that wraps only its last column; `>` before a heading aligns right.

    Where it does not fit, each row becomes a list of its headings and values: no column is lost.
    """
    from seasoned.cli.show.tables import FittedTable

    return FittedTable(
        columns, [[words(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    )


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
