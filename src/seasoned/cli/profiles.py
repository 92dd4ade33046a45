"""`seasoned config set`, `unset`, `edit`, `use`, `remove`, `export`, `import`: profiles."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seasoned.cli.command import Options, Yes, command
from seasoned.cli.show.render import emit, many, note, say, table
from seasoned.cli.terminal import confirmed
from seasoned.cli.vault_access import opened
from seasoned.core.errors import BadInput, ConfigError, NotFound

if TYPE_CHECKING:
    from seasoned.config.profile_text import ProfileText
    from seasoned.security.vault.vault import Vault

app = typer.Typer()

Key = Annotated[str, typer.Argument(help="A setting, as llm.model.", metavar="KEY")]
HERE = "the command line"


@command(app, "set")
def set_setting(
    options: Options,
    key: Key,
    value: Annotated[
        str, typer.Argument(help="Its value; secret:NAME for a secret.", metavar="VALUE")
    ],
) -> None:
    """Set a setting in the profile in use; a SEASONED_* variable still overrides it."""
    from seasoned.config.profile_text import checked
    from seasoned.config.vault_state import REFERENCE

    key, converted, secret = checked(key, value, HERE)
    if secret:
        raise BadInput(
            f"{key} is a secret, and a command line is seen by others; "
            f"store it with `seasoned secrets set {key}`"
        )
    vault, profile, settings = _in_use()
    if value.startswith(REFERENCE):
        vault.secret(value.removeprefix(REFERENCE))  # raises if there is none
    vault.set_profile(profile, settings | {key: converted})
    _tell(options, profile, f"Set {key} in the profile {profile}.")


@command(app, "unset")
def unset(options: Options, key: Key) -> None:
    """Take a setting out of the profile in use."""
    from seasoned.config.validation import known

    section, _, name = key.partition(".")
    _, key = known(section, name, HERE)
    vault, profile, settings = _in_use()
    if key not in settings:
        raise NotFound(f"{key} is not in the profile {profile}; `seasoned config show` says where")
    vault.set_profile(profile, {one: held for one, held in settings.items() if one != key})
    _tell(options, profile, f"Took {key} out of the profile {profile}.")


@command(app, "edit")
def edit(options: Options) -> None:
    """Edit the profile in use as TOML, in $VISUAL, $EDITOR or vi.

    A secret that is written into it, such as key under [llm], is moved to the secrets.
    """
    from seasoned.config.profile_text import to_toml
    from seasoned.core.private_files import create_private

    vault, profile, settings = _in_use()
    # A folder of its own, mode 0700, so that the copies of editors go with it.
    with tempfile.TemporaryDirectory(prefix="seasoned-") as folder:
        path = Path(folder) / f"{profile}.toml"
        create_private(path)
        path.write_text(to_toml(settings), "utf-8")
        found = _edited(path)
    known = vault.names("secret")
    vault.put(secrets=found.secrets, profiles={profile: found.settings})
    _tell(options, profile, f"The profile {profile} has {many(len(found.settings), 'setting')}.")
    _tell_moved(found, known)


@command(app, "profiles")
def profiles(options: Options) -> None:
    """List the profiles of the vault, and which one is in use."""
    vault, _ = opened()
    rows = [
        (name, name == vault.active, len(vault.profile(name))) for name in vault.names("profile")
    ]
    if options.json:
        emit([{"name": name, "in_use": used, "settings": size} for name, used, size in rows])
    elif rows:
        told = [(name, "yes" if used else "", str(size)) for name, used, size in rows]
        say(table(["name", "in use", "settings"], told))
    else:
        note("no profiles; `seasoned config init NAME` makes one")


@command(app, "use")
def use(
    options: Options,
    name: Annotated[str, typer.Argument(help="Name of a profile.", metavar="NAME")],
) -> None:
    """Use another profile from now on."""
    if not name:
        raise BadInput("the name is empty; `seasoned config profiles` lists them")
    vault, _ = opened()
    vault.use(name)
    _tell(options, name, f"The profile {name} is in use.")


@command(app, "remove")
def remove(
    options: Options,
    name: Annotated[str, typer.Argument(help="Name of a profile.", metavar="PROFILE")],
    yes: Yes = False,
) -> None:
    """Remove a profile for good; not the one in use. Secrets stay."""
    vault, _ = opened()
    there = name in vault.names("profile") and name != vault.active
    asks = there and not yes and sys.stdin.isatty()
    if asks and not confirmed(f"Remove the profile {name}? It cannot be restored."):
        note("nothing changed")
        return
    vault.remove("profile", name)
    if options.json:
        emit({"removed": name})
    else:
        say(f"Removed the profile {name}.")


@command(app, "export")
def export(
    options: Options,
    file: Annotated[
        Path | None, typer.Argument(help="A new file; default: stdout.", show_default=False)
    ] = None,
) -> None:
    """Write the profile in use as TOML, without secrets; references to them stay."""
    from seasoned.config.profile_text import shareable, to_toml
    from seasoned.core.replaced_file import replace_file

    _, profile, settings = _in_use()
    shared, held = shareable(settings)
    for key in held:
        note(f"left out {key}: it holds a secret")
    if file is not None:
        if file.exists():
            raise BadInput(f"{file} exists already; it is unchanged; name another file")
        replace_file(file, to_toml(shared).encode(), mode=0o600)
        _tell(options, profile, f"Wrote {many(len(shared), 'setting')} to {file}.")
    elif options.json:
        emit({"profile": profile, "settings": shared, "left_out": held})
    else:
        typer.echo(to_toml(shared), nl=False)


@command(app, "import")
def import_file(
    options: Options,
    file: Annotated[Path, typer.Argument(help="Settings in TOML.")],
) -> None:
    """Add a file's settings to the profile in use; secrets in it go to the secrets."""
    from seasoned.config.profile_text import from_toml

    vault, profile, settings = _in_use()
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {file}: {error}; nothing was changed") from None
    found = from_toml(text, str(file))
    known = vault.names("secret")
    vault.put(secrets=found.secrets, profiles={profile: settings | found.settings})
    count = len(found.settings) + len(found.secrets)
    _tell(options, profile, f"Took {many(count, 'setting')} from {file}.")
    _tell_moved(found, known)


