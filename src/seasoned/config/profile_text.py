"""A profile of the vault as text: checked when it is read, without secrets when it is shared."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from seasoned.config.validation import every_setting, known, valid
from seasoned.config.vault_state import REFERENCE
from seasoned.core.errors import BadInput, ConfigError
from seasoned.db.address import without_password
from seasoned.security.redact import redact


@dataclass(frozen=True, slots=True)
class ProfileText:
    """Settings by key as documented, and the secrets that stood among them in plain text."""

    settings: dict[str, Any]
    secrets: dict[str, str] = field(default_factory=dict[str, str], repr=False)


def checked(key: str, value: Any, source: str) -> tuple[str, Any, bool]:
    """Return a setting's key as documented, its value, and whether that is a secret itself."""
    section, _, name = key.partition(".")
    setting, documented = known(section, name, source)
    if section == "vault":
        raise BadInput(
            f"{documented} says how to open the vault, so it cannot be in it; "
            "write it into seasoned.toml"
        )
    converted = valid(setting, value, documented, source)
    plain = setting.metadata.get("secret") and converted and not converted.startswith(REFERENCE)
    return documented, converted, bool(plain)


def from_toml(text: str, source: str) -> ProfileText:
    """Read settings; those that are secret are returned apart."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source} is not TOML: {error}; nothing was changed") from None
    found = ProfileText({})
    for section, entries in content.items():
        if not isinstance(entries, dict):
            raise ConfigError(f"{source}: {section!r} must be a table: [{section}]")
        for name, value in cast("dict[str, Any]", entries).items():
            key, converted, secret = checked(f"{section}.{name}", value, source)
            if key in found.settings or key in found.secrets:
                raise ConfigError(f"{source}: {key} is given twice, in two spellings; remove one")
            if secret:
                found.secrets[key] = converted
            else:
                found.settings[key] = converted
    return found


def to_toml(settings: Mapping[str, Any]) -> str:
    r"""Write settings as a file, in the order of the documentation.

    >>> print(to_toml({"graph.enabled": True, "agent.model": 'a"b'}), end="")
    [agent]
    model = "a\"b"
    <BLANKLINE>
    [graph]
    enabled = true
    """
    sections: dict[str, list[str]] = {}
    for section, _, key in every_setting():
        if key in settings:
            name = key.partition(".")[2]
            sections.setdefault(section, []).append(f"{name} = {_written(settings[key])}\n")
    return "\n".join(f"[{section}]\n{''.join(lines)}" for section, lines in sections.items())


def shareable(settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the settings without those that hold a secret, and the keys of these."""
    held = [key for key, value in settings.items() if isinstance(value, str) and _tells(value)]
    return {key: value for key, value in settings.items() if key not in held}, sorted(held)


def _tells(value: str) -> bool:
    named = value.startswith(REFERENCE)
    return not named and (without_password(value) != value or redact(value) != value)


def _written(value: Any) -> str:
    if isinstance(value, str):  # JSON's escapes are TOML's, except that this one is missing
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else str(value)
