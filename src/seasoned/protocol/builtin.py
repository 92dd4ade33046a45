"""Our own plugin: feedback, experience and adaptation, as Seasoned does them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from seasoned.bandit.experience import Experience
from seasoned.core.clock import SECOND
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.learning.feedback import Feedback
from seasoned.learning.feedback_kept import name_of
from seasoned.protocol.plugin import LearnPlugin
from seasoned.protocol.records import SkillPerformanceRecord
from seasoned.protocol.together import Together
from seasoned.protocol.work import Run

if TYPE_CHECKING:
    from seasoned.bandit.adaptation import Adaptation, Adapted
    from seasoned.bandit.experiences import Experiences
    from seasoned.bandit.performance import Performance, PerformanceRecord
    from seasoned.learning.feedbacks import Feedbacks, Recorded

MOST_TOGETHER = 1000  # pieces of feedback in one transaction
# What agents call the skill or the tool that an action used, and what we call it.
NAMED = {"skill_name": "skill", "component_name": "skill", "tool_name": "tool"}


class Services(Protocol):
    """The parts of Seasoned that the plugin works with."""

    @property
    def feedbacks(self) -> "Feedbacks": ...
    @property
    def experiences(self) -> "Experiences": ...
    @property
    def performance(self) -> "Performance": ...
    @property
    def adaptation(self) -> "Adaptation": ...


class Builtin(LearnPlugin):
    def __init__(self, services: Services, scope: Scope, run: Run, *, concurrent: bool) -> None:
        self._feedbacks = services.feedbacks
        self._experiences = services.experiences
        self._performance = services.performance
        self._adaptation = services.adaptation
        self._scope = scope
        self._run = run
        self._concurrent = concurrent
        self._recording = Together(self._record_all, weight=len, most=MOST_TOGETHER)

    async def _record_feedback(
        self, feedbacks: Sequence[Feedback]
    ) -> tuple[int, Mapping[str, Any]]:
        if self._concurrent:
            return await self._recording(feedbacks)
        return (await self._record_all([feedbacks]))[0]

    async def _record_all(
        self, messages: Sequence[Sequence[Feedback]]
    ) -> Sequence[tuple[int, Mapping[str, Any]]]:
        """The feedback of several messages in one transaction; what came of each."""
        every = [item for items in messages for item in items]
        recorded = await self._run(self._feedbacks.record(every, self._scope))
        new = counts(messages, recorded)
        return [
            (count, scores_of(items, recorded)) for items, count in zip(messages, new, strict=True)
        ]

    async def _store_experiences(self, experiences: Sequence[Experience]) -> int:
        named = [with_name(each) for each in experiences]
        return await self._run(self._experiences.add(named, self._scope))

    async def _adapt(self, skill_name: str, strategy: str) -> Sequence[SkillPerformanceRecord]:
        adapted = await self._run(self._adaptation.adapt(skill_name, strategy, self._scope))
        return adapted_records(adapted)

    async def _get_stats(
        self, skill_name: str, tool_name: str
    ) -> Mapping[str, Sequence[SkillPerformanceRecord]]:
        return await self._run(self._stats(skill_name, tool_name))

    async def _stats(
        self, skill_name: str, tool_name: str
    ) -> Mapping[str, Sequence[SkillPerformanceRecord]]:
        records = self._performance.records
        skills = await records(self._scope, "skill", skill_name or None)
        tools = await records(self._scope, "tool", tool_name or None)
        return {"skills": list(map(record_on, skills)), "tools": list(map(record_on, tools))}


def counts(messages: Sequence[Sequence[Feedback]], recorded: "Recorded") -> Sequence[int]:
    """How many of each message were new; the same id in two of them is the first one's."""
    if not recorded.duplicates:
        return [len(items) for items in messages]
    left = set(recorded.new)
    found: list[int] = []
    for items in messages:
        mine = left & {name_of(item.id) for item in items}
        left -= mine
        found.append(len(mine))
    return found


def scores_of(items: Sequence[Feedback], recorded: "Recorded") -> Mapping[str, Any]:
    """What the dimensions of these have come to, and all of them together, as a reply has it."""
    mine = {item.dimension for item in items}
    tallies = {name: each for name, each in recorded.aggregate.items() if name in mine}
    given = sum(each["count"] for each in tallies.values())
    total = sum(each["count"] * each["mean_score"] for each in tallies.values())
    flagged = ((item.id, recorded.flagged.get(name_of(item.id))) for item in items)
    noted = [f"{name}: {', '.join(flags)}" for name, flags in flagged if flags]
    return {
        "new_score": total / given if given else 0.0,
        "scores_by_dimension": {name: each["mean_score"] for name, each in tallies.items()},
        "note": one_line("; ".join(noted), 1000),
    }


def with_name(given: Experience) -> Experience:
    """The same with its skill or tool under our name for it.

    >>> dict(with_name(Experience("e1", action={"component_name": "plan"})).action)
    {'skill': 'plan', 'component_name': 'plan'}
    """
    for theirs, ours in NAMED.items():
        name = given.action.get(theirs)
        if isinstance(name, str) and name and ours not in given.action:
            return replace(given, action={ours: name, **given.action})
    return given


def adapted_records(adapted: "Adapted") -> Sequence[SkillPerformanceRecord]:
    """Each record with what the strategy makes of it: the choice, how likely it was, and why."""
    choice = adapted.choice
    policy: dict[str, Any] = {"strategy": adapted.strategy}
    taken: tuple[str, ...] = ()
    if choice is not None:
        policy |= {"choice": choice.arm, "reasons": list(choice.reasons)}
        taken = (choice.arm, f"{adapted.name}/{choice.arm}")
    return [
        record_on(each, choice.propensity if choice and each.name in taken else 0.0, policy)
        for each in adapted.records
    ]


def record_on(
    given: "PerformanceRecord", weight: float = 0.0, policy: Mapping[str, Any] | None = None
) -> SkillPerformanceRecord:
    """A record as agents know it: no blanks, seconds."""
    return SkillPerformanceRecord(
        name=given.name,
        calls_total=given.calls_total,
        calls_success=given.calls_success,
        calls_failed=given.calls_failed,
        avg_duration_ms=given.avg_duration_ms or 0.0,
        avg_score=given.avg_score or 0.0,
        last_called=(given.last_called or 0) / SECOND,
        p95_duration_ms=given.p95_duration_ms or 0.0,
        weight=weight,
        policy=policy or {},
    )
