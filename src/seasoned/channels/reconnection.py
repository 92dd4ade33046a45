"""How long to wait before a lost connection is opened again."""

import random


class Pauses:
    """Pauses that double until a connection works again; spread, so that clients don't align.

    >>> pauses = Pauses(1, most_seconds=4, spread=0)
    >>> [pauses.next() for _ in range(4)]
    [1, 2, 4, 4]
    >>> pauses.worked()
    >>> pauses.next()
    1
    """

    def __init__(
        self, first_seconds: float, *, most_seconds: float = 60, spread: float = 0.25
    ) -> None:
        self._first = first_seconds
        self._most = most_seconds
        self._spread = spread  # the part of a pause that is left to chance
        self._tries = 0

    def next(self) -> float:
        longest = min(self._first * 2 ** min(self._tries, 30), self._most)
        self._tries += 1
        return longest * (1 - random.uniform(0, self._spread)) if self._spread else longest

    def worked(self) -> None:
        self._tries = 0
