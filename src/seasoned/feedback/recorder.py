"""Record feedback: store it durably, attribute it, and learn from it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from seasoned.bandit.call import KINDS, Call
from seasoned.core.authority import Caller, Trust, Weight
from seasoned.core.errors import BadInput
from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection
from seasoned.db.unit import Change, Unit, transact
from seasoned.feedback.attribution import Attributions
from seasoned.feedback.corrective import Corrective
from seasoned.feedback.feedback import (
    DIMENSIONS,
    Attribution,
    Feedback,
    Giver,
    StoredFeedback,
    sanitise,
)
from seasoned.feedback.feedback_store import FeedbackFilter, FeedbackStore
from seasoned.feedback.totals import ABOUT, About, FeedbackTotal, total_feedback
from seasoned.lessons.lesson import ACTIVE_FROM, Belief, Evidence, Lesson
from seasoned.lessons.lesson_store import LessonStore
from seasoned.rules.exchanges import ExchangeStore
from seasoned.security.stored import stored_name

if TYPE_CHECKING:
    from seasoned.bandit.performance import Performance
    from seasoned.rules.turns import Turns

REASON = "feedback"
HELD_BACK = "feedback, held back: its giver is trusted less than the lesson"
NEAR = 1e-6  # keeps sums of such evidence on their side of the threshold
GIVER_TRUST: Mapping[Giver, Trust] = {"human": "user", "env": "environment", "self": "self"}


@dataclass(frozen=True, slots=True)
class FeedbackReceipt:
    """The result of recording a batch; `aggregate` has the totals of its dimensions so far."""

    accepted: int
    duplicates: int
    flagged: Mapping[str, Sequence[str]]
    aggregate: Mapping[str, Mapping[str, float]]
    new: frozenset[str] = frozenset()  # accepted ids, as they are stored


@dataclass(frozen=True, slots=True)
class FeedbackConfig:
    threshold: float = ACTIVE_FROM


class Feedbacks:
    """`turns`, or a function that returns it, learns from corrections."""

    def __init__(
        self,
        unit: Unit,
        lessons: LessonStore,
        turns: "Turns | Callable[[], Turns] | None",
        performance: "Performance | None",
        config: FeedbackConfig | None = None,
    ) -> None:
        self.unit = unit
        self.lessons = lessons
        self.performance = performance
        self.config = config or FeedbackConfig()
        self.store = FeedbackStore()
        self.attributions = Attributions(self.store, lessons, ExchangeStore())
        self.corrective = Corrective(turns, self.store)

    async def record(
        self, items: Sequence[Feedback], scope: Scope, *, acts_in: Scope | None = None
    ) -> FeedbackReceipt:
        """Store a batch of valid feedback, all or nothing; it is durable on return.

        A person's correction is queued to be learned in the same transaction.

        Feedback with a known id counts as a duplicate and changes nothing. How far it moves a
        lesson depends on whose lesson that is, and on how far its giver is trusted.
        """
        caller = Caller(scope, acts_in)
        now = self.unit.now()
        once: dict[str, Feedback] = {}
        for item in items:
            clean = sanitise(item, now)
            once.setdefault(clean.id, clean)
        cases = self.corrective.read(await self._rated(once.values(), caller), scope, now)
        await self.corrective.prepare(cases)

        async def store(change: Change) -> tuple[FeedbackReceipt, int]:
            receipt = await self._store(change, [*once.values()], caller, len(items))
            new = [case for name, case in cases.items() if name in receipt.new]
            return receipt, await self.corrective.queue(change, new, scope)

        receipt, evicted = await self.unit.change(store, at=now)
        await self.corrective.forward(cases, evicted, now)
        return receipt

    async def _rated(self, items: Iterable[Feedback], caller: Caller) -> Sequence[Feedback]:
        """Return corrections with the turn that they are about, if only its session is named."""
        said = [one for one in items if one.polarity == "corrective" and one.source == "human"]
        if not said:
            return ()
        async with self.unit.read() as tx:
            return [one.feedback for one in (await self.attributions.find(tx, said, caller))[0]]

    async def _store(
        self, change: Change, items: Sequence[Feedback], caller: Caller, given: int
    ) -> FeedbackReceipt:
        scope = caller.scope
        attributed, lessons = await self.attributions.find(change, items, caller)
        ids = await self.store.add(change, scope, attributed)
        new = [one for one in attributed if one.feedback.id in ids]
        await self._link(change, new, scope, change.at)
        sums = total_feedback((one.feedback, one.attribution) for one in new)
        totals = await self.store.add_totals(change, scope, sums)
        await self._score(change, new, scope)
        await self._believe(change, new, lessons, caller)
        if new:
            names = digest(*(one.feedback.id for one in new))
            change.record("feedback.recorded", "", {"count": len(new), "ids": names})
        current = {key.name: one for key, one in totals.items() if key.about == "dimension"}
        if len(new) < given:  # duplicates add nothing, but their dimensions are reported too
            current = await self.store.totals(change, scope, "dimension", None, len(DIMENSIONS))
        dimensions = {item.dimension for item in items}
        aggregate = {
            name: one.means() for name, one in sorted(current.items()) if name in dimensions
        }
        flagged = {one.feedback.id: one.feedback.flags for one in new if one.feedback.flags}
        accepted = frozenset(one.feedback.id for one in new)
        return FeedbackReceipt(len(new), given - len(new), flagged, aggregate, accepted)

    async def list(
        self,
        scope: Scope,
        chosen: FeedbackFilter | None = None,
        limit: int = 50,
        before: int | None = None,
    ) -> Sequence[StoredFeedback]:
        """List feedback, newest first."""
        async with self.unit.read() as tx:
            return await self.store.list(tx, scope, chosen or FeedbackFilter(), limit, before)

    async def stats(
        self,
        scope: Scope,
        by: About = "dimension",
        *,
        dimension: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, FeedbackTotal]:
        """Return totals by dimension, skill, tool, source or lesson."""
        if by not in ABOUT:
            raise BadInput(f"feedback adds up by {', '.join(ABOUT)}; not by {by!r}")
        async with self.unit.read() as tx:
            return await self.store.totals(tx, scope, by, dimension, limit)

    async def link(self, links: Mapping[str, Attribution], scope: Scope) -> None:
        """Attribute ids that later feedback may name, such as a request's or an experience's."""
        named = {stored_name(name): about for name, about in links.items() if name}
        await transact(self.unit.db, lambda tx: self.store.link(tx, scope, named, self.unit.now()))

    async def _link(
        self, tx: Connection, new: Sequence[StoredFeedback], scope: Scope, now: int
    ) -> None:
        links = {
            one.feedback.correlation_id: one.attribution
            for one in reversed(new)
            if one.feedback.correlation_id
            and one.attribution.names_work
            and not one.attribution.lesson
        }
        if links:
            await self.store.link(tx, scope, links, now)

    async def _believe(
        self,
        change: Change,
        new: Sequence[StoredFeedback],
        lessons: Mapping[str, Lesson],
        caller: Caller,
    ) -> None:
        """Add feedback on lessons to their evidence, as far as it counts there."""
        weighed: dict[tuple[str, Weight], list[Feedback]] = {}
        for one in new:
            lesson = lessons.get(one.attribution.lesson)
            if lesson is not None and one.feedback.score:
                weight = caller.weight(
                    *(lesson.scope, lesson.trust, GIVER_TRUST[one.feedback.source]),
                    stated=lesson.explicit,
                )
                weighed.setdefault((lesson.id, weight), []).append(one.feedback)
        for (name, weight), items in sorted(weighed.items(), key=lambda pair: pair[0]):
            if weight == "none":
                continue  # it is stored with the feedback, and counts in the caller's own figures
            # Its counts as they are now: another process may be rating it too.
            lesson = await self.lessons.hold(change, lessons[name])
            evidence = evidence_of(items, change.at)
            if weight == "bounded":
                evidence = held_back(lesson.belief, evidence, self.config.threshold)
            belief = lesson.belief.plus(evidence.worked, evidence.failed)
            status = lesson.status_with(belief, self.config.threshold)
            await self.lessons.believe(change, lesson, evidence, status)

    async def _score(self, tx: Connection, new: Sequence[StoredFeedback], scope: Scope) -> None:
        """Add the scores to the records of skills and tools."""
        if self.performance is None or not any(one.attribution.names_work for one in new):
            return
        calls = [
            Call(kind, name, score=one.feedback.score, at=one.feedback.at)
            for one in new
            for kind, name in zip(KINDS, (one.attribution.skill, one.attribution.tool), strict=True)
            if name
        ]
        await self.performance.note_within(tx, calls, scope)


def held_back(belief: Belief, evidence: Evidence, threshold: float) -> Evidence:
    """Return as much of the evidence as leaves a lesson on its side of the threshold.

    >>> five = Evidence(0, "feedback", worked=0, failed=5)
    >>> less = held_back(Belief(9, 1), five, 0.7)
    >>> round(Belief(9, 1).plus(less.worked, less.failed).confidence, 3)
    0.7
    >>> held_back(Belief(1, 1), Evidence(0, "feedback", worked=1, failed=0), 0.7).worked
    1
    """
    after = belief.plus(evidence.worked, evidence.failed)
    given = belief.confidence >= threshold
    if (after.confidence >= threshold) == given:
        return evidence
    if given:
        most = after.worked * (1 - threshold) / threshold - belief.failed
        kept = replace(evidence, failed=max(0.0, most - NEAR))
    else:
        most = after.failed * threshold / (1 - threshold) - belief.worked
        kept = replace(evidence, worked=max(0.0, most - NEAR))
    return replace(kept, reason=HELD_BACK)


def evidence_of(items: Sequence[Feedback], at: int) -> Evidence:
    """Turn feedback into evidence: score × confidence; 1 is one success, -1 one failure.

    >>> items = [Feedback("a", "positive", 1.0), Feedback("b", "negative", -1.0, confidence=0.5)]
    >>> evidence_of(items, 0)
    Evidence(at=0, reason='feedback', worked=1.0, failed=0.5, session='', quote='')
    """
    weights = [one.score * one.confidence for one in items]
    return Evidence(
        at,
        REASON,
        sum(weight for weight in weights if weight > 0),
        -sum(weight for weight in weights if weight < 0),
        items[0].session_id,
        one_line(next((one.comment for one in items if one.comment), "")),
    )
