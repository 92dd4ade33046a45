"""The same value in another form: what "must be a number, not a string" asks for."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from seasoned.learning.change_units import SCALES, is_iso_of, iso_date, scale_between, scaled


def same(a: Any, b: Any) -> bool:
    """Equal, and of the same types all the way down: 1 == True == 1.0 for Python, not for a tool.

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
        raise ValueError("only what JSON would wrap")
    return cast("Any", parsed)


def _to_parts(value: Any) -> list[str]:
    return [part.strip() for part in value.split(",")]


# In this order: the first that makes the new value from the old one tells the change.
CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "int": _to_int,
    "float": float,
    "bool": _to_bool,
    "str": _to_text,
    "parsed": _to_parsed,
    "list": lambda value: [value],
    "parts": _to_parts,
    "iso_date": iso_date,
    **{name: partial(scaled, name=name) for name in SCALES},
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


def converted(value: Any, to: str) -> Any:
    """The value under another type; None when it cannot be, or is that already.

    >>> converted("5", "int"), converted("5 apples", "int"), converted("a", "list")
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
    """The name of the conversion that makes `new` from `old`.

    >>> retyped_to("5", 5), retyped_to(12.5, 1250), retyped_to("5 May 2025", "2025-05-05")
    ('int', 'x100', 'iso_date')
    """
    if isinstance(old, str) and isinstance(new, str):
        return "iso_date" if is_iso_of(old, new) else None
    if old is None or new is None:
        return None
    if type(old) is not type(new):
        for name in CONVERSIONS:
            made = converted(old, name)
            if made is not None and same(made, new):
                return name
    return scale_between(old, new)
