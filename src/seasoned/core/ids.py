"""Ids: random ones for stored things, digests for content that must get the same id each time."""

import hashlib
import json
import secrets
from typing import Any

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford: no i, l, o, u to misread
LENGTH = 12  # 60 bits: a million lessons collide with a chance of one in two million
ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr)


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

    A value that JSON lacks is written as its `repr`; NaN is written as NaN.

    >>> canonical({"b": 1, "a": (2, None)})
    '{"a":[2,null],"b":1}'
    """
    try:
        return ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):  # unsortable keys, a cycle, too deep
        return json.dumps(_bounded_repr(value))


def _bounded_repr(value: Any) -> str:
    try:
        return repr(value)[:10_000]
    except RecursionError:
        return f"<{type(value).__name__}, nested too deeply>"


def number(name: str) -> int:
    """Return the number that an id spells, for indexes that take only numbers.

    >>> number("00000000000z"), number("100000000000") < 2**63
    (31, True)
    """
    value = 0
    for character in name:
        value = value * 32 + ALPHABET.index(character)
    return value
