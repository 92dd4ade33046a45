"""`seasoned config init`, `passphrase` and `rotate`: make the vault, and change what opens it."""

from typing import Annotated

import typer

from seasoned.cli.command import Options, command
from seasoned.cli.show.render import emit, note, say
from seasoned.cli.vault_access import new_passphrase, opened, there_is_one
from seasoned.core.errors import BadInput

app = typer.Typer()

FIRST = "default"
PassphraseStdin = Annotated[
    bool,
    typer.Option("--passphrase-stdin", help="Read the new passphrase from a line of stdin."),
]


@command(app, "init")
def init(
    options: Options,
    name: Annotated[
        str | None,
        typer.Argument(help="Name of the profile; default: default.", show_default=False),
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
) -> None:
    """Make the vault with an empty profile, or add a profile to it, and use that profile.

    The passphrase is asked twice, unless --passphrase-stdin, a variable, a file or the keyring
    gives it. Nobody can restore it.
    """
    from seasoned.config import passphrase_at_hand

    path, at_hand = passphrase_at_hand()
    if there_is_one():
        _add_profile(options, name)
        return
    from seasoned.security.vault.vault import Vault

    if at_hand and not passphrase_stdin:
        passphrase = at_hand.text
        note(f"the passphrase is the one from {at_hand.source}")
    else:
        passphrase = new_passphrase(from_stdin=passphrase_stdin)
    vault = Vault.create(path, passphrase)
    profile = name or FIRST
    try:
        vault.put(profiles={profile: {}}, active=profile)
    except BadInput:  # a name that cannot be; there was no vault before
        path.unlink()
        raise
    _tell(options, profile, f"Made the vault {path} with the profile {profile}, now in use.")
    if not options.json:
        note("without the passphrase nobody can open it: keep a copy of that in a safe place")


@command(app, "passphrase")
def passphrase(options: Options, passphrase_stdin: PassphraseStdin = False) -> None:
    """Change the passphrase; secrets and profiles stay as they are.

    Whoever has an older copy of the file and the old passphrase can still open it, and newer copies
    until `seasoned config rotate`: after a leak run both, and replace the secrets where they are
    used.
    """
    from seasoned.config.passphrase import remember_in_keyring

    vault, old = opened()
    fresh = new_passphrase(from_stdin=passphrase_stdin)
    vault.change_passphrase(fresh)
    if old.kind == "keyring":
        remember_in_keyring(vault.path, fresh)
    if options.json:
        emit({"vault": str(vault.path), "changed": True})
    else:
        say(f"Changed the passphrase of {vault.path}.")
    if old.kind in ("variable", "file"):
        note(f"{old.source} has the old one still: change it there, too")


@command(app, "rotate")
def rotate(options: Options) -> None:
    """Encrypt everything in the vault with a new key; the passphrase stays."""
    vault, held = opened()
    vault.rotate(held.text)
    if options.json:
        emit({"vault": str(vault.path), "rotated": True})
    else:
        say(f"Encrypted {vault.path} with a new key.")


def _add_profile(options: Options, name: str | None) -> None:
    vault, _ = opened()
    if name is None:
        raise BadInput(
            f"there is a vault at {vault.path} already; `seasoned config init NAME` adds a profile"
        )
    if name in vault.names("profile"):
        raise BadInput(f"there is a profile {name} already; `seasoned config use {name}`")
    vault.put(profiles={name: {}}, active=name)
    _tell(options, name, f"Added the profile {name}, now in use.")


def _tell(options: Options, profile: str, said: str) -> None:
    if options.json:
        emit({"profile": profile})
    else:
        say(said)
