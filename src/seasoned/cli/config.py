"""`seasoned config show`: every setting, its value, and where it came from."""

import re
from typing import Any

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, heading, pairs, say, table

app = typer.Typer(no_args_is_help=True, help="See the settings in force.")

PASSWORD = re.compile(r"(?<=://)([^:/@\s]*):[^/@\s]+@")


@command(app, "show")
def show(options: Options) -> None:
    """Show each setting with its value and its origin: default, profile or environment."""
    from seasoned.config import load

    config = load()
    database = options.database or config.database_url
    rows = [(key, without_password(value), origin) for key, value, origin in config.rows()]
    if options.json:
        emit(
            {
                "home": str(config.home),
                "profile": str(config.profile),
                "database": without_password(database),
                "settings": [{"key": k, "value": v, "origin": o} for k, v, o in rows],
            }
        )
        return
    there = "" if config.profile.exists() else " (not there: defaults hold)"
    say(
        pairs(
            [
                ("home", str(config.home)),
                ("profile", f"{config.profile}{there}"),
                ("database", str(without_password(database))),
            ]
        ),
        heading("Settings"),
        table(
            ("key", "value", "origin"), [(key, spelt(value), origin) for key, value, origin in rows]
        ),
    )


def spelt(value: Any) -> str:
    """A value as it would be written in the profile.

    >>> spelt(True), spelt(0.7), spelt("")
    ('true', '0.7', '""')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def without_password(value: Any) -> Any:
    """An address that may be shown.

    >>> without_password("postgresql://ana:secret@db.example.com/agents")
    'postgresql://ana:…@db.example.com/agents'
    """
    return PASSWORD.sub(r"\1:…@", value) if isinstance(value, str) else value
