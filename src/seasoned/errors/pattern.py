"""Turn an error message into the pattern that stays the same each time it happens."""

from functools import lru_cache

from seasoned.errors.masks import mask_line
from seasoned.errors.telling import telling_line

LONGEST_LINE = 1_000
LONGEST_PATTERN = 500
_ROUNDS = 6


def pattern_of(error: str) -> str:
    """Return the part of an error that is the same in every occurrence.

    >>> pattern_of("open /tmp/a1/x.txt: timed out after 30s")
    'open <path>: timed out after <n>s'
    >>> pattern_of("KeyError: 'user_7'") == pattern_of("KeyError: 'user_8'")
    True
    """
    return _settled(_once(error))


@lru_cache(maxsize=4096)
def _settled(pattern: str) -> str:
    """Repeat until nothing changes, because one mask can expose a value to another."""
    for _ in range(_ROUNDS):
        previous, pattern = pattern, _once(pattern)
        if pattern == previous:
            break
    return pattern


def _once(text: str) -> str:
    line = " ".join(telling_line(text).split())[:LONGEST_LINE]
    folded = " ".join(mask_line(line).split())
    if len(folded) > LONGEST_PATTERN:
        folded = folded[:LONGEST_PATTERN].rsplit(" ", 1)[0]
    return folded
