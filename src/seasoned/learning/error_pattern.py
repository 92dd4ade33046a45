"""Turn an error message into the pattern that stays the same each time it happens."""

from functools import lru_cache

from seasoned.learning.error_lines import significant
from seasoned.learning.error_masks import masked

LONGEST_LINE = 1_000
LONGEST_PATTERN = 500
_ROUNDS = 6


def pattern_of(error: str) -> str:
    """The part of an error that stays the same from one occurrence to the next.

    >>> pattern_of("open /tmp/a1/x.txt: timed out after 30s")
    'open <path>: timed out after <n>s'
    >>> pattern_of("KeyError: 'user_7'") == pattern_of("KeyError: 'user_8'")
    True
    """
    return _settled(_once(error))


@lru_cache(maxsize=4096)
def _settled(pattern: str) -> str:
    """A mask can uncover what another would have seen: go on until nothing changes."""
    for _ in range(_ROUNDS):
        previous, pattern = pattern, _once(pattern)
        if pattern == previous:
            break
    return pattern


def _once(text: str) -> str:
    line = " ".join(significant(text).split())[:LONGEST_LINE]
    folded = " ".join(masked(line).split())
    if len(folded) > LONGEST_PATTERN:
        folded = folded[:LONGEST_PATTERN].rsplit(" ", 1)[0]
    return folded
