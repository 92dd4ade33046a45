"""Typed settings: defaults, a TOML profile, `SEASONED_*` variables.

This module alone reads settings from the environment. Every key is accepted in camelCase as
documented, in snake_case, and as `SEASONED_SECTION__KEY`. An unknown key or a value out of range is
an error that names the key. Plain dataclasses, because a command that runs at every tool call
cannot wait for a validation library to load.
"""

import operator
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from seasoned.config.settings import Settings
from seasoned.core.errors import ConfigError
from seasoned.core.home import home_folder
from seasoned.core.private_files import tighten
from seasoned.db.address import without_password

PREFIX = "SEASONED_"
SEPARATOR = "__"

MASK = "(set, not shown)"

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


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings with their origins, and the home folder."""

    settings: Settings
    home: Path
    profile: Path
    origins: Mapping[str, str]
    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    addresses: Mapping[str, str] = field(default_factory=dict[str, str])  # by provider

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
            (key, _shown(getattr(self.settings, section), name), self.origins.get(key, "default"))
            for section, name, key in _keys()
        ]


def load(
    environment: Mapping[str, str] | None = None, profile: Path | None = None
) -> Configuration:
    """Load the settings: variables override the profile, which overrides the defaults."""
    variables = os.environ if environment is None else environment
    home = home_folder(variables)
    named = profile or variables.get("SEASONED_PROFILE")
    chosen = Path(named) if named else home / "seasoned.toml"
    values: dict[str, dict[str, Any]] = {}
    origins: dict[str, str] = {}
    for layer, origin in (
        (_from_profile(chosen, required=bool(named)), str(chosen)),
        (_from_variables(variables), "environment"),
    ):
        for section, name, value, source in layer:
            kind, key = _known(section, name, source)
            if origins.get(key) == origin:
                raise ConfigError(f"{source}: {key} is given twice, in two spellings; remove one")
            values.setdefault(section, {})[kind.name] = _valid(kind, value, key, source)
            origins[key] = origin
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
    return Configuration(Settings(**sections), home, chosen, origins, keys, addresses)


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


def _keys() -> Iterator[tuple[str, str, str]]:
    defaults = Settings()
    for section in fields(Settings):
        for setting in fields(getattr(defaults, section.name)):
            yield section.name, setting.name, f"{section.name}.{camel(setting.name)}"


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


def _shown(section: Any, name: str) -> Any:
    value = getattr(section, name)
    secret = any(one.name == name and one.metadata.get("secret") for one in fields(section))
    if isinstance(value, str) and name == "url":
        return without_password(value)
    return MASK if secret and value else value


RawSetting = tuple[str, str, Any, str]  # section, name as spelled, value, source


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


def _known(section: str, name: str, source: str) -> tuple[Any, str]:
    """Find a setting by any spelling of its name."""
    held: Any = getattr(Settings(), section, None)
    if held is not None:
        for setting in fields(held):
            if _normalised(setting.name) == _normalised(name):
                return setting, f"{section}.{camel(setting.name)}"
    raise ConfigError(
        f"{source}: unknown setting {section}.{camel(name)}; "
        "`seasoned config show` lists all settings"
    )


TRUTH = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
LIMITS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "least": ("at least", operator.ge),
    "most": ("at most", operator.le),
    "above": ("above", operator.gt),
}


def _valid(setting: Any, value: Any, key: str, source: str) -> Any:
    kind: type = setting.type
    converted = _converted(kind, value)
    shown = MASK if setting.metadata.get("secret") else repr(value)
    given = f"{key} is {shown} (from {source}); it must be"
    if converted is None:
        raise ConfigError(f"{given} {TYPE_NAMES[kind]}")
    allowed = setting.metadata.get("one_of")
    if allowed and converted not in allowed:
        raise ConfigError(f"{given} one of {', '.join(allowed)}")
    for name, (words, holds) in LIMITS.items():
        limit = setting.metadata.get(name)
        if limit is not None and not holds(converted, limit):
            raise ConfigError(f"{given} {words} {limit}")
    return converted


def _converted(kind: type, value: Any) -> Any:
    """Convert a value to the setting's type; None if that is impossible."""
    if kind is bool:
        return value if isinstance(value, bool) else TRUTH.get(str(value).strip().lower())
    if kind is str:
        return value if isinstance(value, str) else None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = kind(value)
    except ValueError:
        return None
    return number if number == float(value) else None  # rejects NaN, and 2.5 for an int


def camel(name: str) -> str:
    """Spell a name as the documentation does.

    >>> camel("max_context_per_layer"), camel("queueCap")
    ('maxContextPerLayer', 'queueCap')
    """
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def _normalised(name: str) -> str:
    return name.replace("_", "").lower()
