"""The token of this machine's hosts: made once, readable by its owner only.

A program of the same user reads it from there, so that nobody has to type it.
"""

import os
import secrets
from pathlib import Path

from seasoned.core.errors import ConfigError

NAME = "token"


def token_path(home: Path) -> Path:
    return home / NAME


def own_token(home: Path) -> str:
    """Return the token of this home folder; make it at first."""
    path = token_path(home)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(path)
    except OSError as error:
        raise ConfigError(
            f"cannot make {path} ({error.strerror or error}); set SEASONED_SERVER__TOKEN instead"
        ) from error
    token = secrets.token_urlsafe(32)
    with os.fdopen(made, "w", encoding="ascii") as file:
        file.write(f"{token}\n")
    return token


def known_token(home: Path) -> str:
    """Return the token if it was made and may be read; else nothing."""
    try:
        return _read(token_path(home))
    except (OSError, ConfigError):
        return ""


def _read(path: Path) -> str:
    """Read the token; refuse one that others may read, who could then teach."""
    open_to_others = os.name == "posix" and path.stat().st_mode & 0o077
    if open_to_others:
        raise ConfigError(f"{path} can be read by other users; run: chmod 600 {path}")
    token = path.read_text("utf-8").strip()
    if not token:
        raise ConfigError(f"{path} is empty; delete it, and the host makes a new token")
    return token
