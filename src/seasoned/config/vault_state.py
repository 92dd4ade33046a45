"""What became of the vault while the settings were loaded; light, as every command loads it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

REFERENCE = "secret:"  # a text setting `secret:NAME` stands for that secret


@dataclass(frozen=True, slots=True)
class VaultState:
    """Whether there is a vault, and whether it is open; if not, why, and what to do."""

    state: Literal["none", "open", "locked"] = "none"
    path: Path | None = None
    profile: str = ""  # the active one
    reason: str = ""
    remedy: str = ""
    filled: frozenset[str] = frozenset()  # settings whose value is a secret
    waiting: tuple[str, ...] = ()  # settings that name a secret and are empty until it is open


NO_VAULT = VaultState()
