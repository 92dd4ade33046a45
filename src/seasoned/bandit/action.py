"""What an action says: what was chosen between, which one it was, how the call went."""

from collections.abc import Mapping
from typing import Any

from seasoned.bandit.call import Call, Kind
from seasoned.core.errors import BadInput
from seasoned.core.ids import canonical, digest

VARIANTS = ("arm", "variant")
KINDS: tuple[Kind, ...] = ("skill", "tool")
LONGEST = 200


def decision_of(action: Mapping[str, Any]) -> str:
    """The skill or tool whose variants were chosen between; '' for a choice between skills.

    >>> decision_of({"skill": "search", "arm": "bm25"}), decision_of({"skill": "search"})
    ('search', '')
    """
    if _first(action, VARIANTS) is None:
        return ""
    return _first(action, KINDS) or ""


def arm_of(action: Mapping[str, Any]) -> str:
    """What was chosen: the variant, else the skill or tool, else the whole action.

    >>> arm_of({"skill": "search", "arm": "bm25"}), arm_of({"type": "inc"})
    ('bm25', '{"type":"inc"}')
    """
    named = _first(action, (*VARIANTS, *KINDS))
    whole = named if named is not None else canonical(action)
    return whole if len(whole) <= LONGEST else f"{whole[:LONGEST]}…{digest(whole)}"


def call_of(action: Mapping[str, Any], at: int) -> Call | None:
    """The call of a skill or tool that the action tells of, if it says how it went."""
    success, took = action.get("success"), action.get("duration_ms")
    kind: Kind | None = next((one for one in KINDS if _first(action, (one,)) is not None), None)
    if kind is None or (success is None and took is None):
        return None
    if took is not None and (isinstance(took, bool) or not isinstance(took, int | float)):
        raise BadInput(f"duration_ms of an action is {took!r}; give a number")
    if success is not None and not isinstance(success, bool):
        raise BadInput(f"success of an action is {success!r}; give true or false")
    return Call(kind, str(action[kind]), success, took, at=at)


def _first(action: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    values = (action.get(name) for name in names)
    return next((str(value) for value in values if value is not None and value != ""), None)
