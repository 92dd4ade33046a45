"""`seasoned config show`: every setting with its value and origin."""

from typing import Any

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import emit, heading, pairs, say, table
from seasoned.db.address import without_password

app = typer.Typer(no_args_is_help=True, help="Show the settings.")


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
    there = "" if config.profile.exists() else " (missing: defaults apply)"
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
            ("key", "value", "origin"),
            [(key, toml_value(value), origin) for key, value, origin in rows],
        ),
    )


def toml_value(value: Any) -> str:
    """Write a value as in the profile.

    >>> toml_value(True), toml_value(0.7), toml_value("")
    ('true', '0.7', '""')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _shown(value: Any) -> Any:
    return without_password(value) if isinstance(value, str) else value
