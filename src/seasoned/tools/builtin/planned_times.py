"""Read times and durations as models write them."""

import re
from datetime import UTC, datetime, timedelta

from seasoned.core.clock import SECOND
from seasoned.core.errors import BadInput

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
DURATION_PART = re.compile(
    r"(?ix) (\d+(?:\.\d+)?) \s* (?:(s)(?:ec(?:ond)?s?)? | (m)(?:in(?:ute)?s?)? | (h)(?:(?:ou)?rs?)?"
    r"| (d)(?:ays?)? | (w)(?:eeks?)?) (?![a-z]) [\s,]* (?:and\s+)?"
)
ARTICLE = re.compile(r"(?i)\ban?\s+(?=(?:second|minute|hour|day|week)\b)")
FARTHEST_SECONDS = 10 * 365 * 86_400


def parse_time(text: str, now: int) -> int:
    """Parse a time or a duration from now, into microseconds since 1970; no zone means UTC.

    >>> parse_time("1971-01-01T09:00:00+01:00", 0) == parse_time("1971-01-01 08:00", 0)
    True
    >>> parse_time("in 1 hour and 30 minutes", 0) // SECOND, parse_time("90s", 0) // SECOND
    (5400, 90)
    """
    stripped = text.strip()
    try:
        found = datetime.fromisoformat(stripped)
    except ValueError:
        return now + parse_seconds(stripped.removeprefix("in ")) * SECOND
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    try:
        at = (aware - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)
    except OverflowError as error:
        raise BadInput(f"{text!r} is too far away") from error
    if at > now + FARTHEST_SECONDS * SECOND:
        raise BadInput(f"{text!r} is too far away; the farthest is ten years from now")
    return at


def parse_seconds(text: str) -> int:
    """Parse a duration into seconds.

    >>> [parse_seconds(text) for text in ("1 day", "2h 15m", "an hour", "1.5 hours")]
    [86400, 8100, 3600, 5400]
    """
    stripped = ARTICLE.sub("1 ", text.strip())
    parts = [(number, "".join(unit)) for number, *unit in DURATION_PART.findall(stripped)]
    if not parts or DURATION_PART.sub("", stripped).strip():
        raise BadInput(
            f"{text!r} is not a time or duration; write 2030-01-31T09:00:00+01:00, "
            "or how long from now: 90s, 15m, 2h 30m, 3d"
        )
    seconds = int(sum(float(number) * UNITS[unit.lower()] for number, unit in parts))
    if not 0 < seconds <= FARTHEST_SECONDS:
        raise BadInput(f"{text!r} is not between a second and ten years")
    return seconds
