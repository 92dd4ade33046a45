"""Open the vault for a command: with the passphrase at hand, or by asking at the terminal."""

import sys
from typing import TYPE_CHECKING

import typer

from seasoned.cli.show.render import note
from seasoned.core.errors import BadInput, NotFound, VaultLocked, WrongPassphrase

if TYPE_CHECKING:
    from pathlib import Path

    from seasoned.config.passphrase import Passphrase
    from seasoned.security.vault.vault import Vault

TRIES = 3


def there_is_one() -> bool:
    """Whether the home folder has a vault."""
    from seasoned.config import passphrase_at_hand

    return passphrase_at_hand()[0].exists()


def opened() -> "tuple[Vault, Passphrase]":
    """Open the vault of the home folder, and return the passphrase that did."""
    from seasoned.config import passphrase_at_hand
    from seasoned.config.passphrase import REASON, REMEDY
    from seasoned.security.vault.vault import Vault

    path, passphrase = passphrase_at_hand()
    if not path.exists():
        raise NotFound(f"no vault at {path} yet; `seasoned config init` makes one")
    if passphrase:
        return Vault.open(path, passphrase.text), passphrase
    if not sys.stdin.isatty():
        raise VaultLocked(
            f"the vault {path} is locked: {REASON}; {REMEDY}, or run this in a terminal"
        )
    return _asked(path)


def _asked(path: "Path") -> "tuple[Vault, Passphrase]":
    from seasoned.config.passphrase import Passphrase
    from seasoned.security.vault.vault import Vault

    for left in reversed(range(TRIES)):
        text = hidden(f"Passphrase of {path}")
        try:
            return Vault.open(path, text), Passphrase(text, "the terminal", "asked")
        except WrongPassphrase:
            if not left:
                raise
            note("that does not open it; try again")
    raise AssertionError("unreachable")


def new_passphrase(*, from_stdin: bool) -> str:
    """Return a passphrase to be: a line of stdin, or asked twice."""
    if from_stdin:
        text = sys.stdin.readline().rstrip("\r\n")
        if not text:
            raise BadInput("no passphrase on stdin; give it as the first line")
        return text
    if not sys.stdin.isatty():
        raise BadInput("nobody can be asked for a passphrase here; give it by --passphrase-stdin")
    while True:
        text = hidden("New passphrase")
        if text == hidden("The same again"):
            return text
        note("those two differ; try again")


def hidden(question: str) -> str:
    """Ask at the terminal for something that must not be seen."""
    return typer.prompt(question, hide_input=True, err=True)
