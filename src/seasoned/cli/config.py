"""`seasoned config …`: every setting with its value and origin; profiles in the vault."""

from typing import TYPE_CHECKING, Any

import typer

from seasoned.cli import profiles, vault
from seasoned.cli.command import Options, command
from seasoned.cli.show.render import emit, heading, pairs, say, table
from seasoned.db.address import without_password

if TYPE_CHECKING:
    from seasoned.config.vault_state import VaultState

app = typer.Typer(no_args_is_help=True, help="Show the settings; keep them in profiles.")


@command(app, "show")
def show(options: Options) -> None:
    """Show each setting with its value and its origin: default, file, vault or environment."""
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
                "vault": _vault_shape(config.vault),
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
                *_vault_row(config.vault),
            ]
        ),
        heading("Settings"),
        table(
            ("key", "value", "origin"),
            [(key, toml_value(value), origin) for key, value, origin in rows],
        ),
    )


app.add_typer(vault.app)
app.add_typer(profiles.app)


def _vault_shape(vault: "VaultState") -> dict[str, Any] | None:
    if vault.path is None:
        return None
    return {"path": str(vault.path), "state": vault.state, "profile": vault.profile or None}


def _vault_row(vault: "VaultState") -> list[tuple[str, str]]:
    if vault.path is None:
        return []
    if vault.state == "open":
        return [("vault", f"{vault.path}, profile {vault.profile or '(none)'}")]
    return [("vault", f"{vault.path} (locked: {vault.reason}; {vault.remedy})")]


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
