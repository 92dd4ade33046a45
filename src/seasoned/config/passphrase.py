"""Where the vault's passphrase is found without asking.

Variable, file, a line of stdin, keyring, told before.
"""

import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from seasoned.core.errors import ConfigError
from seasoned.core.private_files import is_private

log = logging.getLogger("seasoned.vault")

VARIABLE, FILE_VARIABLE = "SEASONED_PASSPHRASE", "SEASONED_PASSPHRASE_FILE"
SETTING = "vault.passphraseFile"
STDIN = "-"  # as the name of the file: the first line of stdin
SERVICE = "seasoned-vault"  # in the keyring; the user name there is the vault's path

REASON = "no passphrase is at hand"
REMEDY = f"set {VARIABLE}, {FILE_VARIABLE} or {SETTING}, or put it into the keyring"


@dataclass(frozen=True, slots=True)
class Passphrase:
    text: str = field(repr=False)
    source: str  # for people
    kind: Literal["variable", "file", "keyring", "asked"]


_first_line: list[str] = []  # of stdin, which can be read only once
_told: dict[Path, str] = {}  # by a person at this process's terminal; in memory only


def tell_passphrase(path: Path, text: str) -> None:
    """Let this process open a vault with a passphrase that somebody was asked for."""
    _told[path.absolute()] = text


def found_passphrase(
    path: Path, variables: Mapping[str, str], file_setting: str
) -> Passphrase | None:
    """Return the passphrase of the vault at `path`; None if only a person knows it."""
    if text := variables.get(VARIABLE, ""):
        return Passphrase(text, VARIABLE, "variable")
    for named, source in (
        (variables.get(FILE_VARIABLE, ""), FILE_VARIABLE),
        (file_setting, SETTING),
    ):
        if named == STDIN and source == FILE_VARIABLE:
            if text := _from_stdin():
                return Passphrase(text, "stdin", "asked")
        elif named:
            return Passphrase(_from_file(named, source), named, "file")
    if text := _from_keyring(path):
        return Passphrase(text, "the keyring", "keyring")
    if text := _told.get(path.absolute(), ""):
        return Passphrase(text, "the terminal", "asked")
    return None


def remember_in_keyring(path: Path, text: str) -> None:
    """Replace the passphrase that the keyring holds for a vault."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, str(path.absolute()), text)
    except KeyringError as error:
        raise ConfigError(
            f"the keyring did not take the new passphrase ({type(error).__name__}); "
            f"run `keyring set {SERVICE} {path.absolute()}`"
        ) from None


def _from_stdin() -> str:
    """Read the first line of stdin, once; at a terminal it would be shown, so a person is asked."""
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    if not _first_line:
        _first_line.append(sys.stdin.readline().rstrip("\r\n"))
    if not _first_line[0]:
        raise ConfigError(
            f"no passphrase on stdin, where {FILE_VARIABLE} looks for it; give it as the first line"
        )
    return _first_line[0]


def _from_file(named: str, source: str) -> str:
    path = Path(named).expanduser()
    try:
        if not is_private(path):
            raise ConfigError(
                f"others may read the passphrase file {path} (from {source}); "
                f"run `chmod 600 {path}`"
            )
        text = path.read_text("utf-8").rstrip("\r\n")
    except OSError as error:
        raise ConfigError(
            f"cannot read the passphrase file {path} (from {source}): "
            f"{error.strerror or error}; correct its name, or who may read it"
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(
            f"the passphrase file {path} (from {source}) is not UTF-8; write it again"
        ) from None
    if not text:
        raise ConfigError(
            f"the passphrase file {path} (from {source}) is empty; write the passphrase into it"
        )
    return text


def _from_keyring(path: Path) -> str:
    """Ask the keyring; many servers have none, and then the vault stays locked."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return ""
    try:
        return keyring.get_password(SERVICE, str(path.absolute())) or ""
    except (KeyringError, OSError, RuntimeError) as error:
        log.debug("the keyring gives no passphrase: %s", type(error).__name__)
        return ""
