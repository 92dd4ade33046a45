"""Performance records of skills and tools on the wire, with the name under three keys."""

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
    last_called: float = 0.0  # seconds since 1970, like all times on the wire
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
        """Return the record as JSON, with the name under the key of each protocol revision.

        >>> [SkillPerformanceRecord("grep").on_wire()[name] for name in NAMES]
        ['grep', 'grep', 'grep']
        """
        values = {each: getattr(self, each) for each in FIELDS}
        return {**dict.fromkeys(NAMES, self.name), **values, "policy": dict(self.policy)}


FIELDS = tuple(each.name for each in fields(SkillPerformanceRecord) if each.name != "name")


def record_of(given: Any) -> SkillPerformanceRecord:
    """Build a record from a mapping, or from an object with the same fields.

    >>> record_of({"component_name": "grep", "calls_total": 3, "more": None}).calls_total
    3
    """
    if isinstance(given, SkillPerformanceRecord):
        return given
    found: dict[str, Any]
    keys = (*NAMES, "tool_name", *FIELDS)
    if isinstance(given, Mapping):
        mapping = cast("Mapping[str, Any]", given)
        found = {each: mapping.get(each) for each in keys}
    else:
        found = {each: getattr(given, each, None) for each in keys}
    name = next((found[each] for each in (*NAMES, "tool_name") if found[each]), None)
    if not isinstance(name, str):
        raise BadInput(f"a performance record has no name: {found}")
    values: dict[str, Any] = {each: found[each] for each in FIELDS if found[each] is not None}
    return SkillPerformanceRecord(name, **values)


def records_of(given: Iterable[Any] | None) -> list[SkillPerformanceRecord]:
    return [record_of(each) for each in given or ()]
