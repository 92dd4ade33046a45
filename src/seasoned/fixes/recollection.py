"""Remember what tools returned in a session, to name where a value came from.

Kept in memory only: a value whose origin was forgotten is left out of a lesson, which is safe.
"""

import json
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Any, cast

from seasoned.changes.single import Origin, Origins
from seasoned.core.plain import DEEPEST, safe_text

MOST_SESSIONS = 200
MOST_RESULTS = 20  # per session, the latest
LONGEST_RESULT = 20_000  # characters of a result given as text
MOST_VALUES = 400  # of one result
SHORTEST, LONGEST = 3, 80  # characters of a value


class Recollection:
    def __init__(self) -> None:
        self._sessions: OrderedDict[str, deque[tuple[str, Any]]] = OrderedDict()

    def add(self, session: str, tool: str, result: Any) -> None:
        """Note a result; it is read only if a failure is repaired later."""
        if result is None or not session:
            return
        if isinstance(result, str) and len(result) > LONGEST_RESULT:
            return  # it would not be read
        kept = self._sessions.get(session)
        if kept is None:
            kept = self._sessions[session] = deque(maxlen=MOST_RESULTS)
            if len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        kept.append((tool, result))

    def origins(self, session: str) -> Origins:
        """Return where each value of the session was returned first, by the value as text."""
        found: dict[str, Origin] = {}
        for tool, result in self._sessions.get(session, ()):
            for field, value in _named_values(result):
                found.setdefault(str(value), Origin(tool, field))
        return found

    def latest(self, session: str, tool: str, field: str) -> Any:
        """Return what a tool last returned in a field; None if it did not."""
        for name, result in reversed(self._sessions.get(session, ())):
            if name == tool:
                for key, value in _named_values(result):
                    if key == field:
                        return value
        return None


def _named_values(result: Any) -> Iterator[tuple[str, Any]]:
    data = _read(result)
    left = MOST_VALUES
    for field, value in _leaves(data, ""):
        if field and _is_telling(value):
            yield field, value
        left -= 1
        if not left:
            return


def _is_telling(value: Any) -> bool:
    if isinstance(value, str):
        return SHORTEST <= len(value) <= LONGEST
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return 10 ** (SHORTEST - 1) <= abs(value) < 10**LONGEST


def _read(result: Any) -> Any:
    if isinstance(result, str):
        text = result.strip()
        if text[:1] in ("{", "[") and len(text) <= LONGEST_RESULT:
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                return None
        return None
    return result


def _leaves(value: Any, field: str, levels: int = DEEPEST) -> Iterator[tuple[str, Any]]:
    if not levels:
        return
    if isinstance(value, dict):
        for key, inner in cast("dict[Any, Any]", value).items():
            yield from _leaves(inner, safe_text(key), levels - 1)
    elif isinstance(value, list | tuple):
        for inner in cast("list[Any]", value):
            yield from _leaves(inner, field, levels - 1)
    else:
        yield field, value