def _in_use() -> "tuple[Vault, str, dict[str, Any]]":
    vault, _ = opened()
    if not vault.active:
        raise BadInput(
            "no profile is in use; `seasoned config use NAME` chooses one, "
            "`seasoned config init NAME` makes one"
        )
    return vault, vault.active, vault.profile(vault.active)


def _edited(path: Path) -> "ProfileText":
    """Let the person edit until it can be read, or they give up."""
    from seasoned.config.profile_text import from_toml

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    while True:
        try:
            code = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode
        except (OSError, ValueError) as error:
            raise BadInput(f"cannot start {editor!r}: {error}; set EDITOR") from None
        if code:
            raise BadInput(f"{editor!r} ended with {code}; nothing was changed")
        try:
            return from_toml(path.read_text("utf-8"), "the edited text")
        except (ConfigError, BadInput, UnicodeDecodeError) as error:
            note(f"error: {error}")
            if not sys.stdin.isatty() or not confirmed("Edit it again?"):
                raise BadInput("the edited text cannot be used; nothing was changed") from None


def _tell(options: Options, profile: str, said: str) -> None:
    if options.json:
        emit({"profile": profile})
    else:
        say(said)


def _tell_moved(found: "ProfileText", known: Sequence[str]) -> None:
    for key in sorted(found.secrets):
        kept = "replaced the vault's" if key in known else "is in the vault now, as a secret"
        note(f"{key} {kept}, for all profiles; take it out of any file that has it")
