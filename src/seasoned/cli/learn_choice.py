"""`seasoned learn` without a path: which of the sessions on this machine to learn from."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from seasoned.cli.command import Options
from seasoned.cli.show.render import emit, many, note, say, table, words
from seasoned.core.errors import BadInput

if TYPE_CHECKING:
    from seasoned.transcripts.installed import FoundProject

_NUMBERS = re.compile(r"\d+(?:-\d+)?(?:[\s,]+\d+(?:-\d+)?)*")
SECOND = 1_000_000


def chosen_sessions(options: Options, *, yes: bool) -> list[Path] | None:
    """Return the files to learn from; None if the person wants none, or is not there to say.

    In the latter case the sessions are listed.
    """
    from seasoned.config import environment
    from seasoned.transcripts.installed import Machine, found_projects

    variables = environment()
    home = Path(variables.get("HOME") or variables.get("USERPROFILE") or "~").expanduser()
    found = found_projects(Machine(home, Path.cwd(), sys.platform, variables))
    if not found:
        raise BadInput(
            f"found no sessions of a coding assistant in {home}; "
            "if you have transcripts elsewhere: seasoned learn PATH…"
        )
    if yes:
        return _files(found)
    if options.json:
        emit({"found": [_shape(one) for one in found]})
        return None
    _show(found)
    if not sys.stdin.isatty():
        note("Nothing was learned yet. Type `seasoned learn --yes` to learn from all of them, or")
        note("`seasoned learn PATH…` for some; --dry-run shows first what would be learned.")
        return None
    return _files(_asked(found)) or None


def _files(projects: "Sequence[FoundProject]") -> list[Path]:
    return [path for one in projects for path in one.files]


def _show(found: "Sequence[FoundProject]") -> None:
    from seasoned.core.clock import SystemClock, ago

    now = SystemClock().now()
    rows = [
        (
            str(number),
            one.name or "no project",
            ", ".join(f"{name} {count:,}" for name, count in one.assistants.items()),
            ago(round(one.last * SECOND), now),
        )
        for number, one in enumerate(found, 1)
    ]
    total = sum(one.sessions for one in found)
    say(words(f"{many(total, 'session')} of coding assistants on this machine:", "bold"))
    say(table((">", "project", "sessions", "last"), rows))


def _asked(found: "Sequence[FoundProject]") -> "list[FoundProject]":
    """Ask until the answer can be understood."""
    while True:
        typer.echo("Learn from which? all, none, or numbers (1,3 or 1-4): ", nl=False, err=True)
        answer = sys.stdin.readline()
        if not answer:
            raise typer.Abort
        chosen = chosen_numbers(answer, len(found))
        if chosen is not None:
            return [found[number - 1] for number in chosen]
        note(f"please answer all, none, or numbers from 1 to {len(found)}")


def chosen_numbers(answer: str, most: int) -> list[int] | None:
    """Return the numbers that an answer chooses, None if it cannot be understood.

    >>> chosen_numbers("1, 3-4", 5), chosen_numbers("all", 2), chosen_numbers("no", 2)
    ([1, 3, 4], [1, 2], [])
    >>> chosen_numbers("7", 5) is None
    True
    """
    said = answer.strip().lower()
    if said in ("all", "a", "yes", "y"):
        return list(range(1, most + 1))
    if said in ("none", "no", "n", "q", ""):
        return []
    if not _NUMBERS.fullmatch(said):
        return None
    chosen: set[int] = set()
    for part in re.split(r"[\s,]+", said):
        first, _, last = part.partition("-")
        begin, end = int(first), int(last or first)
        if not 1 <= begin <= end <= most:
            return None
        chosen.update(range(begin, end + 1))
    return sorted(chosen)


def _shape(one: "FoundProject") -> dict[str, object]:
    return {
        "project": one.project,
        "name": one.name,
        "sessions": one.sessions,
        "assistants": dict(one.assistants),
        "last": round(one.last * SECOND),
        "files": [str(path) for path in one.files],
    }
