"""Takes feedback in: stored once and durably, put down to what it speaks of, and learned from."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seasoned.core.bus import Bus
from seasoned.core.clock import Clock
from seasoned.core.errors import BadInput
from seasoned.core.events import Corrected
from seasoned.core.ids import digest
from seasoned.core.scope import Scope
from seasoned.core.text import one_line
from seasoned.db.database import Connection, Database
from seasoned.db.transact import transact
from seasoned.learning.attribution import NOTHING, Attribution
from seasoned.learning.attributions import Attributions
from seasoned.learning.exchanges import ExchangeStore
from seasoned.learning.feedback import DIMENSIONS, Feedback, checked
from seasoned.learning.feedback_kept import kept, name_of
from seasoned.learning.feedback_store import FeedbackStore, Kept, Wanted
from seasoned.learning.feedback_tally import ABOUT, About, Tally, tallied
from seasoned.learning.journal import Journal
from seasoned.learning.lesson import Evidence, Lesson
from seasoned.learning.lessons import LessonStore
from seasoned.security.audit import AuditStore

if TYPE_CHECKING:
    from seasoned.bandit.performance import Performance
    from seasoned.learning.turns import Turns

log = logging.getLogger("seasoned.feedback")

REASON = "feedback"
CORRECTION = "correction:"  # before a correction's id, in what an id stands for


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of a batch: `aggregate` is what the dimensions in it have come to, all in all.

    `new` are the ids of those that were not there yet, as they are stored.
    """

    accepted: int
    duplicates: int
    flagged: Mapping[str, Sequence[str]]
    aggregate: Mapping[str, Mapping[str, float]]
    new: frozenset[str] = frozenset()  # the ids of those that were accepted


@dataclass(frozen=True, slots=True)
class FeedbackConfig:
    threshold: float = 0.7  # from which confidence a lesson is given


