"""`seasoned config show`: every setting, its value, and where it came from."""

from typing import Any

import typer

from seasoned.cli.commands import command
from seasoned.cli.options import Options
from seasoned.cli.render import emit, heading, pairs, say, table
from seasoned.db.address import without_password

app = typer.Typer(no_args_is_help=True, help="See the settings in force.")


@command(app, "show")
def show(options: Options) -> None:
    """Show each setting with its value and its origin: default, profile or environment."""
    from seasoned.config import load

    config = load()
    database = options.database or config.database_url
    rows = [(key, _shown(value), origin) for key, value, origin in config.rows()]
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
                ("database", without_password(database)),
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


def _shown(value: Any) -> Any:
    return without_password(value) if isinstance(value, str) else value
