"""The folder in which Seasoned keeps its files: SEASONED_HOME, else ~/.seasoned."""

import os
from collections.abc import Mapping
from pathlib import Path

VAULT_FILE = "vault.json"


def home_folder(variables: Mapping[str, str] | None = None) -> Path:
    """Return the home folder; it may not exist yet."""
    given = (os.environ if variables is None else variables).get("SEASONED_HOME")
    return Path(given or "~/.seasoned").expanduser()
