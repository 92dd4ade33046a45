"""Reads when something is to happen, as a model writes it: a time, or how long from now."""

import re
from datetime import UTC, datetime, timedelta

from seasoned.core.clock import SECOND
from seasoned.core.errors import BadInput

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
SPELLED = re.compile(
    r"(?ix) (\d+(?:\.\d+)?) \s* (?:(s)(?:ec(?:ond)?s?)? | (m)(?:in(?:ute)?s?)? | (h)(?:(?:ou)?rs?)?"
    r"| (d)(?:ays?)? | (w)(?:eeks?)?) (?![a-z]) [\s,]* (?:and\s+)?"
)
ONE = re.compile(r"(?i)\ban?\s+(?=(?:second|minute|hour|day|week)\b)")
FARTHEST = 10 * 365 * 86_400


def moment(text: str, now: int) -> int:
    """When, in microseconds since 1970; a time without a zone is in UTC.

    >>> moment("1971-01-01T09:00:00+01:00", 0) == moment("1971-01-01 08:00", 0)
    True
    >>> moment("in 1 hour and 30 minutes", 0) // SECOND, moment("90s", 0) // SECOND
    (5400, 90)
    """
    said = text.strip()
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        return now + seconds_in(said.removeprefix("in ")) * SECOND
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    try:
        at = (aware - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)
    except OverflowError as error:
        raise BadInput(f"{text!r} is too far away") from error
    if at > now + FARTHEST * SECOND:
        raise BadInput(f"{text!r} is too far away; the farthest is ten years from now")
    return at


def seconds_in(text: str) -> int:
    """How long, in seconds.

    >>> seconds_in("1 day"), seconds_in("2h 15m"), seconds_in("an hour"), seconds_in("1.5 hours")
    (86400, 8100, 3600, 5400)
    """
    said = ONE.sub("1 ", text.strip())
    parts = [(number, "".join(unit)) for number, *unit in SPELLED.findall(said)]
    if not parts or SPELLED.sub("", said).strip():
        raise BadInput(
            f"{text!r} is no time that can be understood; write 2030-01-31T09:00:00+01:00, "
            "or how long from now: 90s, 15m, 2h 30m, 3d"
        )
    seconds = int(sum(float(number) * UNITS[unit.lower()] for number, unit in parts))
    if not 0 < seconds <= FARTHEST:
        raise BadInput(f"{text!r} is not between a second and ten years")
    return seconds
