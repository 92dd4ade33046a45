"""The same quantity said another way: a date in ISO form, an amount in another unit."""

import re
from collections.abc import Sequence
from typing import Any

_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_NUMBER = re.compile(r"\d+")
_MONTHS: Sequence[str] = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\b", re.IGNORECASE)
_NUMERIC = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_YEAR_FIRST = re.compile(r"(\d{4})[./](\d{1,2})[./](\d{1,2})")

MOST = 1e15  # from here on a float no longer tells one whole number from the next

# Factors between units that tools ask for: cents, milliseconds, seconds, kibibytes, per cent.
SCALES = {
    **{f"x{factor}": float(factor) for factor in (10, 100, 1000, 60, 3600, 1024, 1_000_000)},
    **{f"/{factor}": 1 / factor for factor in (10, 100, 1000, 60, 3600, 1024, 1_000_000)},
}


def scale_between(old: Any, new: Any) -> str | None:
    """The name of the factor that makes `new` from `old`.

    >>> scale_between(12.5, 1250), scale_between(3, 7)
    ('x100', None)
    """
    if not _is_number(new):
        return None
    for name in SCALES:
        made = scaled(old, name)
        if made is not None and made == new and type(made) is type(new):
            return name
    return None


def scaled(value: Any, name: str) -> int | float | None:
    """A number in the other unit, whole where it can be.

    >>> scaled(18.75, "x100"), scaled("a", "x100")
    (1875, None)
    """
    if not _is_number(value) or not value:
        return None
    result = value * SCALES[name]
    whole = round(result)
    return whole if abs(result - whole) <= 1e-9 * abs(result) else result


def is_iso_of(old: str, new: str) -> bool:
    """Whether `new` is the ISO form of a date that `old` says in another.

    >>> is_iso_of("April 2nd", "2025-04-02"), is_iso_of("02/04/2025", "2025-04-03")
    (True, False)
    """
    found = _ISO.fullmatch(new)
    if not found or _ISO.search(old) or len(old) > 40:
        return False
    year, month, day = (int(part) for part in found.groups())
    numbers = [int(number) for number in _NUMBER.findall(old)]
    named = _MONTH.search(old)
    if day not in numbers or any(number > 31 and number != year for number in numbers):
        return False
    if named:
        return _MONTHS.index(named[1].lower()) + 1 == month
    return month in numbers and (month != day or numbers.count(day) > 1)


def iso_date(text: str) -> str | None:
    """A date in ISO form; None when it is no date, or could be two.

    >>> iso_date("16 Feb 2025"), iso_date("03/14/2025"), iso_date("04/05/2025")
    ('2025-02-16', '2025-03-14', None)
    """
    if found := _YEAR_FIRST.fullmatch(text.strip()):
        return _iso(found[1], found[2], found[3])
    if found := _NUMERIC.fullmatch(text.strip()):
        first, sign, second, year = found.groups()
        day_first = int(first) > 12 or sign == "."
        if not day_first and int(second) <= 12 and first != second:
            return None
        return _iso(year, second, first) if day_first else _iso(year, first, second)
    named = _MONTH.search(text)
    numbers = _NUMBER.findall(text)
    if named and len(numbers) == 2 and any(len(number) == 4 for number in numbers):
        year, day = sorted(numbers, key=len, reverse=True)
        return _iso(year, str(_MONTHS.index(named[1].lower()) + 1), day)
    return None


def _iso(year: str, month: str, day: str) -> str | None:
    if 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
        return f"{year}-{int(month):02}-{int(day):02}"
    return None


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) < MOST
