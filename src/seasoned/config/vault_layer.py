"""The vault's part in the settings: its active profile is a layer, its secrets fill settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seasoned.config.passphrase import REASON, REMEDY, Passphrase, found_passphrase
from seasoned.config.validation import every_setting
from seasoned.config.vault_state import REFERENCE, VaultState
from seasoned.core.errors import ConfigError, WrongPassphrase
from seasoned.security.vault.vault import Vault, vault_path

ORIGIN, LOCKED = "vault", "vault (locked)"


@dataclass(frozen=True, slots=True)
class VaultLayer:
    """An open vault, or a locked one, which gives nothing."""

    path: Path
    vault: Vault | None

    @property
    def origin(self) -> str:
        return f"{ORIGIN} (profile {self.vault.active})" if self.vault else LOCKED

    @property
    def settings(self) -> list[tuple[str, str, Any, str]]:
        """The active profile's settings: section, name, value, source."""
        if not self.vault or not self.vault.active:
            return []
        every = self.vault.profile(self.vault.active).items()
        return [(*_parts(key), value, self.origin) for key, value in every]

    def fill(self, values: dict[str, dict[str, Any]], origins: dict[str, str]) -> VaultState:
        """Put secrets into the settings that name one, or that have a secret's name and are empty.

        Changes values and origins.
        """
        names = set(self.vault.names("secret")) if self.vault else set[str]()
        filled, waiting = set[str](), list[str]()
        for section, setting, key in every_setting():
            value = values.get(section, {}).get(setting.name, "")
            if isinstance(value, str) and value.startswith(REFERENCE):
                name = value.removeprefix(REFERENCE)
            elif not value and setting.metadata.get("secret") and key in names:
                name = key
            else:
                continue
            given = values.setdefault(section, {})
            if self.vault is None:
                given[setting.name], origins[key] = "", LOCKED
                waiting.append(key)
                continue
            if name not in names:
                raise ConfigError(
                    f"{key} (from {origins[key]}) names the secret {name!r}, which the vault does "
                    "not have; `seasoned secrets list` shows those there are"
                )
            given[setting.name], origins[key] = self.vault.secret(name), ORIGIN
            filled.add(key)
        if self.vault is None:
            return VaultState("locked", self.path, "", REASON, REMEDY, waiting=tuple(waiting))
        return VaultState("open", self.path, self.vault.active, filled=frozenset(filled))


def from_vault(home: Path, variables: Mapping[str, str], file_setting: str) -> VaultLayer:
    """Open the vault of a home folder, if its passphrase is there without asking."""
    path = vault_path(home)
    passphrase = found_passphrase(path, variables, file_setting)
    if passphrase is None:
        return VaultLayer(path, None)
    return VaultLayer(path, open_with(path, passphrase))


def open_with(path: Path, passphrase: Passphrase) -> Vault:
    """Open a vault; if the passphrase is wrong, the error says where it is from."""
    try:
        return Vault.open(path, passphrase.text)
    except WrongPassphrase as error:
        raise WrongPassphrase(f"{error} (the passphrase is from {passphrase.source})") from None


def _parts(key: str) -> tuple[str, str]:
    section, _, name = key.partition(".")
    return section, name
