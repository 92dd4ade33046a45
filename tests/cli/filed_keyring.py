"""A keyring that keeps passwords in a file, for processes of tests; the variable names the file."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.compat import properties
from keyring.errors import PasswordDeleteError

FILE = "FILED_KEYRING"


class FiledKeyring(KeyringBackend):
    @properties.classproperty
    def priority(self) -> float:
        """Say no where the file is not named: the library finds every class that was imported."""
        if FILE not in os.environ:
            raise RuntimeError(f"{FILE} is not set")
        return 1

    def get_password(self, service: str, username: str) -> str | None:
        return self._held().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._keep(self._held() | {f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        held = self._held()
        if held.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError(username)
        self._keep(held)

    def _held(self) -> dict[str, str]:
        path = Path(os.environ[FILE])
        return json.loads(path.read_text()) if path.exists() else {}

    def _keep(self, held: dict[str, str]) -> None:
        Path(os.environ[FILE]).write_text(json.dumps(held))
