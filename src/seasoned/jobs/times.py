"""Compute when a schedule runs next: cron, every or at, in a time zone, right across clock changes.

A cron rule with fixed hours runs once on each day it names. A time that the clocks skip runs at the
moment they move on; a time that comes twice runs the first time. A rule whose hour begins with `*`
follows elapsed time instead: `*/15 * * * *` runs four times in every real hour.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from seasoned.core.errors import BadInput
from seasoned.core.extras import missing_extra

Kind = Literal["cron", "every", "at"]
CatchUp = Literal["skip", "once", "all"]

SECOND = 1_000_000
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
DURATION = re.compile(r"(\d+)\s*([smhdw])")
FIELDS = 5
EPOCH = datetime(1970, 1, 1)  # on a wall clock
MOST_MISSED = 100  # runs that `all` makes up for
LATEST_YEAR = 9000  # of a single time: later ones overflow in some time zones
DAY = 86_400 * SECOND
GRACE = 60 * SECOND  # a run later than this was missed


@dataclass(frozen=True, slots=True)
class Rule:
    """When something runs; `made_at` anchors the rhythm of `every`."""

    kind: Kind
    text: str
    timezone: str = "UTC"
    made_at: int = 0

    def check(self) -> Rule:
        """Raise `BadInput` for what cannot be computed."""
        _zone(self.timezone)
        if self.kind == "cron":
            _cron_after(self.text, datetime(2024, 1, 1))
        elif self.kind == "every":
            every_seconds(self.text)
        else:
            at_time(self.text, self.timezone)
        return self

    def after(self, now: int) -> int | None:
        """Return the first time after `now`, in microseconds; None if it never runs again."""
        if self.kind == "every":
            step = every_seconds(self.text) * SECOND
            return self.made_at + step * ((now - self.made_at) // step + 1)
        if self.kind == "at":
            at = at_time(self.text, self.timezone)
            return at if at > now else None
        return _next_cron(self.text, _zone(self.timezone), now)


def missed(rule: Rule, first: int, now: int, policy: CatchUp) -> tuple[Sequence[int], int | None]:
    """Return the times to run now, of a schedule whose next time was `first`, and the time after.

    Times that are over for more than a minute were missed: `skip` leaves them out, `once` runs the
    last of them, `all` runs each, up to a hundred, the latest ones.
    """
    if first > now:
        return (), first
    due: list[int] = []
    at: int | None = first
    if rule.kind == "every":  # months of downtime are millions of seconds
        step = every_seconds(rule.text) * SECOND
        at = max(first, first + step * ((now - first) // step - MOST_MISSED))
    while at is not None and at <= now:
        due.append(at)
        del due[:-MOST_MISSED]
        jump = len(due) == MOST_MISSED and now - at > DAY  # a rule of every minute, months later
        at = rule.after(now - DAY if jump else at)
    if policy == "all":
        return due, at
    last = due[-1]
    if policy == "skip" and now - last > GRACE:
        return (), at
    return (last,), at


def every_seconds(text: str) -> int:
    """Parse a rhythm.

    >>> every_seconds("90s"), every_seconds("2h 30m")
    (90, 9000)
    """
    parts = DURATION.findall(text)
    seconds = sum(int(number) * UNITS[unit] for number, unit in parts)
    if DURATION.sub("", text).strip() or not 0 < seconds <= 3650 * 86_400:
        raise BadInput(f"every {text!r} is no duration; write 90s, 15m, 2h 30m, 1d or 1w")
    return seconds


def at_time(text: str, timezone: str) -> int:
    """Parse a point in time; without an offset it is one of the time zone.

    >>> at_time("1970-01-01 01:00", "Europe/Berlin")
    0
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise BadInput(f"at {text!r} is no time; write 2030-01-31T09:00") from error
    if not 1970 <= found.year <= LATEST_YEAR:
        raise BadInput(f"at {text!r} is in no year from 1970 to {LATEST_YEAR}; name another time")
    if found.tzinfo is None:
        return _instant(found, _zone(timezone))
    return _microseconds(found)


def _next_cron(text: str, zone: ZoneInfo, now: int) -> int | None:
    if text.split()[1].startswith("*"):
        return _next_real(text, zone, now)
    start = datetime.fromtimestamp(now // SECOND, UTC).astimezone(zone)
    # A skipped time of today may be due later than it says.
    wall = start.replace(tzinfo=None, fold=0) - timedelta(days=1)
    while (found := _cron_after(text, wall)) is not None:
        wall = found
        at = _instant(wall, zone)
        if at > now:
            return at
    return None


def _next_real(text: str, zone: ZoneInfo, now: int) -> int | None:
    """Return the next moment at which a wall clock shows a time of the rule.

    Between two changes of its offset a clock is regular. When the offset at a match is another than
    at the start, the clocks changed in between, and the search goes on from there.
    """
    second = now // SECOND
    offset = _offset(second, zone)
    while (wall := _cron_after(text, EPOCH + timedelta(seconds=second) + offset)) is not None:
        found = (wall - offset - EPOCH) // timedelta(seconds=1)
        if _offset(found, zone) == offset:
            return found * SECOND
        changed = _change(second, found, offset, zone)
        second, offset = changed - 1, _offset(changed, zone)
    return None


def _offset(second: int, zone: ZoneInfo) -> timedelta:
    return datetime.fromtimestamp(second, zone).utcoffset() or timedelta()


def _change(low: int, high: int, before: timedelta, zone: ZoneInfo) -> int:
    """Return the second between two from which the offset is not the one before."""
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(middle, zone) == before:
            low = middle
        else:
            high = middle
    return high


def _instant(wall: datetime, zone: ZoneInfo) -> int:
    """Return when a wall clock first shows this; for a skipped time, when the clocks move on."""
    early = wall.replace(tzinfo=zone, fold=0)
    back = early.astimezone(UTC).astimezone(zone).replace(tzinfo=None)
    if back == wall:
        return _microseconds(early)
    low = _microseconds(wall.replace(tzinfo=zone, fold=1)) // SECOND
    high = _microseconds(early) // SECOND
    return _change(low, high, _offset(low, zone), zone) * SECOND


def _cron_after(text: str, wall: datetime) -> datetime | None:
    fields = text.split()
    if len(fields) != FIELDS:
        raise BadInput(
            f"cron {text!r} has {len(fields)} fields, not 5: minute, hour, day, month, weekday; "
            "for example `30 7 * * 1-5`"
        )
    if "R" in text.upper().replace("FRI", "").replace("MAR", "").replace("APR", ""):
        raise BadInput(f"cron {text!r} has an R, for a random time; name the time")
    make = _croniter()
    try:
        return cast(datetime, make(text, wall).get_next(datetime))
    except ValueError as error:  # croniter's own errors are among them
        if "failed to find next date" in str(error):
            return None
        raise BadInput(f"cron {text!r} cannot be read: {error}") from error


def _croniter() -> Callable[..., Any]:
    try:
        from croniter import croniter
    except ImportError as missing:
        raise missing_extra("jobs", "cron rules need a parser") from missing
    return cast("Callable[..., Any]", croniter)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadInput(f"no time zone {name!r}; {_similar_zone(name)}") from error


def _similar_zone(name: str) -> str:
    """Say which zone somebody may have meant, by its city or another spelling."""
    city = name.strip().replace(" ", "_").rpartition("/")[2].casefold()
    for zone in sorted(available_timezones()):
        if city and zone.rpartition("/")[2].casefold() == city:
            return f"did you mean {zone}?"
    return "write one like Europe/Berlin or UTC"


def _microseconds(at: datetime) -> int:
    return (at - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)
