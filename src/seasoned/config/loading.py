"""Typed settings: defaults, a TOML profile, the vault's profile, `SEASONED_*` variables.

This module alone reads settings from the environment. Every key is accepted in camelCase as
documented, in snake_case, and as `SEASONED_SECTION__KEY`. An unknown key or a value out of range is
an error that names the key. Plain dataclasses, because a command that runs at every tool call
cannot wait for a validation library to load.
"""

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from seasoned.config.settings import Settings
from seasoned.config.validation import MASK, every_setting, known, valid
from seasoned.config.vault_state import NO_VAULT, REFERENCE, VaultState
from seasoned.core.errors import ConfigError
from seasoned.core.home import VAULT_FILE, has_vault, home_folder
from seasoned.core.private_files import tighten
from seasoned.db.address import without_password

if TYPE_CHECKING:
    from seasoned.config.passphrase import Passphrase

PREFIX = "SEASONED_"
SEPARATOR = "__"

# Keys and addresses that the environment holds already, under the names that the providers' own
# clients read. A key goes to the provider's address: this one, or else the provider's own.
KEY_VARIABLES = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
}
ADDRESS_VARIABLES = {  # the first that is set counts
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "anthropic": ("ANTHROPIC_BASE_URL",),
    "gemini": ("GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"),
    "ollama": ("OLLAMA_BASE_URL", "OLLAMA_HOST"),
}
OLLAMA_PORT = 11434

RawSetting = tuple[str, str, Any, str]  # section, name as spelled, value, source


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings with their origins, and the home folder."""

    settings: Settings
    home: Path
    profile: Path
    origins: Mapping[str, str]
    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    addresses: Mapping[str, str] = field(default_factory=dict[str, str])  # by provider
    vault: VaultState = NO_VAULT

    @property
    def database_url(self) -> str:
        return self.settings.database.url or str(self.home / "seasoned.db")

    def protect_home(self) -> None:
        """Close the default home folder to others; one that somebody named is theirs to protect."""
        if self.home == home_folder({}):
            tighten(self.home)

    def rows(self) -> list[tuple[str, Any, str]]:
        """Return key (as documented), value and origin of each setting; secrets are masked."""
        return [
            (key, self._shown(section, setting, key), self.origins.get(key, "default"))
            for section, setting, key in every_setting()
        ]

    def _shown(self, section: str, setting: Any, key: str) -> Any:
        value = getattr(getattr(self.settings, section), setting.name)
        if value and (setting.metadata.get("secret") or key in self.vault.filled):
            return MASK
        return without_password(value) if setting.name == "url" else value


def load(
    environment: Mapping[str, str] | None = None, profile: Path | None = None
) -> Configuration:
    """Load the settings: a later layer overrides an earlier one.

    The layers: defaults, the file, the active profile of the vault, variables. The vault is opened
    only if there is one, with a passphrase that is there without asking.
    """
    variables = os.environ if environment is None else environment
    home, chosen, layers = _sources(variables, profile)
    values, origins = _layered(layers)
    vault = NO_VAULT
    if has_vault(home):
        from seasoned.config.vault_layer import from_vault  # it loads cryptography

        held = from_vault(home, variables, _passphrase_file(values))
        layers.insert(1, (held.settings, held.origin))
        values, origins = _layered(layers)
        vault = held.fill(values, origins)
    else:
        _refuse_references(values, origins)
    for section, named in (("embedding", "provider"), ("llm", "model")):
        _take_key(section, named, values.setdefault(section, {}), origins, variables)
        _take_address(section, named, values[section], origins, variables)
    defaults = Settings()
    sections = {
        section: type(getattr(defaults, section))(**given) for section, given in values.items()
    }
    keys = {name: variables[name] for name in KEY_VARIABLES.values() if name in variables}
    found = {provider: _address(provider, variables) for provider in ADDRESS_VARIABLES}
    addresses = {provider: address for provider, (address, _) in found.items() if address}
    return Configuration(Settings(**sections), home, chosen, origins, keys, addresses, vault)


def passphrase_at_hand() -> tuple[Path, "Passphrase | None"]:
    """Return the place of the vault, and its passphrase if nobody must be asked for it.

    For commands that work on the vault: they must run, too, when a setting in it is wrong.
    """
    from seasoned.config.passphrase import found_passphrase

    home, _, layers = _sources(os.environ, None)
    path = home / VAULT_FILE
    return path, found_passphrase(path, os.environ, _passphrase_file(_layered(layers)[0]))


def _sources(
    variables: Mapping[str, str], profile: Path | None
) -> tuple[Path, Path, list[tuple[list[RawSetting], str]]]:
    """Return the home folder, the file, and the layers that can be read without the vault."""
    home = home_folder(variables)
    named = profile or variables.get("SEASONED_PROFILE")
    chosen = Path(named) if named else home / "seasoned.toml"
    file = list(_from_profile(chosen, required=bool(named)))
    return home, chosen, [(file, str(chosen)), (list(_from_variables(variables)), "environment")]


def _passphrase_file(values: Mapping[str, Mapping[str, Any]]) -> str:
    return values.get("vault", {}).get("passphrase_file", "")


def _layered(
    layers: Iterable[tuple[Iterable[RawSetting], str]],
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the values by section and name, a later layer over an earlier one; and the origins."""
    values: dict[str, dict[str, Any]] = {}
    origins: dict[str, str] = {}
    for layer, origin in layers:
        for section, name, value, source in layer:
            setting, key = known(section, name, source)
            if origins.get(key) == origin:
                raise ConfigError(f"{source}: {key} is given twice, in two spellings; remove one")
            values.setdefault(section, {})[setting.name] = valid(setting, value, key, source)
            origins[key] = origin
    return values, origins


