"""Recognise and convert the same value in another form: a type, a date, a unit."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_NUMBER = re.compile(r"\d+")
_MONTHS: Sequence[str] = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\b", re.IGNORECASE)
_NUMERIC = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_YEAR_FIRST = re.compile(r"(\d{4})[./](\d{1,2})[./](\d{1,2})")

LARGEST_EXACT = 1e15  # beyond this a float cannot tell one whole number from the next

# Factors between units that tools ask for: cents, milliseconds, seconds, kibibytes, per cent.
SCALES = {
    **{f"x{factor}": float(factor) for factor in (10, 100, 1000, 60, 3600, 1024, 1_000_000)},
    **{f"/{factor}": 1 / factor for factor in (10, 100, 1000, 60, 3600, 1024, 1_000_000)},
}


def scale_between(old: Any, new: Any) -> str | None:
    """Return the name of the factor that turns `old` into `new`.

    >>> scale_between(12.5, 1250), scale_between(3, 7)
    ('x100', None)
    """
    if not _is_number(new):
        return None
    for name in SCALES:
        made = scale(old, name)
        if made is not None and made == new and type(made) is type(new):
            return name
    return None


def scale(value: Any, name: str) -> int | float | None:
    """Convert a number to the other unit; whole where possible.

    >>> scale(18.75, "x100"), scale("a", "x100")
    (1875, None)
    """
    if not _is_number(value) or not value:
        return None
    result = value * SCALES[name]
    whole = round(result)
    return whole if abs(result - whole) <= 1e-9 * abs(result) else result


def is_iso_of(old: str, new: str) -> bool:
    """Tell whether `new` is the ISO form of the date in `old`.

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
    """Return a date in ISO form; None if it is not a date or is ambiguous.

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
    return number and abs(value) < LARGEST_EXACT


def same(a: Any, b: Any) -> bool:
    """Compare values and their types, recursively: to a tool 1, 1.0 and True are different.

    >>> same({"n": 1}, {"n": 1}), same({"n": 1}, {"n": True})
    (True, False)
    """
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        x, y = cast("tuple[Mapping[Any, Any], Mapping[Any, Any]]", (a, b))
        return x.keys() == y.keys() and all(same(x[key], y[key]) for key in x)
    if isinstance(a, list) and isinstance(b, list):
        p, q = cast("tuple[list[Any], list[Any]]", (a, b))
        return len(p) == len(q) and all(map(same, p, q))
    one, other = cast("tuple[object, object]", (a, b))
    return type(one) is type(other) and one == other


def _to_bool(value: Any) -> bool:
    return {"true": True, "false": False, "1": True, "0": False}[str(value).casefold()]


def _to_int(value: Any) -> int:
    return int(value) if isinstance(value, str) else int(float(value))


def _to_text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | dict | list) else str(value)


def _to_parsed(value: Any) -> Any:
    parsed = json.loads(value)
    if not isinstance(parsed, dict | list):
        raise ValueError("not a JSON object or list")
    return cast("Any", parsed)


def _to_parts(value: Any) -> list[str]:
    return [part.strip() for part in value.split(",")]


# The first conversion that turns the old value into the new one is the one learned.
CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "int": _to_int,
    "float": float,
    "bool": _to_bool,
    "str": _to_text,
    "parsed": _to_parsed,
    "list": lambda value: [value],
    "parts": _to_parts,
    "iso_date": iso_date,
    **{name: partial(scale, name=name) for name in SCALES},
}
NAMES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "a string",
    "parsed": "a JSON value instead of a string of JSON",
    "list": "a list",
    "parts": "a list of strings",
    "iso_date": "a date like 2025-12-31",
}
_SOURCES = {
    "int": (str, float),
    "float": (str, int),
    "bool": (str, int),
    "parsed": (str,),
    "parts": (str,),
    "iso_date": (str,),
}
MAX_TEXT = 20_000


def convert(value: Any, to: str) -> Any:
    """Convert a value to another type; None if that is impossible or unnecessary.

    >>> convert("5", "int"), convert("5 apples", "int"), convert("a", "list")
    (5, None, ['a'])
    """
    wanted = _SOURCES.get(to)
    if wanted and (not isinstance(value, wanted) or isinstance(value, bool)):
        return None
    if to in {"str", "list"} and isinstance(value, str if to == "str" else list):
        return None
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return None
    try:
        return CONVERSIONS[to](value)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def retyped_to(old: Any, new: Any) -> str | None:
    """Return the name of the conversion that turns `old` into `new`.

    >>> retyped_to("5", 5), retyped_to(12.5, 1250), retyped_to("5 May 2025", "2025-05-05")
    ('int', 'x100', 'iso_date')
    """
    if isinstance(old, str) and isinstance(new, str):
        return "iso_date" if is_iso_of(old, new) else None
    if old is None or new is None:
        return None
    if type(old) is not type(new):
        for name in CONVERSIONS:
            made = convert(old, name)
            if made is not None and same(made, new):
                return name
    return scale_between(old, new)
