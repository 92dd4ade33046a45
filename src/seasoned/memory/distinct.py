"""Drops lines that say again what another said."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from seasoned.core.similarity import dice
from seasoned.core.stems import stems

ALIKE = 0.85  # of their words, from which two lines say the same
NUMBER = re.compile(r"\d[\d.,:]*")
# One of these more, and a line says the opposite.
NEGATION = re.compile(
    r"\b(?:no|not|never|none|without|nicht|kein\w*|nie|ne|pas|jamais|nunca|non|mai|não|\w+n['’]t)\b"
    r"|不|没|ない|ません",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gist:
    words: frozenset[str]
    numbers: tuple[str, ...]
    negations: int


def distinct(lines: Iterable[str]) -> list[str]:
    """The lines in their order; of those that say the same, the first.

    >>> distinct(["We use Postgres", "we use Postgres!", "We do not use Postgres", ""])
    ['We use Postgres', 'We do not use Postgres']
    >>> distinct(["Server 1 has 2 disks", "Server 1 has 3 disks"])
    ['Server 1 has 2 disks', 'Server 1 has 3 disks']
    """
    kept: list[str] = []
    seen: list[Gist] = []
    for line in lines:
        gist = _gist(line)
        if gist.words and not any(_same(gist, other) for other in seen):
            kept.append(line)
            seen.append(gist)
    return kept


def _gist(line: str) -> Gist:
    numbers = tuple(NUMBER.findall(line))
    return Gist(frozenset(stems(line)), numbers, len(NEGATION.findall(line)))


def _same(one: Gist, other: Gist) -> bool:
    if (one.numbers, one.negations) != (other.numbers, other.negations):
        return False
    return dice(one.words, other.words) >= ALIKE
