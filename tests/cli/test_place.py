"""Which commands make a database, and where: a look at things leaves none behind."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Call = Callable[..., Result]

READING = (
    ("lessons", "status"),
    ("lessons", "list"),
    ("recall", "anything"),
    ("review",),
    ("rules", "list"),
    ("rules", "conflicts"),
    ("examples", "list"),
    ("corrections", "pending"),
    ("corrections", "history"),
    ("feedback", "list"),
    ("feedback", "stats"),
    ("stats",),
    ("sessions", "list"),
    ("memory", "list"),
    ("librarian", "list"),
    ("knowledge", "list"),
    ("skills", "list"),
    ("graph", "status"),
    ("graph", "query"),
    ("graph", "stats"),
    ("audit", "verify"),
    ("config", "show"),
    ("doctor",),
)


@pytest.mark.parametrize("args", READING, ids=" ".join)
def test_a_look_at_a_fresh_installation_makes_nothing(
    seasoned: Call, home: Path, args: tuple[str, ...]
) -> None:
    shown = seasoned(*args)
    assert shown.exit_code == 0, shown.output
    if args[0] not in ("config", "doctor"):
        assert f"no database at {home / 'seasoned.db'} yet" in shown.stderr
    assert ":memory:" not in shown.output
    assert isinstance(json.loads(seasoned(*args, "--json").stdout), (dict, list))
    assert not home.exists()


@pytest.mark.parametrize("args", [one for one in READING if one[0] != "config"], ids=" ".join)
def test_a_mistyped_database_is_told_and_not_made(
    seasoned: Call, tmp_path: Path, args: tuple[str, ...]
) -> None:
    for path, why in (
        (tmp_path / "nope" / "x.db", f"no folder {tmp_path / 'nope'}"),
        (tmp_path / "x.db", f"no database at {tmp_path / 'x.db'} yet"),
    ):
        told = seasoned("--db", path, *args)
        assert told.exit_code == (1 if args == ("doctor",) else 3), told.output
        assert why in told.output
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "args",
    [
        ("teach", "--rule", "Be brief."),
        ("observe", "deploy", "--error", "no region"),
        ("corrections", "add", "No, use podman, not docker."),
        ("feedback", "add", "positive", "--prompt", "a", "--response", "b"),
        ("adapt", "reward", "search", "bm25", "1"),
        ("demo",),
    ],
    ids=" ".join,
)
def test_a_command_that_records_makes_a_file_and_no_folder(
    seasoned: Call, tmp_path: Path, args: tuple[str, ...]
) -> None:
    told = seasoned("--db", tmp_path / "nope" / "x.db", *args)
    assert told.exit_code == 3
    assert "mkdir -p" in told.stderr
    assert list(tmp_path.iterdir()) == []
    assert seasoned("--db", tmp_path / "x.db", *args).exit_code == 0
    assert (tmp_path / "x.db").exists()


def test_a_command_that_records_makes_the_home(seasoned: Call, home: Path) -> None:
    assert seasoned("teach", "--rule", "Be brief.").exit_code == 0
    assert (home / "seasoned.db").exists()