def _refuse_references(values: Mapping[str, Mapping[str, Any]], origins: Mapping[str, str]) -> None:
    """A name of a secret must not be taken for the secret itself."""
    for section, setting, key in every_setting():
        value = values.get(section, {}).get(setting.name)
        if isinstance(value, str) and value.startswith(REFERENCE):
            raise ConfigError(
                f"{key} (from {origins[key]}) names a secret, but there is no vault; "
                "`seasoned config init` makes one"
            )


def system_user() -> str:
    """Return the name of the user whose process this is; empty if the system has none."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may run under a number without a name
        return ""


def environment(**unless_set: str) -> dict[str, str]:
    """Return the process environment, with these defaults for variables it lacks."""
    return unless_set | dict(os.environ)


def _take_key(
    section: str,
    named: str,
    given: dict[str, Any],
    origins: dict[str, str],
    variables: Mapping[str, str],
) -> None:
    """Take a provider's API key from the environment, unless a key or address is set."""
    variable = KEY_VARIABLES.get(given.get(named, "").partition(":")[0].strip())
    if variable and not given.get("key") and not given.get("url"):
        given["key"] = variables.get(variable, "")
        if given["key"]:
            origins[f"{section}.key"] = f"environment ({variable})"


def _take_address(
    section: str,
    named: str,
    given: dict[str, Any],
    origins: dict[str, str],
    variables: Mapping[str, str],
) -> None:
    """Take a provider's address from the environment, unless one is set."""
    provider = given.get(named, "").partition(":")[0].strip()
    address, variable = _address(provider, variables)
    if address and not given.get("url"):
        given["url"] = address
        origins[f"{section}.url"] = f"environment ({variable})"


def _address(provider: str, variables: Mapping[str, str]) -> tuple[str, str]:
    """Return the address that the environment gives a provider, and the variable it is from.

    >>> _address("ollama", {"OLLAMA_HOST": "0.0.0.0:8000"})
    ('http://127.0.0.1:8000', 'OLLAMA_HOST')
    """
    for variable in ADDRESS_VARIABLES.get(provider, ()):
        if given := variables.get(variable, "").strip():
            is_host = variable == "OLLAMA_HOST"  # as its server reads it, to listen on
            return (_ollama_address(given) if is_host else given), variable
    return "", ""


def _ollama_address(host: str) -> str:
    """
    >>> [_ollama_address(host) for host in ("gpu-box", ":9000", "https://example.com/ollama")]
    ['http://gpu-box:11434', 'http://127.0.0.1:9000', 'https://example.com/ollama']
    """
    if "://" in host:
        return host
    name, _, port = host.partition(":")
    name = "127.0.0.1" if name in ("", "0.0.0.0") else name
    return f"http://{name}:{port or OLLAMA_PORT}"


def _from_profile(path: Path, *, required: bool) -> Iterator[RawSetting]:
    if not required and not path.exists():
        return
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read the profile {path}: {error}") from error
    for section, entries in content.items():
        if not isinstance(entries, dict):
            raise ConfigError(f"{path}: {section!r} must be a table: [{section}]")
        for name, value in cast("dict[str, Any]", entries).items():
            yield section, name, value, str(path)


def _from_variables(variables: Mapping[str, str]) -> Iterator[RawSetting]:
    for variable, value in sorted(variables.items()):
        if variable.startswith(PREFIX) and SEPARATOR in variable:
            section, _, name = variable[len(PREFIX) :].partition(SEPARATOR)
            yield section.lower(), name.lower(), value, variable
