"""Decode JSON so that nothing in it does harm later: NaN, lone surrogates, bottomless nesting."""

import json
import math
import re
from typing import Any, cast

from seasoned.core.text import storable

_DEPTH = 100
_MAY_BE_UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])|\x00")


def _finite(number: str) -> float | str:
    value = float(number)
    return value if math.isfinite(value) else number


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=str, strict=False)


def decode(text: str) -> Any:
    """Return the one JSON value of a text; ValueError if it is not one.

    >>> decode('{"a": NaN, "b": "x\\\\u0000"}')
    {'a': 'NaN', 'b': 'x\ufffd'}
    """
    value, end = decode_at(text, len(text) - len(text.lstrip()))
    if text[end:].strip():
        raise ValueError(f"more text after the value, at character {end}")
    return value


def decode_at(text: str, place: int) -> tuple[Any, int]:
    """Return the JSON value that begins at a place, and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, place)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if text.count("[", place, end) + text.count("{", place, end) > _DEPTH and _is_deep(value):
        raise ValueError("nested too deep")
    if _MAY_BE_UNSTORABLE.search(text, place, end):
        value = _storable(value)
    return value, end


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEPTH):
        level = [below for above in level for below in _below(above)]
        if not level:
            return False
    return True


def _below(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list) else []


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {storable(key): _storable(below) for key, below in members.items()}
    if isinstance(value, list):
        return [_storable(below) for below in cast("list[Any]", value)]
    return value
