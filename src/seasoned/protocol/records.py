"""How a skill or a tool performs, as it stands on the wire: one record under three names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from seasoned.core.errors import BadInput

NAMES = ("name", "skill_name", "component_name")


@dataclass(frozen=True, slots=True)
class SkillPerformanceRecord:
    name: str
    calls_total: int = 0
    calls_success: int = 0
    calls_failed: int = 0
    avg_duration_ms: float = 0.0
    avg_score: float = 0.0
    last_called: float = 0.0  # seconds since 1970, as all times on the wire
    p95_duration_ms: float = 0.0
    weight: float = 0.0
    policy: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def skill_name(self) -> str:
        return self.name

    @property
    def component_name(self) -> str:
        return self.name

    def on_wire(self) -> dict[str, Any]:
        """Every client finds the name it looks for.

        >>> [SkillPerformanceRecord("grep").on_wire()[name] for name in NAMES]
        ['grep', 'grep', 'grep']
        """
        values = {each: getattr(self, each) for each in FIELDS}
        return {**dict.fromkeys(NAMES, self.name), **values, "policy": dict(self.policy)}


FIELDS = tuple(each.name for each in fields(SkillPerformanceRecord) if each.name != "name")


def record_of(given: Any) -> SkillPerformanceRecord:
    """A record from what a plugin or the wire has: a mapping, or an object with such fields.

    >>> record_of({"component_name": "grep", "calls_total": 3, "more": None}).calls_total
    3
    """
    if isinstance(given, SkillPerformanceRecord):
        return given
    there: dict[str, Any]
    wanted = (*NAMES, "tool_name", *FIELDS)
    if isinstance(given, Mapping):
        held = cast("Mapping[str, Any]", given)
        there = {each: held.get(each) for each in wanted}
    else:
        there = {each: getattr(given, each, None) for each in wanted}
    name = next((there[each] for each in (*NAMES, "tool_name") if there[each]), None)
    if not isinstance(name, str):
        raise BadInput(f"a performance record has no name: {there}")
    values: dict[str, Any] = {each: there[each] for each in FIELDS if there[each] is not None}
    return SkillPerformanceRecord(name, **values)


def records_of(given: Iterable[Any] | None) -> list[SkillPerformanceRecord]:
    return [record_of(each) for each in given or ()]
