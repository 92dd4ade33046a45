"""Ids: random ones for stored things, digests for content that must get the same id each time."""

import hashlib
import json
import secrets
from typing import Any, cast

from seasoned.core.plain import plain, safe_repr

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford: no i, l, o, u to misread
DEEPEST_JSON = 100  # levels
LENGTH = 12  # 60 bits: a million lessons collide with a chance of one in two million
ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=safe_repr)


def new_id() -> str:
    """Make a short random id that a person can read out and type.

    >>> len(new_id())
    12
    """
    bits = secrets.randbits(5 * LENGTH)
    return "".join(ALPHABET[(bits >> (5 * place)) & 31] for place in range(LENGTH))


def digest(*parts: str) -> str:
    """Make an id from content: the same on every machine.

    >>> digest("shell", "no such file") == digest("shell", "no such file")
    True
    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()


def canonical(value: Any) -> str:
    """Write JSON in one fixed spelling, so that equal values have equal text.

    A value that JSON lacks is written as its `repr`; NaN is written as NaN. One that cannot be
    written at all (a cycle, an integer of thousands of digits, bottomless nesting) is abbreviated.

    >>> canonical({"b": 1, "a": (2, None)})
    '{"a":[2,null],"b":1}'
    """
    try:
        text = ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):  # unsortable keys, a cycle, too deep
        return ENCODER.encode(plain(value))
    if len(text) > 2 * DEEPEST_JSON and is_deep(value, text):
        return ENCODER.encode(plain(value))
    return text


def is_deep(value: Any, text: str) -> bool:
    """Whether a value is nested deeper than code that follows it downwards can bear."""
    if text.count("[") + text.count("{") <= DEEPEST_JSON:
        return False
    level = [value]
    for _ in range(DEEPEST_JSON):
        level = [below for above in level for below in _below(above)]
        if not level:
            return False
    return True


def _below(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[Any, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list | tuple) else []


def number(name: str) -> int:
    """Return the number that an id spells, for indexes that take only numbers.

    >>> number("00000000000z"), number("100000000000") < 2**63
    (31, True)
    """
    value = 0
    for character in name:
        value = value * 32 + ALPHABET.index(character)
    return value
