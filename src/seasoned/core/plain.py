"""Abbreviate any Python value so that JSON can write it and a database can store it."""

import math
from collections.abc import Mapping
from typing import Any, cast

from seasoned.core.text import storable

DEEPEST = 20  # levels
MOST_PARTS = 10_000  # of one value
LONGEST_REPR = 10_000  # characters
MOST_BITS = 4096  # of an integer that is written in digits


def plain(value: Any) -> Any:
    """Return a copy of dicts, lists and scalars only: not too deep, without cycles, storable.

    >>> plain({1: (b"a", float("nan")), "n": 10**5000})
    {'1': ["b'a'", 'nan'], 'n': '<a number of 5001 digits>'}
    """
    return _Copying().of(value, DEEPEST)


class _Copying:
    def __init__(self) -> None:
        self._left = MOST_PARTS
        self._above: set[int] = set()

    def of(self, value: Any, levels: int) -> Any:
        self._left -= 1
        if isinstance(value, Mapping | list | tuple | set | frozenset):
            return self._container(value, levels)
        return _scalar(value)

    def _container(self, value: Any, levels: int) -> Any:
        if id(value) in self._above:
            return "<circular>"
        if not levels or self._left <= 0:
            return "<nested too deeply>" if not levels else "<too large>"
        self._above.add(id(value))
        members = self._members(value, levels - 1)
        self._above.discard(id(value))
        return members

    def _members(self, value: Any, levels: int) -> Any:
        if not isinstance(value, Mapping):
            return [self.of(item, levels) for item in value if self._left > 0]
        members = cast("Mapping[Any, Any]", value).items()
        return {safe_text(name): self.of(item, levels) for name, item in members if self._left > 0}


def _scalar(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return storable(str(value))
    if isinstance(value, int):
        return short_integer(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return safe_repr(value)


def safe_text(value: object) -> str:
    """Return `str(value)`, storable; a description if that fails."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(short_integer(value))
    try:
        return storable(str(value)[:LONGEST_REPR])
    except Exception:  # noqa: BLE001 - foreign code may raise anything
        return f"<{type(value).__name__}>"


def safe_repr(value: object) -> str:
    """Return `repr(value)`, storable and cut; a description if that fails.

    >>> safe_repr({1})
    '{1}'
    """
    try:
        return storable(repr(value)[:LONGEST_REPR])
    except Exception:  # noqa: BLE001 - foreign code may raise anything
        return f"<{type(value).__name__}>"


def short_integer(value: int) -> int | str:
    """Describe an integer that Python refuses to write, of thousands of digits."""
    if value.bit_length() <= MOST_BITS:
        return value
    return f"<a number of {int(value.bit_length() * math.log10(2)) + 1} digits>"
