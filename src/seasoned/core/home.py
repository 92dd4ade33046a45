"""The folder in which Seasoned keeps its files: SEASONED_HOME, else ~/.seasoned."""

import os
from collections.abc import Mapping
from pathlib import Path

VAULT_FILE = "vault.json"


def home_folder(variables: Mapping[str, str] | None = None) -> Path:
    """Return the home folder; it may not exist yet."""
    given = (os.environ if variables is None else variables).get("SEASONED_HOME")
    return Path(given or "~/.seasoned").expanduser()


def has_vault(home: Path) -> bool:
    """Whether there is a vault; a link to a place that is away counts, or its secrets would too."""
    return os.path.lexists(home / VAULT_FILE)
