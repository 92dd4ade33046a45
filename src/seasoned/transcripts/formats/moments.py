"""Read timestamps: ISO 8601, or seconds, milli-, micro- or nanoseconds since 1970."""

import math
import re
from datetime import UTC, datetime

_NUMBER = re.compile(r"[0-9]{9,20}(?:\.[0-9]+)?")
# A number of seconds stays under the first bound until the year 5138; the same moment in
# milli-, micro- and nanoseconds lies three digits higher each time.
_UNITS = ((1e11, 1e6), (1e14, 1e3), (1e17, 1.0), (math.inf, 1e-3))


def micros(value: object) -> int | None:
    """Return microseconds since 1970 (UTC); None if the value is no timestamp.

    >>> micros("2025-03-01T10:00:00.5Z") == micros(1740823200.5) == micros("1740823200500")
    True
    >>> micros("yesterday"), micros(True), micros(None)
    (None, None, None)
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return _from_text(value.strip())
    return _from_number(value) if isinstance(value, int | float) else None


def _from_text(value: str) -> int | None:
    try:
        if _NUMBER.fullmatch(value):
            return _from_number(float(value) if "." in value else int(value))
        moment = datetime.fromisoformat(value)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(aware.timestamp() * 1e6)
    except (ValueError, OverflowError):
        return None


def _from_number(value: float) -> int | None:
    if not 0 < value < 1e20:
        return None
    factor = next(factor for bound, factor in _UNITS if value < bound)
    # Divide whole nanoseconds as integers; a float lacks the digits.
    return value // 1000 if isinstance(value, int) and factor < 1 else round(value * factor)
