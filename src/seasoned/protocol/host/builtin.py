"""The built-in plugin: records feedback and experiences, adapts, reports performance."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from seasoned.bandit.experience import Experience
from seasoned.core.clock import SECOND
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.unit import Run
from seasoned.feedback.feedback import Feedback
from seasoned.protocol.host.group_commit import GroupCommit
from seasoned.protocol.plugin import LearnPlugin
from seasoned.protocol.records import SkillPerformanceRecord
from seasoned.security.stored import stored_name

if TYPE_CHECKING:
    from seasoned.bandit.adaptation import Adaptation, AdaptationResult
    from seasoned.bandit.experiences import Experiences
    from seasoned.bandit.performance import Performance, PerformanceRecord
    from seasoned.feedback.recorder import FeedbackReceipt, Feedbacks

MOST_TOGETHER = 1000  # pieces of feedback in one transaction


class Services(Protocol):
    """The services that the plugin uses; `App` has them."""

    @property
    def feedbacks(self) -> "Feedbacks": ...
    @property
    def experiences(self) -> "Experiences": ...
    @property
    def performance(self) -> "Performance": ...
    @property
    def adaptation(self) -> "Adaptation": ...


class BuiltinPlugin(LearnPlugin):
    def __init__(self, services: Services, scope: Scope, run: Run, *, concurrent: bool) -> None:
        self._feedbacks = services.feedbacks
        self._experiences = services.experiences
        self._performance = services.performance
        self._adaptation = services.adaptation
        self._scope = scope
        self._run = run
        self._concurrent = concurrent
        self._recording = GroupCommit(self._record_all, weight=len, most=MOST_TOGETHER)

    async def _record_feedback(
        self, feedbacks: Sequence[Feedback]
    ) -> tuple[int, Mapping[str, Any]]:
        if self._concurrent:
            return await self._recording(feedbacks)
        return (await self._record_all([feedbacks]))[0]

    async def _record_all(
        self, messages: Sequence[Sequence[Feedback]]
    ) -> Sequence[tuple[int, Mapping[str, Any]]]:
        """Record the feedback of several messages in one transaction; return a result for each."""
        every = [item for items in messages for item in items]
        receipt = await self._run(self._feedbacks.record(every, self._scope))
        new = counts(messages, receipt)
        return [
            (count, scores_of(items, receipt)) for items, count in zip(messages, new, strict=True)
        ]

    async def _store_experiences(self, experiences: Sequence[Experience]) -> int:
        return await self._run(self._experiences.add(experiences, self._scope))

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
        return {"skills": list(map(wire_record, skills)), "tools": list(map(wire_record, tools))}


def counts(messages: Sequence[Sequence[Feedback]], receipt: "FeedbackReceipt") -> Sequence[int]:
    """Count the new pieces of each message; an id in two messages counts for the first."""
    if not receipt.duplicates:
        return [len(items) for items in messages]
    left = set(receipt.new)
    found: list[int] = []
    for items in messages:
        mine = left & {stored_name(item.id) for item in items}
        left -= mine
        found.append(len(mine))
    return found


def scores_of(items: Sequence[Feedback], receipt: "FeedbackReceipt") -> Mapping[str, Any]:
    """Build the scores of a reply: the totals of the dimensions in this message."""
    mine = {item.dimension for item in items}
    tallies = {name: each for name, each in receipt.aggregate.items() if name in mine}
    given = sum(each["count"] for each in tallies.values())
    total = sum(each["count"] * each["mean_score"] for each in tallies.values())
    flagged = ((item.id, receipt.flagged.get(stored_name(item.id))) for item in items)
    noted = [f"{name}: {', '.join(flags)}" for name, flags in flagged if flags]
    return {
        "new_score": total / given if given else 0.0,
        "scores_by_dimension": {name: each["mean_score"] for name, each in tallies.items()},
        "note": one_line("; ".join(noted), 1000),
    }


def adapted_records(adapted: "AdaptationResult") -> Sequence[SkillPerformanceRecord]:
    """Build wire records with the strategy's choice, its probability and its reasons."""
    choice = adapted.choice
    policy: dict[str, Any] = {"strategy": adapted.strategy}
    taken: tuple[str, ...] = ()
    if choice is not None:
        policy |= {"choice": choice.arm, "reasons": list(choice.reasons)}
        taken = (choice.arm, f"{adapted.name}/{choice.arm}")
    return [
        wire_record(each, choice.propensity if choice and each.name in taken else 0.0, policy)
        for each in adapted.records
    ]


def wire_record(
    given: "PerformanceRecord", weight: float = 0.0, policy: Mapping[str, Any] | None = None
) -> SkillPerformanceRecord:
    """Convert a record to its wire form: 0 for None, seconds for microseconds."""
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
