"""`seasoned secrets …`: passwords, keys and tokens in the vault."""

import sys
from typing import Annotated

import typer

from seasoned.cli.command import Options, Yes, command
from seasoned.cli.show.render import emit, note, say, table
from seasoned.cli.terminal import confirmed
from seasoned.cli.vault_access import hidden, opened, there_is_one
from seasoned.core.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Keep keys and tokens in the encrypted vault.")

Name = Annotated[
    str,
    typer.Argument(help="Name; that of a setting, as llm.key, fills it.", metavar="NAME"),
]


@command(app, "set")
def set_secret(
    options: Options,
    name: Name,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the value from stdin.")] = False,
) -> None:
    """Store a secret, or replace it; asks for the value, which is not shown.

    A secret with the name of a secret setting, such as llm.key or payment.key, fills that
    setting. Any other text setting uses one by the value secret:NAME.
    """
    if not stdin and not sys.stdin.isatty():
        raise BadInput("nobody can be asked for the value here; give it by --stdin")
    vault, _ = opened()
    name = _documented(name)
    value = sys.stdin.read().rstrip("\r\n") if stdin else hidden(f"Value of {name}")
    vault.set_secret(name, value)
    if options.json:
        emit({"name": name, "fills": _fills(name) or None})
        return
    say(f"Stored the secret {name}; {_use(name)}.")
    if hint := _slip(name):
        note(hint)


@command(app, "list")
def list_secrets(options: Options) -> None:
    """List the names of the secrets; no command shows a value."""
    names = opened()[0].names("secret") if there_is_one() else []
    if options.json:
        emit([{"name": name, "fills": _fills(name) or None} for name in names])
    elif names:
        say(table(["name", "use"], [(name, _use(name)) for name in names]))
    elif there_is_one():
        note("no secrets; `seasoned secrets set NAME` stores one")
    else:
        note("no vault yet, so no secrets; `seasoned config init` makes one")


@command(app, "remove")
def remove(options: Options, name: Name, yes: Yes = False) -> None:
    """Remove a secret for good."""
    vault, _ = opened()
    name = _documented(name)
    asks = not yes and name in vault.names("secret") and sys.stdin.isatty()
    if asks and not confirmed(f"Remove the secret {name}? It cannot be restored."):
        note("nothing changed")
        return
    vault.remove("secret", name)
    if options.json:
        emit({"removed": name})
    else:
        say(f"Removed the secret {name}.")


def _documented(name: str) -> str:
    """Spell the name of a setting as documented: server.body_x is server.bodyX."""
    from seasoned.config import camel

    return camel(name) if _fills(camel(name)) else name


def _fills(name: str) -> str:
    from seasoned.config.validation import secret_settings

    return name if name in secret_settings() else ""


def _slip(name: str) -> str:
    """Say which setting was probably meant by a name like that of a secret setting."""
    from difflib import get_close_matches

    from seasoned.config.validation import secret_settings

    if _fills(name):
        return ""
    settings = {key.lower(): key for key in secret_settings()}
    meant = get_close_matches(name.lower(), settings, 1, 0.8)
    return f"no setting has that name; did you mean {settings[meant[0]]}?" if meant else ""


def _use(name: str) -> str:
    return f"fills the setting {name}" if _fills(name) else f"a setting uses it as secret:{name}"
