"""Open the vault for a command: with the passphrase at hand, or by asking at the terminal."""

import sys
from typing import TYPE_CHECKING, overload

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
    from seasoned.core.home import has_vault, home_folder

    return has_vault(home_folder())


def opened() -> "tuple[Vault, Passphrase]":
    """Open the vault of the home folder, and return the passphrase that did."""
    from seasoned.config import passphrase_at_hand
    from seasoned.config.passphrase import REASON, REMEDY
    from seasoned.config.vault_layer import open_with

    path, passphrase = passphrase_at_hand()
    if not there_is_one():
        raise NotFound(f"no vault at {path} yet; `seasoned config init` makes one")
    if passphrase:
        return open_with(path, passphrase), passphrase
    if not sys.stdin.isatty():
        raise VaultLocked(
            f"the vault {path} is locked: {REASON}; {REMEDY}, or run this in a terminal"
        )
    return _asked(path)


def unlock() -> None:
    """Open a locked vault for a command that works without it, too: ask, or say what is missing."""
    if not there_is_one():
        return
    from seasoned.config import passphrase_at_hand
    from seasoned.config.passphrase import REASON, REMEDY, tell_passphrase

    path, passphrase = passphrase_at_hand()
    if passphrase:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        found = _asked(path, can_skip=True)
        if found:
            tell_passphrase(path, found[1].text)
            return
    note(
        f"the vault {path} is locked: {REASON}; going on without its profile and its secrets. "
        f"To open it, {REMEDY}"
    )


@overload
def _asked(path: "Path") -> "tuple[Vault, Passphrase]": ...


@overload
def _asked(path: "Path", *, can_skip: bool) -> "tuple[Vault, Passphrase] | None": ...


def _asked(path: "Path", *, can_skip: bool = False) -> "tuple[Vault, Passphrase] | None":
    """Ask until the vault opens; None if the person skips it by an empty line."""
    from seasoned.config.passphrase import Passphrase
    from seasoned.security.vault.vault import Vault

    for left in reversed(range(TRIES)):
        skips = " (empty: go on without it)" if can_skip else ""
        text = hidden(f"Passphrase of {path}{skips}", can_be_empty=can_skip)
        if can_skip and not text:
            return None
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


def hidden(question: str, *, can_be_empty: bool = False) -> str:
    """Ask at the terminal for something that must not be seen.

    The question is shown when the terminal has stopped showing what is typed, not before.
    """
    from getpass import getpass

    while True:
        try:
            text = getpass(f"{question}: ")
        except EOFError:
            raise typer.Abort from None
        if text or can_be_empty:
            return text
