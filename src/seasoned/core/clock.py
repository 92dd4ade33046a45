"""Clocks: every part is given one, so that a test can set the time."""

import time
from datetime import UTC, datetime
from typing import Protocol

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799  # of the years 1 and 9999


class Clock(Protocol):
    """Returns the time as integer microseconds since 1970 (UTC)."""

    def now(self) -> int: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1000


class FixedClock:
    """A clock that only `advance` moves, for tests and demonstrations.

    >>> clock = FixedClock(1_000_000)
    >>> clock.advance(seconds=2)
    >>> clock.now()
    3000000
    """

    def __init__(self, at: int = 1_700_000_000 * SECOND) -> None:
        self.at = at

    def now(self) -> int:
        return self.at

    def advance(self, *, seconds: float = 0, days: float = 0) -> None:
        self.at += int(seconds * SECOND + days * DAY)


def iso(at: int) -> str:
    """Format microseconds since 1970 for people; times outside of years 1 to 9999 as the nearest.

    >>> iso(0), iso(10**20)
    ('1970-01-01T00:00:00+00:00', '9999-12-31T23:59:59+00:00')
    """
    seconds = min(max(at // SECOND, FIRST_SECOND), LAST_SECOND)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def ago(at: int, now: int) -> str:
    """Say how long ago a time was, in one unit.

    >>> ago(0, 90 * MINUTE), ago(0, 3 * DAY), ago(0, 5)
    ('1 h ago', '3 d ago', 'just now')
    """
    passed = now - at
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if passed >= unit:
            return f"{passed // unit} {name} ago"
    return "just now"