class Feedbacks:
    """`turns` learns from corrections, or makes what does; `performance` keeps scores."""

    def __init__(
        self,
        db: Database,
        lessons: LessonStore,
        turns: "Turns | Callable[[], Turns] | None",
        performance: "Performance | None",
        audit: AuditStore,
        bus: Bus,
        clock: Clock,
        config: FeedbackConfig | None = None,
    ) -> None:
        self.db = db
        self.lessons = lessons
        self.turns = turns
        self.performance = performance
        self.audit = audit
        self.bus = bus
        self.clock = clock
        self.config = config or FeedbackConfig()
        self.store = FeedbackStore()
        self.attributions = Attributions(self.store, lessons, ExchangeStore())

    async def record(self, items: Sequence[Feedback], scope: Scope) -> Recorded:
        """Stores a batch, all of it or nothing; it is durable when this returns.

        What has an id that is known already counts as a duplicate, and changes nothing.
        """
        now = self.clock.now()
        valid = [kept(checked(item), now) for item in items]
        once: dict[str, Feedback] = {}
        for item in valid:
            once.setdefault(item.id, item)

        async def stored(tx: Connection) -> tuple[Journal, Sequence[Kept], Recorded]:
            return await self._stored(tx, [*once.values()], scope, len(items), now)

        journal, new, recorded = await transact(self.db, stored)
        journal.publish(self.bus)
        await self._correct(new, scope)
        return recorded

    async def _stored(
        self, tx: Connection, items: Sequence[Feedback], scope: Scope, given: int, now: int
    ) -> tuple[Journal, Sequence[Kept], Recorded]:
        attributed, lessons = await self.attributions.find(tx, items, scope)
        ids = await self.store.add(tx, scope, attributed)
        new = [one for one in attributed if one.feedback.id in ids]
        await self._link(tx, new, scope, now)
        sums = tallied((one.feedback, one.attribution) for one in new)
        totals = await self.store.tally(tx, scope, sums)
        await self._score(tx, new, scope)
        journal = Journal(now)
        await self._believe(tx, new, lessons, journal)
        if new:
            names = digest(*(one.feedback.id for one in new))
            journal.write("feedback.recorded", "", {"count": len(new), "ids": names})
            await self.audit.add(tx, now, journal.entries)
        now_at = {key.name: one for key, one in totals.items() if key.about == "dimension"}
        if len(new) < given:  # one that was there already adds nothing, and asks all the same
            now_at = await self.store.totals(tx, scope, "dimension", None, len(DIMENSIONS))
        said = {item.dimension for item in items}
        aggregate = {name: one.means() for name, one in sorted(now_at.items()) if name in said}
        flagged = {one.feedback.id: one.feedback.flags for one in new if one.feedback.flags}
        accepted = frozenset(one.feedback.id for one in new)
        recorded = Recorded(len(new), given - len(new), flagged, aggregate, accepted)
        return journal, new, recorded

    async def list(
        self, scope: Scope, wanted: Wanted | None = None, limit: int = 50
    ) -> Sequence[Kept]:
        """The latest first."""
        async with self.db.read() as tx:
            return await self.store.list(tx, scope, wanted or Wanted(), limit)

    async def stats(
        self,
        scope: Scope,
        by: About = "dimension",
        *,
        dimension: str | None = None,
        limit: int = 100,
    ) -> Mapping[str, Tally]:
        """How feedback adds up by dimension, skill, tool, source or lesson."""
        if by not in ABOUT:
            raise BadInput(f"feedback adds up by {', '.join(ABOUT)}; not by {by!r}")
        async with self.db.read() as tx:
            return await self.store.totals(tx, scope, by, dimension, limit)

    async def link(self, links: Mapping[str, Attribution], scope: Scope) -> None:
        """Says what ids stand for that later feedback may name: a request's, an experience's."""
        named = {name_of(name): about for name, about in links.items() if name}
        await transact(self.db, lambda tx: self.store.link(tx, scope, named, self.clock.now()))

    async def _link(self, tx: Connection, new: Sequence[Kept], scope: Scope, now: int) -> None:
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
        self, tx: Connection, new: Sequence[Kept], lessons: Mapping[str, Lesson], journal: Journal
    ) -> None:
        """Adds what was said of a lesson to its evidence: at most one for each that said it."""
        said: dict[str, list[Feedback]] = {}
        for one in new:
            if one.attribution.lesson in lessons and one.feedback.score:
                said.setdefault(one.attribution.lesson, []).append(one.feedback)
        for name in sorted(said):
            lesson, evidence = lessons[name], evidence_of(said[name], journal.at)
            belief = lesson.belief.plus(evidence.worked, evidence.failed)
            status = lesson.status_with(belief, self.config.threshold)
            changed = await self.lessons.believe(tx, lesson, evidence, status, journal.at)
            journal.changed(lesson, changed, REASON)

    async def _score(self, tx: Connection, new: Sequence[Kept], scope: Scope) -> None:
        """Hands the scores on to the records of skills and tools."""
        if self.performance is None or not any(one.attribution.names_work for one in new):
            return
        from seasoned.bandit.call import KINDS, Call

        calls = [
            Call(kind, name, score=one.feedback.score, at=one.feedback.at)
            for one in new
            for kind, name in zip(KINDS, (one.attribution.skill, one.attribution.tool), strict=True)
            if name
        ]
        await self.performance.note_within(tx, calls, scope)

    async def _correct(self, new: Sequence[Kept], scope: Scope) -> None:
        """What a person corrected is learned from; should that fail, the feedback stays stored."""
        told = [
            one.feedback
            for one in new
            if one.feedback.polarity == "corrective" and one.feedback.source == "human"
        ]
        for item in told:
            try:
                await self._corrected(item, scope)
            except Exception:
                log.exception("the correction in feedback %s was not queued", item.id)

    async def _corrected(self, item: Feedback, scope: Scope) -> None:
        turns = self.turns() if callable(self.turns) else self.turns
        if turns is None or not turns.config.enabled:
            return
        from seasoned.learning.feedback_correction import read_correction
        from seasoned.learning.turns import case_of

        read = read_correction(item)
        if read is None:
            return
        message, found, exchange = read
        within = scope.within(item.session_id)
        case = case_of(message, found, within, exchange, self.clock.now())
        if item.session_id:
            await turns.correct(message, found, within, exchange)
        else:  # no session in which it could hold at once: it is learned, a little later
            await turns.pending.push(case, case.at)
            self.bus.publish(Corrected(case.at, case.id, "", case.kind, case.score))
        # So that an export with corrections does not tell it twice.
        await self.link({f"{CORRECTION}{case.id}": NOTHING}, scope)


def evidence_of(said: Sequence[Feedback], at: int) -> Evidence:
    """What feedback says for and against: a sure score of 1 is one success, of -1 one failure.

    >>> said = [Feedback("a", "positive", 1.0), Feedback("b", "negative", -1.0, confidence=0.5)]
    >>> evidence_of(said, 0)
    Evidence(at=0, reason='feedback', worked=1.0, failed=0.5, session='', quote='')
    """
    weights = [one.score * one.confidence for one in said]
    return Evidence(
        at,
        REASON,
        sum(weight for weight in weights if weight > 0),
        -sum(weight for weight in weights if weight < 0),
        said[0].session_id,
        one_line(next((one.comment for one in said if one.comment), "")),
    )
