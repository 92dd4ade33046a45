"""Pages of lists: so many at once, and an opaque cursor to where the next page begins.

A cursor holds the values that its list is sorted by, so that rows added meanwhile neither repeat
nor hide others.
"""

import json
import math
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar, cast

from fastapi import Query
from pydantic import BaseModel

from seasoned.core import safe_json
from seasoned.core.errors import BadInput
from seasoned.db.keyset import Place

T = TypeVar("T")

MOST = 200  # of one page
LONGEST_CURSOR = 4000
LARGEST = 2**63 - 1  # that a column takes

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
After = Annotated[
    str | None,
    Query(max_length=LONGEST_CURSOR, description="`next` of the page before; none: the beginning."),
]


class Page(BaseModel, Generic[T]):
    """Some of a list, and the cursor of the next page; without one, this is the last."""

    items: Sequence[T]
    next: str | None = None


class Cursor:
    """Writes and reads the cursors of one list, whose places have values of these kinds."""

    def __init__(self, name: str, *kinds: tuple[type, ...]) -> None:
        self._name = name
        self._kinds = kinds

    def read(self, text: str | None) -> Any:
        """Return the place that a cursor names; None for the beginning of the list.

        >>> cursor = Cursor("lessons", (int, str))
        >>> cursor.read(cursor.write((7, "k3")))
        (7, 'k3')
        """
        if not text:
            return None
        try:
            padded = text + "=" * (-len(text) % 4)
            read = safe_json.decode(urlsafe_b64decode(padded.encode("ascii")).decode("utf-8"))
        except ValueError:
            raise self._bad() from None
        if not isinstance(read, list) or not read:
            raise self._bad()
        name, *place = cast("list[Any]", read)
        if name != self._name or not any(_fits(place, kinds) for kinds in self._kinds):
            raise self._bad()
        return tuple(place)

    def write(self, place: Place) -> str:
        written = json.dumps([self._name, *place], separators=(",", ":"))
        return urlsafe_b64encode(written.encode()).decode("ascii").rstrip("=")

    def page(
        self, rows: Sequence[T], limit: int, place_of: Callable[[T], Place] | None = None
    ) -> dict[str, Any]:
        """Return a page of rows, of which one more than the limit was asked for."""
        shown = rows[:limit]
        if len(rows) <= limit:
            return {"items": shown, "next": None}
        last = shown[-1]
        place = place_of(last) if place_of else cast("Any", last).place
        return {"items": shown, "next": self.write(place)}

    def _bad(self) -> BadInput:
        return BadInput(
            f"the cursor is not one of {self._name}; pass on `next` of the page before, as it is"
        )


def _fits(place: list[Any], kinds: tuple[type, ...]) -> bool:
    return len(place) == len(kinds) and all(
        _is(value, kind) for value, kind in zip(place, kinds, strict=True)
    )


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return not isinstance(value, bool) and isinstance(value, int | float) and _finite(value)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
    return isinstance(value, kind)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
