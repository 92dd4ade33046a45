"""Names for things: random ones for what is stored, content digests for what is the same again."""

import hashlib
import json
import secrets
from typing import Any

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford: no i, l, o, u to misread
LENGTH = 12  # 60 bits: a million lessons collide with a chance of one in two million
ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr)


def new_id() -> str:
    """A short random id that a person can read out and type.

    >>> len(new_id())
    12
    """
    bits = secrets.randbits(5 * LENGTH)
    return "".join(ALPHABET[(bits >> (5 * place)) & 31] for place in range(LENGTH))


def digest(*parts: str) -> str:
    """The same short name for the same content, on every machine.

    >>> digest("shell", "no such file") == digest("shell", "no such file")
    True
    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()


def canonical(value: Any) -> str:
    """JSON in one fixed spelling, so that equal values have equal text.

    What JSON cannot say is written as its `repr`; a NaN is written as such.

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
    """An id as the number behind it, for indexes that know only numbers.

    >>> number("00000000000z"), number("100000000000") < 2**63
    (31, True)
    """
    value = 0
    for character in name:
        value = value * 32 + ALPHABET.index(character)
    return value
