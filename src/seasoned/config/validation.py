"""What a setting may be: its name in any spelling, its type, its limits."""

import math
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from seasoned.config.settings import Settings
from seasoned.core.errors import ConfigError

MASK = "(set, not shown)"


def every_setting() -> Iterator[tuple[str, Any, str]]:
    """Yield each setting: its section, its field, and its key as documented."""
    defaults = Settings()
    for section in fields(Settings):
        for setting in fields(getattr(defaults, section.name)):
            yield section.name, setting, f"{section.name}.{camel(setting.name)}"


def secret_settings() -> list[str]:
    """Return the keys of all settings that are used and never shown."""
    return [key for _, setting, key in every_setting() if setting.metadata.get("secret")]


def known(section: str, name: str, source: str) -> tuple[Any, str]:
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


def valid(setting: Any, value: Any, key: str, source: str) -> Any:
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
        number, exact = kind(value), float(value)
    except (ValueError, OverflowError):
        return None
    return number if number == exact and math.isfinite(exact) else None  # not NaN, nor 2.5 for int


def camel(name: str) -> str:
    """Spell a name as the documentation does.

    >>> camel("max_context_per_layer"), camel("queueCap")
    ('maxContextPerLayer', 'queueCap')
    """
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def _normalised(name: str) -> str:
    return name.replace("_", "").lower()
