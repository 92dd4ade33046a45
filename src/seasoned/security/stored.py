"""What may be stored: the last look at every value on its way into the database, and at names."""

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from seasoned.core.text import storable
from seasoned.security.redact import SECRET, hides_a_secret, redact
from seasoned.security.secret_shapes import is_random

LONGEST_NAME = 200
SHORTEST = 7  # characters of a text with a secret, as in pw=a1b2
LONGEST_CACHED = 512  # characters
STRONG, WEAK = 12, 3  # hexadecimal digits of the digest behind a name
MARKED = re.compile(r"~[0-9a-f]{3,24}$")


class CleanText(str):
    """A text that is known to hold no secret, so that nobody looks again: the hot path is short."""

    __slots__ = ()


def stored_params(params: Sequence[Any]) -> Sequence[Any]:
    """Return the values of a statement without secrets: the same object if there are none.

    >>> stored_params(("ana", 1, "password=hunter2"))
    ('ana', 1, 'password=<secret>')
    """
    for value in params:
        if type(value) is str and len(value) >= SHORTEST and stored_text(value) is not value:
            return tuple(stored_text(one) if type(one) is str else one for one in params)
    return params


def stored_text(text: str) -> str:
    """Return a text without secrets; JSON stays JSON.

    >>> stored_text('{"a":"sshpass -p \\\\"hunter2\\\\" ssh","token":"x1y2z3w4v5"}')
    '{"a":"sshpass -p \\\\"<secret>\\\\" ssh","token":"<secret>"}'
    """
    return _stored_short(text) if len(text) <= LONGEST_CACHED else _stored(text)


def _stored(text: str) -> str:
    if len(text) == 64 and text.isalnum() and text.islower():
        return text  # a digest, as the audit has one in every row
    clean = redact(text)
    is_json = text[:1] in ("{", "[")
    if clean == text and not (is_json and "\\" in text):
        return text
    if not is_json:
        return clean
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return clean
    kept = _without_secrets(value)
    if kept == value:
        return text
    compact = (",", ":") if '": ' not in text and '", ' not in text else None
    return json.dumps(kept, ensure_ascii=text.isascii(), separators=compact)


# Names, ids and states come again and again.
_stored_short = functools.lru_cache(maxsize=20_000)(_stored)


def _without_secrets(value: Any, name: str = "") -> Any:
    if isinstance(value, str):
        return SECRET if value and name and hides_a_secret(name) else redact(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {redact(key): _without_secrets(one, key) for key, one in items}
    if isinstance(value, list):
        return [_without_secrets(one, name) for one in cast("list[Any]", value)]
    return value


def stored_name(name: str) -> str:
    """Return a name fit to be stored: unchanged if possible, else told apart by a digest.

    The digest of a secret that can be guessed is short: it leaves thousands of passwords possible,
    for the price that one pair of names in 4,096 becomes one.

    >>> stored_name("req-1"), len(stored_name("x" * 1000))
    ('req-1', 173)
    >>> stored_name("a" * 300) == stored_name("a" * 301)
    False
    >>> stored_name(stored_name("password=hunter2")) == stored_name("password=hunter2")
    True
    """
    if len(name) < SHORTEST:
        return storable(name)
    return _stored_name(name)


@functools.lru_cache(maxsize=20_000)
def _stored_name(name: str) -> str:
    clean = redact(storable(name))
    if len(clean) > LONGEST_NAME:
        clean = clean[: LONGEST_NAME - 40]
    if clean == name:
        return name
    guessable = SECRET in clean and not _is_strong(name, clean)
    whole = hashlib.blake2b(repr((name,)).encode(), digest_size=12).hexdigest()
    return f"{clean}~{whole[: WEAK if guessable else STRONG]}"


def _is_strong(name: str, clean: str) -> bool:
    """Whether nobody can guess the secrets in a name."""
    first, *rest = clean.split(SECRET)
    hidden = name.removeprefix(first)
    return len(rest) == 1 and is_random(hidden.removesuffix(rest[0])) and len(hidden) >= 20
