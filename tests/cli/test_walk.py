"""A walk over every command: its help, an empty store, an id that is not there, a closed pipe."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import Result

from seasoned.cli.main import app

Call = Callable[..., Result]


def commands(group: Any = None, *path: str) -> Iterator[tuple[str, ...]]:
    """Return the path of every command that the help shows."""
    found = getattr(group if group is not None else get_command(app), "commands", None)
    if found is None:
        yield path
        return
    for name, one in found.items():
        if not one.hidden:
            yield from commands(one, *path, name)


EVERY = list(commands())
LISTING = [path for path in EVERY if path[-1] in ("list", "stats", "status", "pending", "history")]
BY_ID = [
    *(("lessons", verb) for verb in ("show", "why", "forget")),
    *(("rules", verb) for verb in ("show", "activate", "deactivate", "share")),
    ("rules", "delete", "--yes"),
    ("examples", "show"),
    ("examples", "delete", "--yes"),
    ("corrections", "show"),
    ("corrections", "retry"),
    ("review", "accept"),
    ("review", "reject"),
    ("sessions", "show"),
    ("sessions", "end"),
    ("sessions", "delete", "--yes"),
    ("memory", "show"),
    ("librarian", "dismiss"),
    ("knowledge", "show"),
    ("knowledge", "remove"),
    ("skills", "show"),
    ("skills", "adopt"),
    ("skills", "retire"),
    *(("cron", verb) for verb in ("show", "pause", "resume", "run", "remove", "history")),
    *(("jobs", verb) for verb in ("show", "cancel")),
    *(("workflow", verb) for verb in ("show", "resume")),
]


def test_every_command_has_help(seasoned: Call) -> None:
    assert len(EVERY) > 60
    for path in EVERY:
        told = seasoned(*path, "--help")
        assert told.exit_code == 0, path
        assert told.stdout.splitlines()[2].strip(), path  # it says what it does


@pytest.mark.parametrize("path", LISTING, ids=" ".join)
def test_an_empty_store_is_listed(seasoned: Call, home: Path, path: tuple[str, ...]) -> None:
    from seasoned import Seasoned

    Seasoned(home / "seasoned.db").close()
    told = seasoned(*path)
    assert told.exit_code == 0, told.output
    assert told.output.strip(), "an empty answer leaves people wondering"
    json.loads(seasoned(*path, "--json").stdout)


@pytest.mark.parametrize("path", BY_ID, ids=" ".join)
def test_an_id_that_is_not_there_is_named(seasoned: Call, path: tuple[str, ...]) -> None:
    seasoned("teach", "--rule", "Be brief.")
    told = seasoned(*path, "nosuchthing")
    assert told.exit_code == 3, told.output
    assert told.stdout == ""
    (error,) = told.stderr.splitlines()
    assert error.startswith("error: ")
    assert "nosuchthing" in error


def test_a_closed_pipe_ends_the_command_quietly(seasoned: Call, home: Path) -> None:
    for args in ("config show", "config show --json", "--help"):
        line = f"{sys.executable} -m seasoned {args} | head -n 1"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
        assert len(done.stdout.splitlines()) == 1
        assert done.stderr == ""
