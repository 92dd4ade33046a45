"""The tree of commands: what a newcomer sees, and what a wrong name is told."""

from collections.abc import Callable
from itertools import combinations

import pytest
from typer.testing import Result

from seasoned.cli.tree import SECTIONS, SHOWN

Call = Callable[..., Result]


def test_help_shows_every_command_once_in_its_section(seasoned: Call) -> None:
    from typer.main import get_command

    from seasoned.cli.main import app

    commands = getattr(get_command(app), "commands", {})
    assert sorted(SHOWN) == sorted(name for name, one in commands.items() if not one.hidden)
    told = seasoned("--help").stdout
    for title in SECTIONS:
        assert f"{title}:" in told
    for name in SHOWN:
        assert sum(line.startswith(f"  {name} ") for line in told.splitlines()) == 1, name
    assert told.index("Start here:") < told.index("Options:")


def test_help_reads_well_on_a_terminal_of_eighty_columns(
    seasoned: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for args in ((), *((name,) for name in SHOWN)):
        told = seasoned(*args, "--help").stdout
        assert max(map(len, told.splitlines())) <= 80
        assert "...\n" not in told.partition("\n")[2], args  # no line is cut off


def test_no_two_commands_begin_alike() -> None:
    settled = [name for name in SHOWN if name != "worker"]  # everybody calls it so
    for one, other in combinations(settled, 2):
        assert one[:4] != other[:4], (one, other)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("lern", "`seasoned learn`"),
        ("why", "`seasoned lessons why`"),
        ("forget", "`seasoned lessons forget`"),
        ("reward", "`seasoned adapt reward`"),
        ("correct", "`seasoned corrections`"),
        ("zzz", "`seasoned --help` lists all"),
    ],
)
def test_a_wrong_name_is_told_what_may_be_meant(seasoned: Call, typed: str, meant: str) -> None:
    told = seasoned(typed)
    assert told.exit_code == 2
    assert meant in told.stderr


def test_the_names_of_the_source_document_work(seasoned: Call) -> None:
    seasoned("learning", "teach", "--rule", "Be brief.")
    assert "Be brief." in seasoned("learning", "history").stdout
    assert seasoned("learning", "status").exit_code == 0
    assert "\n  learning " not in seasoned("--help").stdout
